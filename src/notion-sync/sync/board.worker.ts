import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import {
  type Claim,
  type DeadJob,
  JobHandler,
  type JobHandlerClass,
  type JobFlow,
  Jobs,
} from '../../jobs';
import { type BoardFlow, type BoardRun, BoardRunner, type ReadyBoard } from './board-runner';
import { BoardLog } from './board-log';
import { type BegunRun, BoardSchedule } from './board-schedule';
import { BOARDS_AHEAD } from './read-ahead';
import { ScheduleRepository, type EndedRun, type StoredRun } from './schedule.repository';
import { ScheduleMetrics } from './schedule.metrics';

declare module '../../jobs' {
  interface QueueNames {
    'notion-sync': BoardWorker;
  }
}

/** The board's own failures; an outage of Notion is not counted. */
const MAX_FAILURES = 5;

/**
 * The queue `notion-sync`, one job for each board, one running job in the whole cluster.
 *
 *   claim ─> notion.begin (commit) ─> BoardRunner, no connection held ─> notion.end (commit)
 *
 * This run covers every request for the board before `notion.begin`; a later request opens a row at
 * the end of the queue. `notion.end` stores the figures, queues what is left, and completes the job.
 * A crash before `notion.end` repeats the run, which is safe because it writes absolute values.
 */
@Injectable()
@JobHandler('notion-sync', { concurrency: 1, maxFailures: MAX_FAILURES, single: true })
export class BoardWorker implements JobHandlerClass {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly jobs: Jobs,
    private readonly schedule: BoardSchedule,
    private readonly users: ScheduleRepository,
    private readonly log: BoardLog,
    private readonly metrics: ScheduleMetrics,
    private readonly clock: Clock,
    @Inject(BoardRunner) private readonly boards: BoardRun,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const { uow, signal } = flow;
    this.log.dequeued(claim.key, { isTakenOver: claim.takenOver });
    const begun = await uow.commitUntilStored(
      'notion.begin',
      signal,
      (tx) => this.schedule.begin(tx, claim),
      'statement',
    );
    this.log.started(claim.key);
    const run = await this.runBoard(this.boardFlowOf(claim, flow, begun));
    const ended = { ...run, queueWaitMs: begun.queueWaitMs, timeToReadyMs: timeToReadyMsOf(claim) };
    const stored = await uow.commitUntilStored(
      'notion.end',
      signal,
      (tx) => this.jobs.completeBy(claim, () => this.users.end(tx, claim, ended)),
      'statement',
    );
    this.report(claim.key, ended, stored);
  }

  async onDead(tx: Tx, { key, error }: DeadJob): Promise<void> {
    await this.users.storeDead(tx, key, error);
    await this.boards.givenUp(tx, key, error);
    tx.afterCommit(() => {
      this.metrics.runFailed('dead');
    });
  }

  private async runBoard(flow: BoardFlow): Promise<Pick<EndedRun, 'end' | 'runMs'>> {
    const startedMs = this.clock.monotonicMs();
    try {
      const end = await this.boards.run(flow);
      return { end, runMs: this.clock.monotonicMs() - startedMs };
    } catch (error) {
      this.metrics.runFailed('failed');
      throw error;
    }
  }

  private boardFlowOf(claim: Claim, flow: JobFlow, { isAskedAgain, request }: BegunRun): BoardFlow {
    return {
      userId: claim.key,
      uow: flow.uow,
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
    return this.units.run('notion.next', (own) =>
      own.commitOne('notion.next', (tx) => this.schedule.nextReady(tx, userId, most)),
    );
  }

  private report(userId: string, ended: EndedRun, stored: StoredRun): void {
    if (stored.isRestNew !== null) this.schedule.queuedRest(userId, stored.isRestNew);
    this.metrics.ended(ended);
    this.log.finished(userId, ended, stored.reruns);
    if (stored.isRequeued) this.log.requeued(userId);
    const { kind, reason } = ended.end;
    if (kind === 'refused' && !stored.isRepeated) this.log.refused(userId, reason ?? 'no reason');
  }
}

function timeToReadyMsOf({ dueAt, firstAt }: Claim): number {
  return Math.max(0, dueAt.getTime() - firstAt.getTime());
}
