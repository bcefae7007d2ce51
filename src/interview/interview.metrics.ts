import { Injectable, Logger } from '@nestjs/common';
import type { Counter } from 'prom-client';
import { Clock } from '../common/clock';
import { describeError } from '../common/errors';
import { Metrics } from '../common/metrics';
import { UnitOfWorkFactory } from '../common/uow';
import { InvitationRepository } from '../vacancies';
import { ConversationRepository, FUNNEL_STAGES, type FunnelStage } from './conversation.repository';

/**
 * `replied`: the interviewer replied. `unanalysed`: the model had failed on the answer for good.
 * `code`: no interviewer may see it. `stopped`: by the candidate. The others got no reply.
 */
export type TurnOutcome = 'replied' | 'unanalysed' | 'code' | 'stopped' | 'failed' | 'expired';

/** Counts ended turns. */
@Injectable()
export class TurnMetrics {
  private readonly turns: Counter<'outcome'>;

  constructor(metrics: Metrics) {
    this.turns = metrics.counter('turns_total', 'Answers by how they ended', ['outcome']);
  }

  ended(outcome: TurnOutcome): void {
    this.turns.inc({ outcome });
  }
}

/** Counting reads a whole table, so scrapes within this time get the same figures. */
const FUNNEL_MAX_AGE_MS = 60_000;

/** Counts in the database how many interviews have reached each stage, over all replicas. */
@Injectable()
export class FunnelMetrics {
  private readonly logger = new Logger('Funnel');
  private countedMs = -Infinity;

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly clock: Clock,
    private readonly conversations: ConversationRepository,
    private readonly invitations: InvitationRepository,
  ) {
    metrics.gauge(
      'interview_funnel',
      'Interviews that reached the stage, counted at most once a minute',
      ['stage'],
      async (gauge) => {
        const nowMs = this.clock.monotonicMs();
        if (nowMs - this.countedMs < FUNNEL_MAX_AGE_MS) return;
        // A count that fails is not repeated sooner, because it may have failed by taking too long.
        this.countedMs = nowMs;
        const counts = await this.count();
        if (counts === null) return;
        for (const stage of FUNNEL_STAGES) gauge.set({ stage }, counts[stage]);
      },
    );
  }

  /** A failure of the database does not fail the scrape; the figures then stay as they were. */
  private async count(): Promise<Record<FunnelStage, number> | null> {
    try {
      return await this.units.run('interview.measure', async (uow) => ({
        invited: await uow.commitOne('interview.measure', (tx) => this.invitations.count(tx)),
        ...(await uow.commitOne('interview.measure', (tx) => this.conversations.countStages(tx))),
      }));
    } catch (error) {
      this.logger.debug(`interviews were not counted: ${describeError(error)}`);
      return null;
    }
  }
}
