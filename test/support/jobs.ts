import type { Clock } from '../../src/common/clock';
import type { Settings } from '../../src/common/config';
import { Metrics } from '../../src/common/metrics';
import type { Tx, UnitOfWorkFactory } from '../../src/common/uow';
import { type Claim, type JobHandlerClass, JobWorker, Jobs, type QueueName } from '../../src/jobs';
import { type ClaimedQueue, ClaimRepository } from '../../src/jobs/claim.repository';
import { ReplicaId } from '../../src/jobs/replica-id';
import { type ClaimConnection, TakeoverGuard } from '../../src/jobs/takeover-guard';
import { JobRepository } from '../../src/jobs/job.repository';
import { ClaimCycle } from '../../src/jobs/claim-cycle';
import { Heartbeat } from '../../src/jobs/heartbeat';
import { HeldJobs } from '../../src/jobs/held-jobs';
import { QueueBreakers } from '../../src/jobs/breakers';
import { JobHandler, type JobOptions, JobRegistry } from '../../src/jobs/job';
import { JobWakeSignal } from '../../src/jobs/jobs.service';
import { JobEndings } from '../../src/jobs/job-endings';
import { JobRunner } from '../../src/jobs/job-runner';
import { JobMetrics } from '../../src/jobs/job.metrics';
import { settingsForTests } from './settings';

declare module '../../src/jobs' {
  interface QueueNames {
    [queue: `test-${string}`]: JobHandlerClass;
  }
}

/** A row of the table `job`. */
export interface JobRow {
  readonly id: string;
  readonly queue: QueueName;
  readonly key: string;
  readonly state: string;
  readonly due_at: Date | null;
  readonly leased_until: Date | null;
  readonly check_at: Date;
  readonly quiet_at: Date;
  readonly first_at: Date;
  readonly claim_no: number;
  readonly claims_without_progress: number;
  readonly failures: number;
  readonly given_back: number;
  readonly given_back_since: Date | null;
  readonly count: number;
  readonly chars: number;
  readonly pending: number;
  readonly finished: boolean;
  readonly payload: unknown;
  readonly worker: string | null;
  readonly last_error: string | null;
}

/** What a process has of its own, where another process on the same database has other ones. */
export interface ProcessConnections {
  readonly units?: UnitOfWorkFactory;
  readonly control?: ClaimConnection;
}

/** src/jobs in one process, wired as JobsModule does it. The worker is not started. */
export interface JobRig {
  readonly jobs: Jobs;
  readonly worker: JobWorker;
  readonly registry: JobRegistry;
  readonly breakers: QueueBreakers;
  readonly held: HeldJobs;
  readonly claims: ClaimRepository;
  readonly rows: JobRepository;
  readonly replica: ReplicaId;
  readonly metrics: Metrics;
}

export function jobRig(
  process: Required<ProcessConnections> & { clock: Clock },
  {
    units = process.units,
    control = process.control,
    settings = settingsForTests(),
  }: ProcessConnections & { settings?: Settings | undefined } = {},
): JobRig {
  const { clock } = process;
  const metrics = new Metrics();
  const registry = new JobRegistry(settings);
  const held = new HeldJobs();
  const breakers = new QueueBreakers(clock);
  const replica = new ReplicaId();
  const wakeSignal = new JobWakeSignal();
  const guard = new TakeoverGuard(control, clock, settings);
  const claims = new ClaimRepository(control, guard, clock, settings, replica);
  const jobMetrics = new JobMetrics(metrics, registry, held, breakers);
  const rows = new JobRepository(clock, replica);
  const endings = new JobEndings(units, rows);
  const runner = new JobRunner(
    registry,
    held,
    breakers,
    endings,
    units,
    jobMetrics,
    clock,
    settings,
  );
  const heartbeat = new Heartbeat(claims, held, guard, clock, settings);
  const pass = new ClaimCycle(claims, heartbeat, held, registry, breakers, runner, clock);
  const worker = new JobWorker(
    pass,
    heartbeat,
    runner,
    wakeSignal,
    breakers,
    jobMetrics,
    clock,
    settings,
  );
  const jobs = new Jobs(rows, held, wakeSignal, settings);
  return { jobs, worker, registry, breakers, held, claims, rows, replica, metrics };
}

/** A handler of a queue that does `run` and nothing else; its jobs are dead after `maxFailures`. */
export function jobHandler({
  queue,
  concurrency = 10,
  maxFailures = 3,
  sharesCommits = false,
  single = false,
  drain = 'first',
  ...handler
}: Pick<JobHandlerClass, 'run'> &
  Partial<JobHandlerClass> &
  Partial<JobOptions> & { queue: QueueName }): JobHandlerClass {
  @JobHandler(queue, { concurrency, maxFailures, sharesCommits, single, drain })
  class TestHandler implements JobHandlerClass {
    readonly run = handler.run;
    readonly onDead = handler.onDead ?? (() => Promise.resolve());
    readonly stillNeeded = handler.stillNeeded ?? (() => Promise.resolve([]));
  }
  return new TestHandler();
}

/** A queue as claims name it. Only `notion-sync` runs a single job at a time. */
export function queueOf(queue: QueueName): ClaimedQueue {
  return { queue, single: queue === 'notion-sync' };
}

/** Runs `work` in a commit of its own. */
export function inCommit<T>(units: UnitOfWorkFactory, work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commit('test', work));
}

/** A run that completes its job at once. */
export function completing(rig: JobRig, units: UnitOfWorkFactory): (claim: Claim) => Promise<void> {
  return (claim) => inCommit(units, (tx) => rig.jobs.complete(tx, claim));
}

/** Enqueues a job that is due in `dueInMs`; returns its id. */
export async function addJob(
  rig: JobRig,
  units: UnitOfWorkFactory,
  job: { queue: QueueName; key: string; dueInMs?: number; payload?: unknown },
): Promise<string> {
  const upserted = await inCommit(units, (tx) => rig.jobs.enqueue(tx, { dueInMs: 0, ...job }));
  return upserted.jobId;
}
