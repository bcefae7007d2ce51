/**
 * Storms one after another, each in a process of its own:
 *
 *   npm run storm:bugs -- [NAME…] [--store]              each deliberate bug has to turn its storm red
 *   npm run storm:seeds -- --from N --count N [--store]  each seed has to pass; stored seeds are skipped
 *
 * The exit code is 1 when a bug was not found or a promise was broken.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { BROKEN_RULES, SEEN_AT_THE_END } from './bugs.cjs';

const STORM = path.join(__dirname, 'storm-process.ts');
const LOADER = path.resolve(__dirname, '../support/swc-register.cjs');
const RESULTS = path.resolve(__dirname, '../../bench/results');
/** Few candidates who write often, so that a busy machine carries them too. */
const CROWD = ['--telegram', '14', '--web', '12', '--think', '2'];
/** A bug has to be found in this time, in seconds from the first process to the last check. */
const BUG_LIMIT = '120';
const STOP_S = 10;
/**
 * A storm ends when it finds its bug, so it lasts as long as the limit allows, and hardly ever comes to its last
 * check. What only that check can see needs time after the storm instead, until all is quiet.
 */
const BUG_SECONDS = { usually: '70', seenAtTheEnd: '40' };
/** Its first 40 s have frozen owners, kills before commits, a SIGTERM, lost notices and repeated timeouts. */
const DEFAULT_SEED = '345';
/**
 * A reader who misses a signal is healed by the next reply, so that only the storm of a seed that loses
 * the signal of a last reply shows that nobody looks again.
 */
const SEEDS: Readonly<Record<string, string>> = { notify_only: '31' };

interface Ended {
  readonly status: number;
  readonly seconds: number;
  readonly commit: string;
  /** How often each rule was violated. */
  readonly byRule: Readonly<Record<string, number>>;
}

async function storm(args: readonly string[], prefix: string): Promise<Ended> {
  const beganMs = performance.now();
  const child = spawn(process.execPath, ['-r', LOADER, STORM, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (piece: Buffer) => {
    output += piece.toString();
    process.stdout.write(piece);
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const seconds = Math.round((performance.now() - beganMs) / 1000);
  const figure = (name: string): string =>
    new RegExp(String.raw`^  ${name}\s+(.*)$`, 'm').exec(output)?.[1] ?? '';
  process.stdout.write(`${prefix}: exit code ${String(status)} after ${String(seconds)} s\n`);
  return {
    status: status ?? 2,
    seconds,
    commit: figure('commit'),
    byRule: JSON.parse(figure('violationsByRule') || '{}') as Record<string, number>,
  };
}

interface FoundBug {
  readonly bug: string;
  /** The violated rules that the bug breaks; empty: it was not found. */
  readonly foundBy: readonly string[];
  readonly seconds: number;
  readonly seed: number;
  readonly commit: string;
}

async function bugs(
  names: readonly string[],
  { seed, limitS }: { seed: string | undefined; limitS: number },
  isStored: boolean,
): Promise<boolean> {
  const unknown = names.find((name) => !(name in BROKEN_RULES));
  if (unknown !== undefined) throw new Error(`there is no bug "${unknown}" in bugs.cjs`);
  const results: FoundBug[] = [];
  for (const bug of names.length > 0 ? names : Object.keys(BROKEN_RULES)) {
    const first = Number(seed ?? SEEDS[bug] ?? DEFAULT_SEED);
    results.push(await findBug(bug, { seed: first, limitS }));
    if (isStored) storeBugs(results);
  }
  for (const { bug, foundBy, seconds } of results) {
    const rules = foundBy.join(' ') || 'NOT FOUND';
    process.stdout.write(`${bug.padEnd(26)} ${rules.padEnd(20)} ${String(seconds)} s\n`);
  }
  const found = results.filter(({ foundBy }) => foundBy.length > 0).length;
  process.stdout.write(`${String(found)} passed, ${String(results.length - found)} failed\n`);
  return found === results.length;
}

async function findBug(
  bug: string,
  { seed, limitS }: { seed: number; limitS: number },
): Promise<FoundBug> {
  const length = SEEN_AT_THE_END.includes(bug) ? BUG_SECONDS.seenAtTheEnd : BUG_SECONDS.usually;
  const args = ['--bug', bug, '--seed', String(seed), '--seconds', length, ...CROWD];
  const { byRule, commit, seconds } = await storm(
    [...args, '--limit', String(limitS - STOP_S)],
    bug,
  );
  const violated = (BROKEN_RULES[bug] ?? []).filter((rule) => rule in byRule);
  return { bug, foundBy: seconds <= limitS ? violated : [], seconds, seed, commit };
}

/** Replaces earlier results of the same bugs. */
function storeBugs(results: readonly FoundBug[]): void {
  const file = path.join(RESULTS, 'storm-bugs.json');
  const earlier = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { bugs: FoundBug[] }).bugs
    : [];
  const byName = new Map([...earlier, ...results].map((result) => [result.bug, result]));
  const all = Object.keys(BROKEN_RULES).flatMap((bug) => byName.get(bug) ?? []);
  const found = all.filter(({ foundBy }) => foundBy.length > 0).length;
  writeFileSync(file, `${JSON.stringify({ found, bugs: all }, null, 2)}\n`);
}

async function seeds(
  { from, count, seconds }: { from: number; count: number; seconds: string },
  isStored: boolean,
): Promise<boolean> {
  const file = path.join(RESULTS, 'storm.json');
  const stored = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { storms: { seed: number }[] }).storms
    : [];
  const known = new Set(isStored ? stored.map(({ seed }) => seed) : []);
  let failed = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    if (known.has(seed)) continue;
    const args = ['--seed', String(seed), '--seconds', seconds, ...CROWD];
    const { status } = await storm(
      [...args, ...(isStored ? ['--store'] : [])],
      `seed ${String(seed)}`,
    );
    if (status !== 0) failed += 1;
  }
  return failed === 0;
}

async function main(): Promise<boolean> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seed: { type: 'string' },
      from: { type: 'string', default: '1' },
      count: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '60' },
      limit: { type: 'string', default: BUG_LIMIT },
      store: { type: 'boolean', default: false },
    },
  });
  const [what, ...names] = positionals;
  const { store, seed, seconds } = values;
  const from = Number(values.from);
  const count = Number(values.count);
  if (!Number.isSafeInteger(from) || !Number.isSafeInteger(count)) {
    throw new Error('--from and --count: expected whole numbers');
  }
  if (what === 'bugs') return bugs(names, { seed, limitS: Number(values.limit) }, store);
  if (what === 'seeds') return seeds({ from, count, seconds }, store);
  throw new Error('expected "bugs" or "seeds"');
}

main().then(
  (isGood) => {
    process.exitCode = isGood ? 0 : 1;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
  },
);
