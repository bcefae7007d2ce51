import type { DataSource } from 'typeorm';
import { ControlConnection } from '../../src/persistence';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { type JobRig, addJob, jobRig } from '../support/jobs';
import type { Settings } from '../../src/common/config';

export interface JobRow {
  readonly id: string;
  readonly queue: string;
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

/** A database on fake time and workers on it; the first one uses `db.control`. */
export class JobFixture {
  private readonly others: ControlConnection[] = [];

  private constructor(
    readonly db: TestDatabase,
    readonly rig: JobRig,
  ) {}

  static async open(settings?: Settings): Promise<JobFixture> {
    const db = await openTestDatabase();
    return new JobFixture(db, jobRig({ ...db, ...(settings && { settings }) }));
  }

  /** The worker of another process, with a control connection of its own. */
  another(): JobRig {
    const control = new ControlConnection(this.db.url, this.db.clock);
    this.others.push(control);
    return jobRig({ ...this.db, control });
  }

  /** Empties the tables between tests. */
  async reset(): Promise<void> {
    await this.sql('truncate job, turn cascade');
  }

  async close(): Promise<void> {
    for (const control of this.others) await control.close();
    await this.db.close();
  }

  add(job: { queue: string; key: string; dueInMs?: number; payload?: unknown }): Promise<string> {
    return addJob(this.rig, this.db.units, job);
  }

  async row(jobId: string): Promise<JobRow> {
    const [row] = await this.sql<JobRow>('select * from job where id = $1', [jobId]);
    if (row === undefined) throw new Error(`no job ${jobId}`);
    return row;
  }

  /** Milliseconds from the fake now until the job is due, or its lease ends. */
  async dueInMs(jobId: string): Promise<number> {
    const { due_at, leased_until } = await this.row(jobId);
    if (due_at === null) throw new Error(`job ${jobId} has no due time`);
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
