import type { Clock } from '../../src/common/clock';
import type { Settings } from '../../src/common/config';
import { Metrics } from '../../src/common/metrics';
import type { Tx, UnitsOfWork } from '../../src/common/uow';
import { type Claim, type LaneHandler, type LaneName, TaskWorker, Tasks } from '../../src/jobs';
import type { ClaimConnection } from '../../src/jobs/claim-connection';
import { ClaimPass } from '../../src/jobs/claim-pass';
import { Claims } from '../../src/jobs/claims';
import { Contact } from '../../src/jobs/contact';
import { Heartbeat } from '../../src/jobs/heartbeat';
import { HeldClaims } from '../../src/jobs/held-claims';
import { LaneBreakers } from '../../src/jobs/lane-breakers';
import { LaneRegistry } from '../../src/jobs/lane-registry';
import { ReplicaId } from '../../src/jobs/replica-id';
import { TaskEndings } from '../../src/jobs/task-endings';
import { TaskMetrics } from '../../src/jobs/task-metrics';
import { TaskRunner } from '../../src/jobs/task-runner';
import { settingsForTests } from './settings';

/** One process's share of src/tasks, wired as TasksModule does it. Its worker is not started. */
export interface TaskRig {
  readonly tasks: Tasks;
  readonly worker: TaskWorker;
  readonly registry: LaneRegistry;
  readonly breakers: LaneBreakers;
  readonly held: HeldClaims;
  readonly claims: Claims;
  readonly replica: ReplicaId;
  readonly metrics: Metrics;
}

export function taskRig(options: {
  units: UnitsOfWork;
  control: ClaimConnection;
  clock: Clock;
  settings?: Settings;
}): TaskRig {
  const { units, control, clock } = options;
  const settings = options.settings ?? settingsForTests();
  const metrics = new Metrics();
  const registry = new LaneRegistry();
  const held = new HeldClaims();
  const breakers = new LaneBreakers(clock);
  const replica = new ReplicaId();
  const contact = new Contact(control, clock, settings);
  const claims = new Claims(control, contact, clock, settings, replica);
  const taskMetrics = new TaskMetrics(metrics, registry, held, breakers);
  const endings = new TaskEndings(units, clock);
  const runner = new TaskRunner(registry, held, breakers, endings, taskMetrics, clock, settings);
  const heartbeat = new Heartbeat(claims, held, contact, clock, settings);
  const pass = new ClaimPass(claims, heartbeat, held, registry, breakers, runner, clock);
  const worker = new TaskWorker(
    pass,
    heartbeat,
    claims,
    contact,
    runner,
    held,
    breakers,
    taskMetrics,
    clock,
    settings,
  );
  const tasks = new Tasks(clock, held, replica);
  return { tasks, worker, registry, breakers, held, claims, replica, metrics };
}

/** A handler that does `run` and counts nothing else; its tasks are dead after `maxFailures`. */
export function laneHandler(
  handler: Pick<LaneHandler, 'lane' | 'run'> & Partial<LaneHandler>,
): LaneHandler {
  return {
    concurrency: 10,
    maxFailures: 3,
    onDead: () => Promise.resolve(),
    ...handler,
  };
}

/** One commit of its own. */
export function inCommit<T>(units: UnitsOfWork, work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commit('test', work));
}

/** A run that completes its task at once. */
export function completing(rig: TaskRig, units: UnitsOfWork): (claim: Claim) => Promise<void> {
  return (claim) => inCommit(units, (tx) => rig.tasks.complete(tx, claim));
}

/** A task due in `dueInMs`; answers its id. */
export async function addTask(
  rig: TaskRig,
  units: UnitsOfWork,
  task: { lane: LaneName; key: string; dueInMs?: number; payload?: unknown },
): Promise<string> {
  const upserted = await inCommit(units, (tx) => rig.tasks.upsert(tx, { dueInMs: 0, ...task }));
  return upserted.taskId;
}

/** Something that happens later; a test waits for it instead of sleeping. */
export interface Gate<T = void> {
  readonly opened: Promise<T>;
  open(value: T): void;
}

export function gate<T = void>(): Gate<T> {
  let open: (value: T) => void = () => undefined;
  const opened = new Promise<T>((resolve) => {
    open = resolve;
  });
  return {
    opened,
    open: (value) => {
      open(value);
    },
  };
}
