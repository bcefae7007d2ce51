import { Injectable, Logger } from '@nestjs/common';
import type { Counter, Gauge, Histogram } from 'prom-client';
import { describeError } from '../../common/errors';
import { Metrics } from '../../common/metrics';
import { UnitOfWorkFactory } from '../../common/uow';
import type { MarkCause } from './board-schedule';
import type { EndedRun } from './schedule.repository';
import { BoardQueueRepository } from './board-queue.repository';

const WAIT_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600];

/** Metrics of all boards together; those of one person are in the view `notion_user_status`. */
@Injectable()
export class ScheduleMetrics {
  private readonly logger = new Logger('NotionSync');
  private readonly marks: Counter<'cause' | 'effect'>;
  private readonly runs: Counter<'end'>;
  private readonly pages: Counter<'outcome'>;
  private readonly readyAfter: Histogram;
  private readonly waits: Histogram;
  private readonly durations: Histogram;

  constructor(
    metrics: Metrics,
    private readonly units: UnitOfWorkFactory,
    private readonly queue: BoardQueueRepository,
  ) {
    this.marks = metrics.counter(
      'notion_boards_marked_total',
      'Requests to rank boards, by cause and effect: enqueued, joined, skipped',
      ['cause', 'effect'],
    );
    this.runs = metrics.counter(
      'notion_runs_total',
      'Runs on boards by how they ended: ranked, partly, braked, refused, failed, dead',
      ['end'],
    );
    this.pages = metrics.counter(
      'notion_pages_total',
      'Ranked tasks by the outcome of their pages: written, skipped (unchanged), dropped',
      ['outcome'],
    );
    this.readyAfter = metrics.histogram(
      'notion_time_to_ready_seconds',
      'Time from the first change of a board until it is ready',
      [],
      WAIT_SECONDS,
    );
    this.waits = metrics.histogram(
      'notion_queue_wait_seconds',
      'Time from a ready board to its run',
      [],
      WAIT_SECONDS,
    );
    this.durations = metrics.histogram(
      'notion_run_seconds',
      'Duration of a run, from the query to the last write',
      [],
      WAIT_SECONDS,
    );
    metrics.gauge(
      'notion_queue_boards',
      'Boards that wait for quiet or a retry (waiting), or for the worker (ready)',
      ['state'],
      (gauge) => this.measure(gauge),
    );
  }

  marked(cause: MarkCause, effect: 'enqueued' | 'joined' | 'skipped', count: number): void {
    if (count > 0) this.marks.inc({ cause, effect }, count);
  }

  ended({ end, timeToReadyMs, queueWaitMs, runMs }: EndedRun): void {
    const { processed, updated, dropped } = end.counts;
    this.runs.inc({ end: end.kind });
    this.pages.inc({ outcome: 'written' }, updated);
    this.pages.inc({ outcome: 'dropped' }, dropped);
    if (end.kind === 'ranked') {
      this.pages.inc({ outcome: 'skipped' }, Math.max(0, processed - updated - dropped));
    }
    this.readyAfter.observe(timeToReadyMs / 1000);
    this.waits.observe(queueWaitMs / 1000);
    this.durations.observe(runMs / 1000);
  }

  /** `failed`: it is tried again. */
  runFailed(end: 'failed' | 'dead'): void {
    this.runs.inc({ end });
  }

  /** A failure of the database does not fail the scrape; the figures then stay as they were. */
  private async measure(gauge: Gauge<'state'>): Promise<void> {
    try {
      const { waiting, ready } = await this.units.run('notion.measure', (uow) =>
        uow.commitOne('notion.measure', (tx) => this.queue.depth(tx)),
      );
      gauge.set({ state: 'waiting' }, waiting);
      gauge.set({ state: 'ready' }, ready);
    } catch (error) {
      this.logger.debug(`waiting boards could not be counted: ${describeError(error)}`);
    }
  }
}
