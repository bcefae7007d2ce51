import type { KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import {
  DomainEventHandler,
  type ExportedFile,
  type ListedDecision,
  type NewDecision,
  type PayloadOf,
  type ShownScoring,
} from '../common/events';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../interview';
import { existingKey, signingKey } from './decision-file';
import { HiringDecisionRepository } from './hiring-decision.repository';
import { HiringDecisions } from './hiring-decisions';
import type { CriterionResult, ScoredQuestion } from './scorecard';
import { type ShownRun, ShownScores } from './shown-scores';

/** What programs read of scores and decisions, also while SCORING is off. */
@Injectable()
export class ProgramRecords {
  constructor(
    private readonly scores: ShownScores,
    private readonly decisions: HiringDecisionRepository,
    private readonly files: HiringDecisions,
    private readonly conversations: ConversationRepository,
    private readonly settings: Settings,
  ) {}

  /** By the rule for people: certified versions only, and after the reviewer's own rating. */
  @DomainEventHandler('scores.shown')
  async scoresOf(
    tx: Tx,
    { conversationId, reviewer, isPartial }: PayloadOf<'scores.shown'>,
  ): Promise<readonly ShownScoring[]> {
    const runs = await this.scores.ofInterview(tx, conversationId, reviewer, { isPartial });
    return runs.map(shown);
  }

  @DomainEventHandler('scores.listed')
  figuresOf(
    tx: Tx,
    { conversationIds, reviewer }: PayloadOf<'scores.listed'>,
  ): Promise<ReadonlyMap<string, number>> {
    return this.scores.figures(tx, conversationIds, reviewer);
  }

  @DomainEventHandler('decisions.newest')
  newestDecisions(
    tx: Tx,
    { candidateIds, vacancyIds }: PayloadOf<'decisions.newest'>,
  ): Promise<readonly ListedDecision[]> {
    return this.decisions.newestOfEach(tx, candidateIds, vacancyIds);
  }

  @DomainEventHandler('decisions.listed')
  decisionsOf(
    tx: Tx,
    { limit, ...filter }: PayloadOf<'decisions.listed'>,
  ): Promise<readonly ListedDecision[]> {
    return this.decisions.page(tx, filter, limit);
  }

  /** Throws ConversationUnknownError and DecidedMeanwhileError. */
  @DomainEventHandler('decision.made')
  async decide(tx: Tx, { conversationId, by, ...decision }: NewDecision): Promise<string> {
    const { candidateId } = await this.conversations.lockKnown(tx, conversationId);
    const of = { ...decision, candidateId, by: by.name, userId: by.userId };
    const id = await this.files.record(tx, of);
    if (id === null) throw new Error('the candidate of a locked interview is gone');
    return id;
  }

  @DomainEventHandler('decision.exported')
  async fileOf(tx: Tx, filter: PayloadOf<'decision.exported'>): Promise<ExportedFile | null> {
    const [decision] = await this.decisions.page(tx, filter, 1);
    if (decision === undefined) return null;
    const { candidateId } = decision;
    const { bytes } = await this.files.nextFile(tx, candidateId, await this.key());
    return { candidateId, text: bytes.toString() };
  }

  /**
   * The key of the data folder. It is made only beside an embedded database: replicas with a database elsewhere
   * have folders of their own, and would sign one chain with several keys.
   */
  private async key(): Promise<KeyObject> {
    const { url, dataDir } = this.settings.database;
    const key = url === null ? await signingKey(dataDir) : await existingKey(dataDir);
    if (key !== null) return key;
    throw new DecisionKeyMissingError(
      'The server has no key that signs decision files: put decision-key.pem into its data folder.',
    );
  }
}

/** This server cannot sign. */
class DecisionKeyMissingError extends ColloquyError {
  readonly code = 'decision_key_missing';
  readonly retryable = false;
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
