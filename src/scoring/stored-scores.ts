import { Injectable } from '@nestjs/common';
import { DomainEventHandler, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { CalibrationRepository } from './calibration.repository';
import { CommentRepository } from './comment.repository';
import { ScoringRepository } from './scoring.repository';

/** What is stored of the scorings of a person, also while SCORING is off. */
@Injectable()
export class StoredScores {
  constructor(private readonly scores: ScoringRepository) {}

  @DomainEventHandler('ledger.keys')
  keysOf(_tx: Tx, { conversationIds }: PayloadOf<'ledger.keys'>): readonly string[] {
    return conversationIds.map(ledgerKey);
  }

  /**
   * Runs with their samples: what a model was asked about the person, and what was read from its output. The
   * output itself may quote the rubric, which is the company's.
   */
  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const runs = await this.scores.runsOf(tx, conversationIds);
    if (runs.length === 0) return { name: 'scores', data: undefined };
    const data = [];
    for (const run of runs) {
      const samples = await this.scores.samples(tx, run.id);
      data.push({ ...run, samples: samples.map(({ output: _, ...sample }) => sample) });
    }
    return { name: 'scores', data };
  }
}

/** The key of the ledger under which a model is asked about an interview. */
export function ledgerKey(conversationId: string): string {
  return `score:${conversationId}`;
}

/** What people rated of a person's answers, also while SCORING is off. */
@Injectable()
export class StoredRatings {
  constructor(private readonly records: CalibrationRepository) {}

  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const ratings = await this.records.ratingsOf(tx, conversationIds);
    return { name: 'ratings', data: ratings.length === 0 ? undefined : ratings };
  }
}

/** What people commented on a person's interviews. */
@Injectable()
export class StoredComments {
  constructor(private readonly records: CommentRepository) {}

  @DomainEventHandler('candidate.exported')
  async onExported(
    tx: Tx,
    { conversationIds }: PayloadOf<'candidate.exported'>,
  ): Promise<{ name: string; data: unknown }> {
    const comments = await this.records.listOf(tx, conversationIds);
    const data = comments.map(({ userId: _, ...comment }) => comment);
    return { name: 'comments', data: data.length === 0 ? undefined : data };
  }
}
