import type { TestDatabase } from '../../test/support/app-database';
import { inCommit } from '../../test/support/jobs';
import {
  RANKED,
  StandInRun,
  scheduleProcess,
} from '../../test/notion-sync/sync/schedule/board-queue';

interface CrowdPlan {
  /** The number of people, including the noisy one. */
  readonly people: number;
  /** The number of measured runs. They follow the first run of each person. */
  readonly runs: number;
  /** The length of a run. */
  readonly runMs: number;
  /** The time between two changes of a quiet person's board. The noisy one's changes before each run. */
  readonly changeEveryMs: number;
}

interface CrowdWaits {
  readonly longestMs: number;
  readonly meanMs: number;
  /** The mean wait of the noisy person's board. */
  readonly noisyMeanMs: number;
  /** How many of the measured runs were on the noisy person's board. */
  readonly noisyRuns: number;
}

/**
 * Measures how long ready boards wait for their run when one noisy person is among many, with the
 * fake clock and the real statements. The first changes of the quiet people are spread over one
 * interval, as in normal operation. The worker is never idle while a board is ready.
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

/** The person whose board changes all the time. */
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
