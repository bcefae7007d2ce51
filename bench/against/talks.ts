/** What replies cost and how soon their first character is seen: NAMEs `stream` and `turn`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSeconds } from '../lib/processes';
import { percentile } from '../lib/stats';
import type { Talked } from '../servers/candidates';
import { Candidates } from './candidates';
import { type Contest, type Running, secondsBetween } from './contest';
import { alternate, type Compared, type Measured, type Round, type Side, SIDES } from './rounds';

interface Talk {
  readonly candidates: number;
  /** Of one reply, 20 a second. */
  readonly deltas: number;
  /** From one message to the next one. */
  readonly everyMs: number;
  /** From the first message until nothing is written any more. */
  readonly forMs: number;
}

const STREAM: Talk = { candidates: 100, deltas: 60, everyMs: 50, forMs: 11_000 };
const TURN: Talk = { candidates: 30, deltas: 160, everyMs: 333, forMs: 21_000 };
/** A warm-up and the rounds; each block is a question. */
const MOST_QUESTIONS = 30;
const IDLE_MS = 10_000;
/** With fewer deltas than this share, replies were cut or their readers lost. */
const LEAST_SEEN = 0.95;

/** Processor time for each delta, and the time from the model to the reader. */
export const streams: Compared<Contest> = {
  deltas: STREAM.deltas,
  compare: async (contest, rounds) => ({
    quantities: [
      { name: 'processor of server and PostgreSQL for a delta', unit: 'µs' },
      { name: 'processor of the server for a delta', unit: 'µs' },
      { name: 'first character, p50', unit: 'ms' },
      { name: 'first character, p99', unit: 'ms' },
      { name: 'every delta, p99', unit: 'ms' },
    ],
    rounds: await talkInRounds(contest, STREAM, rounds, ({ node, postgres, first, late }) => {
      const microseconds = 1e6 / (STREAM.candidates * STREAM.deltas);
      return {
        'processor of server and PostgreSQL for a delta': (node + postgres) * microseconds,
        'processor of the server for a delta': node * microseconds,
        'first character, p50': percentile(first, 0.5),
        'first character, p99': percentile(first, 0.99),
        'every delta, p99': percentile(late, 0.99),
      };
    }),
    notes: notesOf(STREAM),
  }),
};

/** Processor time of one answer and its reply. */
export const turns: Compared<Contest> = {
  deltas: TURN.deltas,
  compare: async (contest, rounds) => ({
    quantities: [
      { name: 'processor of Node for a turn', unit: 'ms' },
      { name: 'processor of PostgreSQL for a turn', unit: 'ms' },
    ],
    rounds: await talkInRounds(contest, TURN, rounds, ({ node, postgres }) => ({
      'processor of Node for a turn': (1e3 * node) / TURN.candidates,
      'processor of PostgreSQL for a turn': (1e3 * postgres) / TURN.candidates,
    })),
    notes: notesOf(TURN),
  }),
};

interface Block {
  /** Seconds of processor time beyond those of an idle server. */
  readonly node: number;
  readonly postgres: number;
  readonly first: readonly number[];
  readonly late: readonly number[];
}

interface Talkers {
  readonly running: Running;
  readonly load: Candidates;
  /** Seconds of processor time in one second without any work. */
  readonly idle: Spent;
}

interface Spent {
  readonly node: number;
  readonly postgres: number;
}

async function talkInRounds(
  contest: Contest,
  talk: Talk,
  rounds: number,
  measuredOf: (block: Block) => Measured,
): Promise<Round[]> {
  const [before, after] = [
    await settle(contest, 'before', talk),
    await settle(contest, 'after', talk),
  ];
  const talkers = { before, after };
  try {
    const block = async (side: Side): Promise<Measured> =>
      measuredOf(await blockOf(contest, side, talkers[side], talk));
    // One reply each, so that code is compiled and connections are open.
    for (const side of SIDES) await block(side);
    return await alternate(rounds, block);
  } finally {
    for (const side of SIDES) {
      await talkers[side].load.stop();
      await talkers[side].running.stop();
    }
  }
}

async function settle(contest: Contest, side: Side, { candidates }: Talk): Promise<Talkers> {
  const running = await contest.start(side);
  const invite = contest.importVacancy(side, MOST_QUESTIONS);
  const load = await Candidates.start();
  await load.ask({ do: 'arrive', url: running.url, invite, count: candidates });
  const spent = await spentIn(contest, side, running, () => sleep(IDLE_MS));
  const seconds = IDLE_MS / 1000;
  return {
    running,
    load,
    idle: { node: spent.node / seconds, postgres: spent.postgres / seconds },
  };
}

async function blockOf(
  contest: Contest,
  side: Side,
  { running, load, idle }: Talkers,
  { candidates, deltas, everyMs, forMs }: Talk,
): Promise<Block> {
  const expected = candidates * deltas;
  let talked: Talked = { first: [], late: [] };
  const startedMs = performance.now();
  const spent = await spentIn(contest, side, running, async () => {
    const { url } = running;
    talked = await load.ask<Talked>({ do: 'talk', url, everyMs, forMs, deltas: expected });
  });
  const seconds = (performance.now() - startedMs) / 1000;
  if (talked.late.length < LEAST_SEEN * expected) {
    throw new Error(`${side}: ${talked.late.length} of ${expected} deltas were seen`);
  }
  return {
    ...talked,
    node: spent.node - idle.node * seconds,
    postgres: spent.postgres - idle.postgres * seconds,
  };
}

async function spentIn(
  contest: Contest,
  side: Side,
  { pid }: Running,
  work: () => Promise<unknown>,
): Promise<Spent> {
  const [node, postgres] = [cpuSeconds(pid), await contest.postgres(side)];
  await work();
  return {
    node: cpuSeconds(pid) - node,
    postgres: secondsBetween(postgres, await contest.postgres(side)),
  };
}

function notesOf({ candidates, deltas, everyMs }: Talk): string[] {
  return [
    `${candidates} candidates in each block, a message every ${everyMs} ms, a reply of ${deltas / 20} s with 20 deltas a second and a reader each`,
    'processor time beyond that of an idle server; model server, candidates and both builds are processes of their own',
  ];
}
