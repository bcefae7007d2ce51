import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { Drain } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { Jobs } from '../../jobs';
import { BoardSchedule } from './board-schedule';
import { SWEEP_EVERY_MS, SweepRepository } from './sweep.repository';
import { SCAN_QUEUE, scanKeyOf } from './board-scan.worker';

/**
 * Finds changes whose webhooks were lost. It queues boards that were not checked for
 * SWEEP.intervalMs, the oldest check first, within its share of the calls; an unchanged board costs
 * one query. A scan (BoardScanWorker) finds people whom no webhook ever named.
 */
@Injectable()
export class BoardSweep {
  private readonly logger = new Logger('NotionSync');
  private readonly settings;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly sweeps: SweepRepository,
    private readonly schedule: BoardSchedule,
    private readonly jobs: Jobs,
    private readonly drain: Drain,
  ) {
    this.settings = settings.notionSync;
  }

  @Interval(SWEEP_EVERY_MS)
  async runOnSchedule(): Promise<void> {
    if (this.drain.isDraining) return;
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`the sweep of boards failed; it is tried again: ${describeError(error)}`);
    }
  }

  /** Returns how many boards it has queued. */
  async run(): Promise<number> {
    if (this.settings.sweepShare === 0) return 0;
    return this.units.run('notion.sweep', (uow) =>
      uow.commit('notion.sweep', (tx) => this.sweep(tx)),
    );
  }

  private async sweep(tx: Tx): Promise<number> {
    if (!(await this.sweeps.lock(tx))) return 0;
    const key = scanKeyOf(this.settings.dataSourceId);
    if (await this.sweeps.isScanDue(tx, key)) {
      await this.jobs.enqueue(tx, { queue: SCAN_QUEUE, key, dueInMs: 0 });
    }
    const userIds = await this.sweeps.pick(tx);
    await this.schedule.mark(tx, userIds, 'sweep');
    return userIds.length;
  }
}
