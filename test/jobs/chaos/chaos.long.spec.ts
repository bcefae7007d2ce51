import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { SystemClock } from '../../../src/common/clock';
import { openTestDatabase, type TestDatabase } from '../../support/app-database';
import { type JobRig, inCommit, jobRig } from '../../support/jobs';
import { seededRandom } from './seeded-random';

/**
 * Three worker processes, killed and frozen at random for 20 s while events arrive. Afterwards
 * each event and each job that shares its commit has exactly one effect, and no two jobs of the same key ever ran at the same time.
 */
const CHAOS_MS = 20_000;
const SETTLE_MS = 60_000;
const WORKERS = 3;
const KEYS = 25;
/** Jobs that are stored with each event and share their commits. */
const SHARED = 5;

const seed = Number(process.env['CHAOS_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const clock = new SystemClock();
let db: TestDatabase<SystemClock>;
let rig: JobRig;
let fleet: WorkerFleet;

beforeAll(async () => {
  db = await openTestDatabase(clock);
  rig = jobRig(db);
  await query(`
    create table event (id bigint generated always as identity primary key, key text not null,
      job_id bigint not null);
    create table step (seq bigint generated always as identity primary key, job_id bigint not null,
      claim_no int not null, key text not null, kind text not null);
    create table effect (event_id bigint not null, job_id bigint not null, claim_no int not null);
    create table shared_effect (job_id bigint not null, claim_no int not null)`);
  fleet = new WorkerFleet(db.url, { size: WORKERS, seed });
});
afterAll(async () => {
  fleet.destroy();
  await db.close();
});

function query<Row>(text: string): Promise<Row[]> {
  return db.dataSource.query<Row[]>(text);
}

/** Adds an event to the buffer of its key, in one commit with the timer, as a message is appended. */
async function append(random: () => number): Promise<void> {
  const key = `key ${Math.floor(random() * KEYS)}`;
  const dueInMs = 20 + random() * 150;
  await inCommit(db.units, async (tx) => {
    const { jobId } = await rig.jobs.enqueue(tx, { queue: 'flush', key, dueInMs });
    await tx.query('insert into event (key, job_id) values ($1, $2)', [key, jobId]);
  });
}

async function produce(signal: AbortSignal): Promise<void> {
  const random = seededRandom(seed);
  for (let n = 0; !signal.aborted; n += 1) {
    await append(random);
    const many = Array.from({ length: SHARED }, (_, m) => `shared ${n * SHARED + m}`);
    await inCommit(db.units, (tx) =>
      rig.jobs.enqueueAll(tx, { queue: 'test-shared', keys: many, dueInMs: 0 }),
    );
    await clock.sleep(random() * 12);
  }
}

async function wreakHavoc(signal: AbortSignal): Promise<void> {
  const random = seededRandom(seed + 1_000_000);
  while (!signal.aborted) {
    const index = Math.floor(random() * WORKERS);
    if (random() < 0.4) fleet.kill(index);
    else {
      fleet.freeze(index);
      await clock.sleep(100 + random() * 2500, signal);
      fleet.thaw(index);
    }
    await clock.sleep(random() * 500, signal);
  }
}

/** How many events and live jobs still wait for their effect. */
async function unsettled(): Promise<number> {
  const [row] = await query<{ count: string }>(
    `select (select count(*) from event where id not in (select event_id from effect))
       + (select count(*) from job where state in ('open', 'running', 'retry')) as count`,
  );
  return Number(row?.count);
}

test(
  'each event has exactly one effect, and jobs of the same key never run at the same time',
  async () => {
    process.stderr.write(`chaos seed ${seed} (repeat with CHAOS_SEED=${seed})\n`);
    await fleet.whenReady();
    const over = new AbortController();
    const working = [produce(over.signal), wreakHavoc(over.signal)];
    await clock.sleep(CHAOS_MS);
    over.abort();
    await Promise.all(working);

    const settled = clock.monotonicMs() + SETTLE_MS;
    while ((await unsettled()) > 0 && clock.monotonicMs() < settled) await clock.sleep(100);

    process.stderr.write(`${await summary()}\n`);

    expect(await unsettled()).toBe(0);
    expect(await effectsPerEvent()).toEqual([{ times: '1' }]);
    expect(await query(`select id, last_error from job where state = 'dead'`)).toEqual([]);
    expect(await overlaps()).toEqual([]);
    expect(await effectsPerSharedJob()).toEqual([{ times: '1' }]);
    expect(fleet.kills).toBeGreaterThan(2);
    expect(fleet.freezes).toBeGreaterThan(2);
    await fleet.whenReady();
    expect(await fleet.end()).toEqual([0, 0, 0]);
  },
  CHAOS_MS + SETTLE_MS + 30_000,
);

/** The number of effects per event; one row if it is the same for all events. */
function effectsPerEvent(): Promise<{ times: string }[]> {
  return query(
    `select distinct count(f.event_id) as times
     from event e left join effect f on f.event_id = e.id group by e.id`,
  );
}

/** The same per job that shares its commit. */
function effectsPerSharedJob(): Promise<{ times: string }[]> {
  return query(
    `select distinct count(f.job_id) as times
     from job j left join shared_effect f on f.job_id = j.id
     where j.queue = 'test-shared' group by j.id`,
  );
}

async function summary(): Promise<string> {
  const [row] = await query<{ line: string }>(
    `select format('%s events in %s jobs, %s claims; left behind: %s claims after their open',
       (select count(*) from event), count(*), sum(claim_no),
       (select count(*) from step where kind = 'open') - (select count(*) from step where kind = 'close')
     ) as line from job`,
  );
  return `${row?.line ?? ''}; ${fleet.kills} kills, ${fleet.freezes} freezes`;
}

interface Step {
  readonly seq: string;
  readonly key: string;
  readonly job_id: string;
  readonly claim_no: number;
  readonly kind: 'open' | 'close';
}

/** Steps that overlap a step of another job of the key or of an older claim. */
async function overlaps(): Promise<string[]> {
  const open = new Map<string, Step>();
  const found: string[] = [];
  for (const step of await query<Step>('select * from step order by seq')) {
    const current = open.get(step.key);
    const isNext =
      step.kind === 'open'
        ? current === undefined ||
          (current.job_id === step.job_id && current.claim_no < step.claim_no)
        : current?.job_id === step.job_id && current.claim_no === step.claim_no;
    if (!isNext) found.push(`${JSON.stringify(step)} during ${JSON.stringify(current)}`);
    if (step.kind === 'open') open.set(step.key, step);
    else open.delete(step.key);
  }
  return found;
}

const PROGRAM = path.join(__dirname, 'worker-process.ts');
const HOOK = path.join(__dirname, '../../../tools/support/swc-register.cjs');

interface Member {
  process: ChildProcess;
  isReady: boolean;
  isFrozen: boolean;
}

/** Real worker processes that are killed, frozen and thawed, and never fewer than `size`. */
class WorkerFleet {
  private readonly members: Member[] = [];
  private seed: number;
  kills = 0;
  freezes = 0;

  constructor(
    private readonly url: string,
    options: { size: number; seed: number },
  ) {
    this.seed = options.seed;
    for (let n = 0; n < options.size; n += 1) this.members.push(this.spawn());
  }

  /** Replaces a process by kill -9; does nothing while the process still starts. */
  kill(index: number): void {
    const member = this.at(index);
    if (!member.isReady) return;
    this.kills += 1;
    member.process.kill('SIGKILL');
    this.members[index] = this.spawn();
  }

  freeze(index: number): void {
    const member = this.at(index);
    if (!member.isReady || member.isFrozen) return;
    this.freezes += 1;
    member.isFrozen = true;
    member.process.kill('SIGSTOP');
  }

  thaw(index: number): void {
    const member = this.at(index);
    member.isFrozen = false;
    member.process.kill('SIGCONT');
  }

  async whenReady(): Promise<void> {
    for (const member of this.members) {
      if (!member.isReady) await once(member.process, 'message');
    }
  }

  /** Drains all processes; returns their exit codes. */
  async end(): Promise<(number | null)[]> {
    return Promise.all(
      this.members.map(async ({ process: child }) => {
        if (child.exitCode !== null) return child.exitCode;
        const exited = once(child, 'exit');
        child.kill('SIGCONT');
        child.kill('SIGTERM');
        await exited;
        return child.exitCode;
      }),
    );
  }

  destroy(): void {
    for (const { process: child } of this.members) child.kill('SIGKILL');
  }

  private at(index: number): Member {
    const member = this.members[index];
    if (member === undefined) throw new RangeError(`no worker ${index}`);
    return member;
  }

  private spawn(): Member {
    this.seed += 1;
    const child = fork(PROGRAM, [this.url, String(this.seed)], {
      execArgv: ['-r', HOOK],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const member: Member = { process: child, isReady: false, isFrozen: false };
    child.once('message', () => {
      member.isReady = true;
    });
    return member;
  }
}
