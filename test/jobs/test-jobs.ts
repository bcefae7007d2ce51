import type { Settings } from '../../src/common/config';
import { type DatabasePool, TestDatabase, openPool } from '../support/app-database';
import { type JobRig, type JobRow, addJob, jobRig } from '../support/jobs';
import type { ClaimConnection } from '../../src/jobs/takeover-guard';

/** A database on fake time and workers on it; the first one uses `control`. */
export class TestJobs extends TestDatabase {
  readonly rig: JobRig;

  private constructor(pool: DatabasePool, settings?: Settings) {
    super(pool);
    this.rig = jobRig(this, { control: established(this.control), settings });
  }

  static async open(settings?: Settings): Promise<TestJobs> {
    return new TestJobs(await openPool(), settings);
  }

  /** The worker of another process. */
  another(): JobRig {
    return jobRig(this, { control: established(this.anotherControl()) });
  }

  /** Empties the tables between tests. */
  async reset(): Promise<void> {
    await this.sql('truncate job, turn cascade');
  }

  add(job: Parameters<typeof addJob>[2]): Promise<string> {
    return addJob(this.rig, this.units, job);
  }

  row(jobId: string): Promise<JobRow> {
    return this.one<JobRow>('select * from job where id = $1', [jobId]);
  }

  /** Milliseconds from the fake now until the job is due, or its lease ends. */
  async dueInMs(jobId: string): Promise<number> {
    const { due_at, leased_until } = await this.row(jobId);
    if (due_at === null) throw new Error(`job ${jobId} has no due time`);
    const endMs = Math.max(due_at.getTime(), leased_until?.getTime() ?? 0);
    return endMs - this.clock.now().getTime();
  }
}

/** As if the worker had been connected for longer than a lease, so that it may take over. */
function established(control: ClaimConnection): ClaimConnection {
  return {
    query: (text, values) => control.query(text, values),
    connectedSinceMs: () => -Infinity,
  };
}
