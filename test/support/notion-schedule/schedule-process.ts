import type { Clock } from '../../../src/common/clock';
import type { Settings } from '../../../src/common/config';
import type { Tx } from '../../../src/common/uow';
import { type BoardFlow, BoardRun, type RunEnd } from '../../../src/notion-sync/sync/board-run';
import { BoardWorker } from '../../../src/notion-sync/sync/board.worker';
import { BoardLog, BoardSchedule } from '../../../src/notion-sync/sync/board-schedule';
import { BoardQueueRepository } from '../../../src/notion-sync/sync/board-queue.repository';
import { ScheduleRepository } from '../../../src/notion-sync/sync/schedule.repository';
import { ScheduleMetrics } from '../../../src/notion-sync/sync/schedule.metrics';
import type { TestDatabase } from '../app-database';
import { settingsForTests } from '../settings';
import { type JobRig, type ProcessConnections, jobRig } from '../jobs';

/** One process's share of src/notion-sync/schedule, wired as its modules do it. */
export interface ScheduleProcess {
  readonly rig: JobRig;
  readonly schedule: BoardSchedule;
}

export function scheduleProcess(
  db: TestDatabase<Clock>,
  boards: BoardRun,
  { settings = settingsForTests(), ...own }: { settings?: Settings } & ProcessConnections = {},
): ScheduleProcess {
  const { clock } = db;
  const { units = db.units } = own;
  const rig = jobRig(db, { ...own, settings });
  const log = new BoardLog(settings);
  const boardQueue = new BoardQueueRepository(settings, rig.replica, clock);
  const metrics = new ScheduleMetrics(rig.metrics, units, boardQueue);
  const schedule = new BoardSchedule(boardQueue, rig.jobs, log, metrics);
  const users = new ScheduleRepository(clock);
  const queue = new BoardWorker(units, rig.jobs, schedule, users, log, metrics, clock, boards);
  rig.registry.register(queue);
  return { rig, schedule };
}

export const NO_COUNTS = { loaded: 0, processed: 0, updated: 0, dropped: 0, apiCalls: 1 };
export const RANKED: RunEnd = { kind: 'ranked', counts: NO_COUNTS };

/** Replaces the pipeline: records the user of each run, and ends as the test says. */
export class StandInRun extends BoardRun {
  /** Users in the order of their runs. */
  readonly began: string[] = [];
  /** Users whose boards are no longer tried. */
  readonly givenUpOn: string[] = [];
  behave: (flow: BoardFlow) => RunEnd | Promise<RunEnd> = () => RANKED;

  override async run(flow: BoardFlow): Promise<RunEnd> {
    this.began.push(flow.userId);
    return this.behave(flow);
  }

  override givenUp(_tx: Tx, userId: string): Promise<void> {
    this.givenUpOn.push(userId);
    return Promise.resolve();
  }

  forget(): void {
    this.givenUpOn.length = 0;
    this.began.length = 0;
    this.behave = () => RANKED;
  }
}
