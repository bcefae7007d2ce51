import { COMMAND } from '../common/command-name';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AttentionService } from '../attention';
import { Settings } from '../common/config';
import { describeError } from '../common/errors';
import { PeerHealth } from '../common/lifecycle';
import { Metrics } from '../common/metrics';
import { type Tx, UnitOfWorkFactory } from '../common/uow';
import { QueueBreakers } from '../jobs';
import { LlmLedgerRepository, type RecentOutcome } from '../llm';

const SWEEP_MS = 5000;

/**
 * Notices that the model responds and most requests for replies fail, for one reason. It is shown by the
 * readiness probe and by a metric, and as one attention item under which the answers are listed that no
 * model could read.
 *
 *   fine ──most of the newest requests fail for one reason──> failing ──half of them succeed──> fine
 *
 * The ledger has the requests of all replicas, so all show the same. A probe reads what the last sweep
 * found. Without requests nothing changes: silence does not mean that the model is repaired. An outage
 * that the breaker of the queue has noticed is shown as that.
 */
@Injectable()
export class FailingModel implements OnModuleInit {
  private readonly logger = new Logger('FailingModel');
  private failure: CommonFailure | null = null;
  /** What is wrong, in words; also while no requests are made. */
  private trouble: string | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly ledger: LlmLedgerRepository,
    private readonly attention: AttentionService,
    private readonly breakers: QueueBreakers,
    private readonly peers: PeerHealth,
    private readonly settings: Settings,
    metrics: Metrics,
  ) {
    metrics.gauge(
      'model_failing',
      'Share of the newest requests for replies, of all replicas, that failed for one reason; only while that is most of them',
      ['reason'],
      (gauge) => {
        gauge.reset();
        if (this.failure === null) return;
        const { reason, count, of } = this.failure;
        gauge.set({ reason }, count / of);
      },
    );
  }

  onModuleInit(): void {
    const condition = () => (this.breakers.isOpen('flush') ? null : this.trouble);
    this.peers.register('model', condition, ADVICE);
  }

  @Interval(SWEEP_MS)
  async runOnSchedule(): Promise<void> {
    if (this.settings.llm.apiKey === '') return;
    try {
      await this.sweep();
    } catch (error) {
      this.logger.warn(
        `the outcomes of requests to the model were not read; the next sweep tries again: ${describeError(error)}`,
      );
    }
  }

  /** Reads the newest outcomes, and opens or closes the attention item. */
  async sweep(): Promise<void> {
    await this.units.run('model.failing', (uow) =>
      uow.commit('model.failing', async (tx) => {
        const outcomes = await this.ledger.recentOutcomes(tx, {
          windowMs: WINDOW_MS,
          requests: REQUESTS,
        });
        const failure = commonFailure(outcomes);
        const reason = await this.updateItems(tx, failure, succeedsAgain(outcomes));
        tx.afterCommit(() => {
          this.failure = failure;
          this.trouble = failure === null ? reason : sentenceOf(failure);
        });
      }),
    );
  }

  /** Returns the reason of an item that stays open; null: there is none. */
  private async updateItems(
    tx: Tx,
    failure: CommonFailure | null,
    isOver: boolean,
  ): Promise<string | null> {
    if (failure !== null) {
      const item = { subject: `model:${failure.reason}`, reason: sentenceOf(failure) };
      await this.attention.raiseModelItem(tx, item, REST_MS);
      return null;
    }
    const open = await this.attention.listModelItems(tx);
    if (!isOver) return open[0]?.reason ?? null;
    for (const { subject } of open) await this.attention.settle(tx, subject, SUCCEEDS);
    return null;
  }
}

/** Long enough for some answers of a quiet installation, short enough to be about now. */
const WINDOW_MS = 300_000;
/** Of these the newest count, so that a busy installation notices a failure, and its end, in seconds. */
const REQUESTS = 20;
/** A person who has closed the item is told again after this time, if it still fails. */
const REST_MS = 3_600_000;

const ADVICE =
  `Interviews go on with the scripted interviewer; "${COMMAND} doctor" sends one request and says what the ` +
  `server cannot do, and "${COMMAND} attention" lists the answers`;
const SUCCEEDS = 'requests to the model succeed again';

/** One reason for which most of the newest requests failed. */
export interface CommonFailure {
  readonly reason: RecentOutcome['outcome'];
  readonly detail: string | null;
  /** Requests that failed for it, out of `of`. */
  readonly count: number;
  readonly of: number;
}

/** One answer fails at most three or four times, so that fewer failures may be its own fault. */
const MIN_FAILED = 5;
const MIN_ANSWERS = 2;

/** Null: no reason alone explains more than half of the requests, or there are too few to tell. */
export function commonFailure(outcomes: readonly RecentOutcome[]): CommonFailure | null {
  const of = totalOf(outcomes);
  const common = outcomes.find(
    ({ outcome, count, answers }) =>
      outcome !== 'ok' && count * 2 > of && count >= MIN_FAILED && answers >= MIN_ANSWERS,
  );
  if (common === undefined) return null;
  const { outcome: reason, detail, count } = common;
  return { reason, detail, count, of };
}

function totalOf(outcomes: readonly RecentOutcome[]): number {
  return outcomes.reduce((sum, { count }) => sum + count, 0);
}

/** At least half of the newest requests, and not none, have succeeded. */
export function succeedsAgain(outcomes: readonly RecentOutcome[]): boolean {
  const succeeded = outcomes.find(({ outcome }) => outcome === 'ok')?.count ?? 0;
  return succeeded > 0 && succeeded * 2 >= totalOf(outcomes);
}

function sentenceOf({ reason, detail, count, of }: CommonFailure): string {
  const what = detail === null ? reason : `${reason} (${detail})`;
  const minutes = String(WINDOW_MS / 60_000);
  return `${String(count)} of the last ${String(of)} requests to the model in ${minutes} minutes ended with ${what}`;
}
