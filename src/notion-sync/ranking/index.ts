export type { RankingRules } from './criteria';
export { describeCycle, explainRank } from './explain-rank';
export { type Ranking, rankBoard } from './rank-board';
