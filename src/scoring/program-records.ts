import { Injectable } from '@nestjs/common';
import {
  DomainEventHandler,
  type ListedDecision,
  type PayloadOf,
  type ShownScoring,
} from '../common/events';
import type { Tx } from '../common/uow';
import { HiringDecisionRepository } from './hiring-decision.repository';
import type { CriterionResult, ScoredQuestion } from './scorecard';
import { type ShownRun, ShownScores } from './shown-scores';

/** What programs read of scores and decisions, also while SCORING is off. */
@Injectable()
export class ProgramRecords {
  constructor(
    private readonly scores: ShownScores,
    private readonly decisions: HiringDecisionRepository,
  ) {}

  /** By the rule for people: certified versions only, and after the reviewer's own rating. */
  @DomainEventHandler('scores.shown')
  async scoresOf(
    tx: Tx,
    { conversationId, reviewer }: PayloadOf<'scores.shown'>,
  ): Promise<readonly ShownScoring[]> {
    const runs = await this.scores.ofInterview(tx, conversationId, reviewer);
    return runs.map(shown);
  }

  @DomainEventHandler('decisions.listed')
  decisionsOf(tx: Tx, page: PayloadOf<'decisions.listed'>): Promise<readonly ListedDecision[]> {
    return this.decisions.page(tx, page);
  }
}

function shown({ run, questions, inShadow, unrated, overall }: ShownRun): ShownScoring {
  return {
    ...run,
    questions: questions.map(questionOf),
    inShadow,
    unrated,
    overall: overall?.kind === 'figure' ? overall.value : null,
  };
}

function questionOf({
  questionId,
  criteria,
  facts,
}: ScoredQuestion): ShownScoring['questions'][number] {
  return {
    id: questionId,
    criteria: criteria.map(({ name, weight, result, isDisputed }) => ({
      ...{ name, weight, isDisputed, result: result.kind },
      mark: result.kind === 'supported' ? result.mark : null,
      quotes: quotesOf(result),
    })),
    facts: facts.map(({ name, value, quotes }) => ({ name, value, quotes })),
  };
}

function quotesOf(result: CriterionResult) {
  return result.kind === 'supported' ? result.quotes : [];
}
