export type { Cycle } from './constraints';
export type { RankingRules } from './criteria';
export { describeCycle, explainRank } from './explain-rank';
export { type RankedTask, type Ranking, rankBoard } from './rank-board';
export type { Weights } from './score';
