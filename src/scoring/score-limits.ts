import { Injectable } from '@nestjs/common';
import { Settings } from '../common/config';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import { LlmLedgerRepository } from '../llm';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What a request counts as whose tokens the server did not tell; about twice one of the examples. */
const TOKENS_UNCOUNTED = 2500;

/**
 * What scorings may cost: runs of one interview, and tokens of all of them in 24 hours. Whoever has reached a
 * limit waits, one attention item says so, and nothing is lost: the job looks again until it may begin.
 */
@Injectable()
export class ScoreLimits {
  constructor(
    private readonly settings: Settings,
    private readonly ledger: LlmLedgerRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * In the commit that would begin a run of this interview, which had `runs` before: how long it waits until
   * it looks again, in milliseconds; null: it may begin.
   */
  async waitMs(tx: Tx, conversationId: string, runs: number): Promise<number | null> {
    const { maxRuns } = this.settings.scoring;
    const ofRuns = `score-runs:${conversationId}`;
    if (runs >= maxRuns) {
      await this.events.publish(tx, 'attention.needed', {
        kind: 'stalled',
        subject: ofRuns,
        conversationId,
        reason: `the answers of an interview have changed after ${String(runs)} scorings (SCORING_MAX_RUNS), so the scores are of an earlier text; read the additions, or raise the setting`,
      });
      return DAY_MS;
    }
    await this.settle(tx, ofRuns);
    return this.spentWaitMs(tx);
  }

  private async spentWaitMs(tx: Tx): Promise<number | null> {
    const { tokensPerDay } = this.settings.scoring;
    const isSpent =
      tokensPerDay > 0 &&
      (await this.ledger.tokensSpent(tx, {
        purpose: 'score',
        windowMs: DAY_MS,
        uncounted: TOKENS_UNCOUNTED,
      })) >= tokensPerDay;
    if (!isSpent) {
      await this.settle(tx, SPENDING);
      return null;
    }
    await this.events.publish(tx, 'attention.needed', {
      kind: 'stalled',
      subject: SPENDING,
      reason: `scorings have used ${String(tokensPerDay)} tokens in 24 hours (SCORING_TOKENS_PER_DAY); further ones wait until less is used, or until the setting is raised`,
    });
    return HOUR_MS;
  }

  private settle(tx: Tx, subject: string): Promise<void> {
    return this.events.publish(tx, 'attention.settled', {
      subject,
      resolution: 'a scoring may begin again',
    });
  }
}

const SPENDING = 'score-spending:day';
