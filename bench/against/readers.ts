/** The memory of idle streams, and of replies that are being written: NAME `readers`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../lib/processes';
import { Candidates } from './candidates';
import type { Contest } from './contest';
import {
  alternate,
  type Compared,
  type Comparison,
  type Measured,
  type Side,
  SIDES,
} from './rounds';

const IDLE = 2000;
const WARM = 200;
const WRITTEN = 200;
/** A reply of 15 s goes on while its memory is read, and has ended when the server stops. */
const DELTAS = 300;
const WRITING_MS = 3000;
const REST_MS = 15_000;
const SETTLE_MS = 2000;
const QUESTIONS = 30;

/** Each block has a server of its own, because a process does not give back all memory. */
export const readers: Compared<Contest> = { deltas: DELTAS, compare };

async function compare(contest: Contest, rounds: number): Promise<Comparison> {
  const loads = { before: await Candidates.start(), after: await Candidates.start() };
  try {
    for (const side of SIDES) {
      const running = await contest.start(side);
      const invite = contest.importVacancy(side, QUESTIONS);
      await loads[side].ask({ do: 'arrive', url: running.url, invite, count: IDLE });
      await running.stop();
    }
    const block = (side: Side): Promise<Measured> => blockOf(contest, side, loads[side]);
    return {
      quantities: [
        { name: 'idle stream', unit: 'kB' },
        { name: 'reply being written', unit: 'kB' },
      ],
      rounds: await alternate(rounds, block),
      notes: [
        `${IDLE} idle streams, ${WRITTEN} replies at a time, resident memory after a full collection; each block has a server of its own`,
      ],
    };
  } finally {
    for (const side of SIDES) await loads[side].stop();
  }
}

async function blockOf(contest: Contest, side: Side, load: Candidates): Promise<Measured> {
  const running = await contest.start(side);
  try {
    const { url, pid } = running;
    // The first requests fill the server's caches, which is not the cost of a stream.
    await load.ask({ do: 'read', url, count: WARM });
    await load.ask({ do: 'leave' });
    const empty = await settledBytes(pid);
    await load.ask({ do: 'read', url, count: IDLE });
    const reading = await settledBytes(pid);
    await load.ask({ do: 'leave' });
    await load.ask({ do: 'read', url, count: WRITTEN });
    const waiting = await settledBytes(pid);
    await load.ask({ do: 'write', url });
    await sleep(WRITING_MS);
    const writing = await settledBytes(pid);
    await sleep(REST_MS);
    await load.ask({ do: 'leave' });
    return {
      'idle stream': (reading - empty) / IDLE / 1000,
      'reply being written': (writing - waiting) / WRITTEN / 1000,
    };
  } finally {
    await running.stop();
  }
}

async function settledBytes(pid: number): Promise<number> {
  await sleep(SETTLE_MS);
  process.kill(pid, 'SIGUSR2');
  await sleep(SETTLE_MS);
  return residentBytes(pid);
}
