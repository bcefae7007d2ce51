/** The start, the command line, and a process without work: NAME `start`. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentBytes } from '../lib/processes';
import { median } from '../lib/stats';
import type { Contest } from './contest';
import {
  alternate,
  type Compared,
  type Comparison,
  type Measured,
  type Side,
  SIDES,
} from './rounds';

const TRIES = 3;
const IDLE_MS = 5000;
const VACANCIES = 2;

export const starts: Compared<Contest> = { deltas: 0, compare };

async function compare(contest: Contest, rounds: number): Promise<Comparison> {
  for (const side of SIDES) {
    const running = await contest.start(side);
    for (let n = 1; n <= VACANCIES; n += 1) contest.importVacancy(side, n, `baker-${n}`);
    await running.stop();
  }
  return {
    quantities: [
      { name: 'npm start to ready', unit: 'ms' },
      { name: 'memory of an idle process', unit: 'MiB' },
      { name: 'colloquy vacancy list', unit: 'ms' },
      { name: 'colloquy --version', unit: 'ms' },
      { name: 'colloquy --version, over an empty process', unit: '×' },
    ],
    rounds: await alternate(rounds, (side) => blockOf(contest, side)),
    notes: [
      `both are built and their databases migrated; commands are the median of ${TRIES}, ${VACANCIES} vacancies are listed`,
    ],
  };
}

async function blockOf(contest: Contest, side: Side): Promise<Measured> {
  const running = await contest.start(side, 'npm');
  await sleep(IDLE_MS);
  const idle = Math.max(...familyOf(running.pid).map(residentBytes));
  await running.stop();
  const timed = (...args: string[]): number => medianOf(() => contest.command(side, args).ms);
  const version = timed('--version');
  return {
    'npm start to ready': running.readyMs,
    'memory of an idle process': idle / 2 ** 20,
    'colloquy vacancy list': timed('vacancy', 'list'),
    'colloquy --version': version,
    'colloquy --version, over an empty process': version / medianOf(emptyMs),
  };
}

function medianOf(tryOnce: () => number): number {
  return median(Array.from({ length: TRIES }, tryOnce));
}

function emptyMs(): number {
  const startedMs = performance.now();
  spawnSync(process.execPath, ['-e', '0']);
  return performance.now() - startedMs;
}

/** The process and its descendants: `npm start` has the server as a child. */
function familyOf(pid: number): number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return [pid, ...children.split(' ').filter(Boolean).map(Number).flatMap(familyOf)];
}
