import type { TestDatabase } from '../app-database';
import { inCommit } from '../jobs';
import { RANKED, StandInRun, scheduleProcess } from './schedule-process';

interface CrowdPlan {
  /** With the noisy one. */
  readonly people: number;
  /** Runs that are looked at, after the crowd's first. */
  readonly runs: number;
  /** A run on any board takes so long. */
  readonly runMs: number;
  /** Between two changes of each quiet person's board; the noisy one's changes before every run. */
  readonly changeEveryMs: number;
}

interface CrowdWaits {
  readonly longestMs: number;
  readonly meanMs: number;
  /** Of the noisy person's board alone. */
  readonly noisyMeanMs: number;
  /** By the noisy person, of all that were looked at. */
  readonly noisyRuns: number;
}

/**
 * One noisy person among many, on the fake clock and the real statements: how long boards that are
 * ready wait for their run. The crowd is spread over its first interval, so that the queue is as
 * it is on any day; the worker is never idle where there are more changes than it can work off.
 */
export async function waitsInCrowd(db: TestDatabase, plan: CrowdPlan): Promise<CrowdWaits> {
  const { clock } = db;
  const boards = new StandInRun();
  boards.behave = () => {
    clock.advance(plan.runMs);
    return RANKED;
  };
  const { rig, schedule } = scheduleProcess(db, boards);
  const mark = (users: readonly string[]): Promise<void> =>
    inCommit(db.units, (tx) => schedule.mark(tx, users, 'event'));
  const nextChangeMs = Array.from(
    { length: plan.people },
    (_, n) => clock.monotonicMs() + (n * plan.changeEveryMs) / plan.people,
  );
  const waits: { user: number; ms: number }[] = [];

  const changesUntilNow = async (): Promise<void> => {
    const nowMs = clock.monotonicMs();
    const changed = nextChangeMs.flatMap((atMs, n) => (n === NOISY || atMs <= nowMs ? [n] : []));
    for (const n of changed) nextChangeMs[n] = nowMs + plan.changeEveryMs;
    await mark(changed.map(personId));
  };
  for (let run = 0; run < plan.people + plan.runs;) {
    await changesUntilNow();
    const claimedAtMs = clock.now().getTime();
    const due = await db.dataSource.query<{ key: string; due: Date }[]>(
      `select key, due_at as due from job
       where queue = 'notion-sync' and state in ('open', 'retry') and due_at <= $1
       order by due_at limit 1`,
      [clock.now()],
    );
    const [first] = due;
    if (first === undefined) {
      clock.advance(plan.runMs);
      continue;
    }
    await rig.worker.tick();
    await rig.worker.waitUntilSettled(Infinity);
    run += 1;
    if (run <= plan.people) continue;
    const key = boards.began.at(-1) ?? '';
    waits.push({ user: numberOf(key), ms: claimedAtMs - first.due.getTime() });
  }
  return summaryOf(waits);
}

/** Whose board changes all the time. */
const NOISY = 0;
const personId = (n: number): string => `00000000-0000-4000-9000-${String(n).padStart(12, '0')}`;
const numberOf = (id: string): number => Number(id.slice(-12));

function summaryOf(waits: readonly { user: number; ms: number }[]): CrowdWaits {
  const noisy = waits.filter(({ user }) => user === NOISY);
  return {
    longestMs: Math.max(...waits.map(({ ms }) => ms)),
    meanMs: meanOf(waits),
    noisyMeanMs: meanOf(noisy),
    noisyRuns: noisy.length,
  };
}

function meanOf(waits: readonly { ms: number }[]): number {
  return waits.reduce((sum, { ms }) => sum + ms, 0) / Math.max(1, waits.length);
}
