import { Injectable, Logger } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { Settings } from '../../common/config';
import { describeError } from '../../common/errors';
import { Drain } from '../../common/lifecycle';
import { type Tx, UnitOfWorkFactory } from '../../common/uow';
import { Jobs } from '../../jobs';
import { BoardSchedule } from './board-schedule';
import { SweepRepository } from './sweep.repository';
import { WALK_QUEUE, walkKeyOf } from './board-walk.worker';

const LOOK_MS = 5000;

/**
 * Finds what webhooks lost. Whoever was not looked at for NOTION_SWEEP_INTERVAL is put into the
 * queue, longest ago first, and only as fast as the share of the calls allows; a board on which
 * nothing changed costs its query. A walk (BoardWalkWorker) finds people whom no webhook ever named.
 */
@Injectable()
export class BoardSweep {
  private readonly logger = new Logger('NotionSync');
  private readonly settings;

  constructor(
    settings: Settings,
    private readonly units: UnitOfWorkFactory,
    private readonly table: SweepRepository,
    private readonly schedule: BoardSchedule,
    private readonly jobs: Jobs,
    private readonly drain: Drain,
  ) {
    this.settings = settings.notionSync;
  }

  @Interval(LOOK_MS)
  async runOnSchedule(): Promise<void> {
    if (this.drain.isDraining) return;
    try {
      await this.run();
    } catch (error) {
      this.logger.warn(`the sweep of boards failed; it is tried again: ${describeError(error)}`);
    }
  }

  /** Answers how many boards are looked at because of it. */
  async run(): Promise<number> {
    if (this.settings.sweepShare === 0) return 0;
    return this.units.run('notion-sweep', (uow) =>
      uow.commit('notion.sweep', (tx) => this.sweep(tx)),
    );
  }

  private async sweep(tx: Tx): Promise<number> {
    if (!(await this.table.lock(tx))) return 0;
    const key = walkKeyOf(this.settings.dataSourceId);
    if (await this.table.isWalkDue(tx, key)) {
      await this.jobs.enqueue(tx, { queue: WALK_QUEUE, key, dueInMs: 0 });
    }
    const userIds = await this.table.pick(tx);
    await this.schedule.mark(tx, userIds, 'sweep');
    return userIds.length;
  }
}
