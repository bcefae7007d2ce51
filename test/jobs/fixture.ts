import type { DataSource } from 'typeorm';
import { ControlConnection } from '../../src/persistence';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { type TaskRig, addTask, taskRig } from '../support/jobs';
import type { LaneName } from '../../src/jobs';
import type { Settings } from '../../src/common/config';

export interface TaskRow {
  readonly id: string;
  readonly lane: LaneName;
  readonly key: string;
  readonly state: string;
  readonly due_at: Date | null;
  readonly leased_until: Date | null;
  readonly claim_no: number;
  readonly claims_without_progress: number;
  readonly failures: number;
  readonly given_back: number;
  readonly given_back_since: Date | null;
  readonly count: number;
  readonly payload: unknown;
  readonly worker: string | null;
  readonly last_error: string | null;
}

/** A database with fake time, and workers on it: the first shares `db.control`. */
export class TaskFixture {
  private readonly others: ControlConnection[] = [];

  private constructor(
    readonly db: TestDatabase,
    readonly rig: TaskRig,
  ) {}

  static async open(settings?: Settings): Promise<TaskFixture> {
    const db = await openTestDatabase();
    return new TaskFixture(db, taskRig({ ...db, ...(settings && { settings }) }));
  }

  /** Another process's worker, with a control connection of its own. */
  another(): TaskRig {
    const control = new ControlConnection(this.db.url, this.db.clock);
    this.others.push(control);
    return taskRig({ ...this.db, control });
  }

  /** Empties the tables of one test. */
  async reset(): Promise<void> {
    await this.sql('truncate task, turn cascade');
  }

  async close(): Promise<void> {
    for (const control of this.others) await control.close();
    await this.db.close();
  }

  add(task: { lane: LaneName; key: string; dueInMs?: number; payload?: unknown }): Promise<string> {
    return addTask(this.rig, this.db.units, task);
  }

  async row(taskId: string): Promise<TaskRow> {
    const [row] = await this.sql<TaskRow>('select * from task where id = $1', [taskId]);
    if (row === undefined) throw new Error(`no task ${taskId}`);
    return row;
  }

  /** Milliseconds from the fake now until the task is due, or its lease ends. */
  async dueInMs(taskId: string): Promise<number> {
    const { due_at, leased_until } = await this.row(taskId);
    if (due_at === null) throw new Error(`task ${taskId} has no due time`);
    const endMs = Math.max(due_at.getTime(), leased_until?.getTime() ?? 0);
    return endMs - this.db.clock.now().getTime();
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return sqlOf<Row>(this.db.dataSource, text, values);
  }
}

async function sqlOf<Row>(source: DataSource, text: string, values: unknown[]): Promise<Row[]> {
  return source.query<Row[]>(text, values);
}
