import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { ColloquyError } from '../../common/errors';
import { type Tx, type UnitOfWork, UnitOfWorkFactory } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { BOARDS_AHEAD, type BoardFlow, type BoardRun, type ReadyBoard } from './board-run';
import { BoardLog, type BegunRun, BoardSchedule } from './board-schedule';
import { BoardRunMissingError } from './errors';
import { ScheduleRepository, type EndedRun, type StoredRun } from './schedule.repository';
import { ScheduleMetrics } from './schedule.metrics';

/** Of the board itself; Notion's own trouble counts for nobody. */
const MAX_FAILURES = 5;
/** Pause before a commit that did not land is tried again. */
const RETRY_MS = 200;

/**
 * The queue `notion-sync`, a task for each board: one worker in the whole cluster.
 *
 *   claim ─> notion.begin (commit) ─> BoardRun, no connection held ─> notion.end (commit)
 *
 * What asks for the board before `notion.begin` is answered by this run, what asks later opens a
 * row at the tail. `notion.end` stores the figures, queues what is left, and completes the task. A
 * crash before it repeats the run, whose values are absolute; after it nothing is left to do.
 */
@Injectable()
@JobHandler('notion-sync', { concurrency: 1, maxFailures: MAX_FAILURES, single: true })
export class BoardWorker implements JobHandlerClass {
  private boards: BoardRun | null = null;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly schedule: BoardSchedule,
    private readonly users: ScheduleRepository,
    private readonly log: BoardLog,
    private readonly metrics: ScheduleMetrics,
    private readonly clock: Clock,
  ) {}

  /** Before the worker claims. */
  connect(boards: BoardRun): void {
    this.boards = boards;
  }

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    this.log.dequeued(claim.key, { isTakenOver: claim.takenOver });
    await this.units.run('notion-sync', async (uow) => {
      const begun = await this.untilItLands(flow, () =>
        uow.commitOne('notion.begin', (tx) => this.schedule.begin(tx, claim)),
      );
      this.log.started(claim.key);
      const run = await this.runBoard(this.boardFlowOf(uow, claim, flow, begun));
      const ended = {
        ...run,
        queueWaitMs: begun.queueWaitMs,
        timeToReadyMs: timeToReadyMsOf(claim),
      };
      const stored = await this.untilItLands(flow, () =>
        uow.commitOne('notion.end', (tx) =>
          this.jobs.completeBy(claim, () => this.users.end(tx, claim, ended)),
        ),
      );
      this.tell(claim.key, ended, stored);
    });
  }

  async onDead(tx: Tx, { key, error }: DeadJob): Promise<void> {
    await this.users.storeDead(tx, key, error);
    await this.connected.givenUp(tx, key, error);
    tx.afterCommit(() => {
      this.metrics.ranInVain('dead');
    });
  }

  private get connected(): BoardRun {
    if (this.boards === null) throw new BoardRunMissingError('no BoardRun is connected');
    return this.boards;
  }

  private async runBoard(flow: BoardFlow): Promise<Pick<EndedRun, 'end' | 'runMs'>> {
    const startedMs = this.clock.monotonicMs();
    try {
      const end = await this.connected.run(flow);
      return { end, runMs: this.clock.monotonicMs() - startedMs };
    } catch (error) {
      this.metrics.ranInVain('failed');
      throw error;
    }
  }

  private boardFlowOf(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    { isAskedAgain, request }: BegunRun,
  ): BoardFlow {
    return {
      userId: claim.key,
      uow,
      fence: (tx) => this.jobs.fence(tx, claim),
      holder: { signal: flow.signal, lease: () => this.jobs.leaseOf(claim) },
      isTakenOver: claim.takenOver,
      isAskedAgain,
      request,
      assertLease: () => {
        flow.assertLease();
      },
      peerResponded: () => {
        flow.peerResponded();
      },
      isAnotherReady: async () => (await this.nextReady(claim.key, 1)).length > 0,
      nextReady: () => this.nextReady(claim.key, BOARDS_AHEAD),
    };
  }

  /** In a unit of its own: the run may be in a commit. */
  private nextReady(userId: string, most: number): Promise<ReadyBoard[]> {
    return this.units.run('notion-next', (own) =>
      own.commitOne('notion.next', (tx) => this.schedule.nextReady(tx, userId, most)),
    );
  }

  private tell(userId: string, ended: EndedRun, stored: StoredRun): void {
    if (stored.isRestNew !== null) this.schedule.queuedRest(userId, stored.isRestNew);
    this.metrics.ended(ended);
    this.log.finished(userId, ended, stored.reruns);
    if (stored.isRequeued) this.log.requeued(userId);
    const { kind, reason } = ended.end;
    if (kind === 'refused' && !stored.isOldNews) this.log.refused(userId, reason ?? 'no reason');
  }

  /** Keeps trying from memory until another claim is seen or the drain wants the task back. */
  private async untilItLands<T>(flow: JobFlow, commit: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await commit();
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        await this.clock.sleep(RETRY_MS, flow.signal);
        flow.signal.throwIfAborted();
      }
    }
  }
}

function timeToReadyMsOf({ dueAt, firstAt }: Claim): number {
  return Math.max(0, dueAt.getTime() - firstAt.getTime());
}
