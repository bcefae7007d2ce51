/**
 * `npm run storm -- --seed N --minutes M`: three replicas, PostgreSQL and fakes of all peers under faults,
 * with candidates who write all the time. What happened is compared with what is stored; the exit code is 1
 * when a promise was broken. docs/how-we-prove-it.md describes it.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { AIMS, BROKEN_RULES } from './bugs.cjs';
import { type StormOptions, type StormResult, runStorm } from './storm';

const RESULTS = path.resolve(__dirname, '../../bench/results/storm.json');
const MOST_SHOWN = 20;
const MAX_SEED = 2 ** 32;
const MAX_MINUTES = 24 * 60;
/** Start, waiting until all is quiet, and checks, in seconds. */
const REST_S = 420;
/** For the processes of the storm to end after the limit. */
const CLOSING_MS = 8000;

interface StoredStorm {
  readonly seed: number;
  readonly commit: string;
  readonly [figure: string]: unknown;
}

function optionsOf(args: readonly string[]): StormOptions & { isStored: boolean } {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string', default: String(Math.floor(Date.now() / 1000)) },
      minutes: { type: 'string' },
      seconds: { type: 'string' },
      telegram: { type: 'string', default: '120' },
      web: { type: 'string', default: '80' },
      think: { type: 'string', default: '12' },
      bug: { type: 'string' },
      limit: { type: 'string' },
      store: { type: 'boolean', default: false },
    },
  });
  const number = (name: string, given: string, low: number, high: number): number => {
    const read = Number(given);
    if (given.trim() !== '' && read >= low && read <= high) return read;
    throw new Error(`--${name} ${given}: expected a number from ${String(low)} to ${String(high)}`);
  };
  const { minutes, seconds } = values;
  if (minutes !== undefined && seconds !== undefined) {
    throw new Error('--minutes and --seconds exclude each other');
  }
  const length =
    seconds === undefined
      ? number('minutes', minutes ?? '1', 0.1, MAX_MINUTES) * 60
      : number('seconds', seconds, 5, MAX_MINUTES * 60);
  return {
    seed: Math.floor(number('seed', values.seed, 0, MAX_SEED - 1)),
    lengthMs: length * 1000,
    telegram: Math.floor(number('telegram', values.telegram, 0, 10_000)),
    web: Math.floor(number('web', values.web, 0, 10_000)),
    thinkMs: number('think', values.think, 0.1, 3600) * 1000,
    bug: values.bug ?? null,
    aim: AIMS[values.bug ?? ''] ?? null,
    endsAtRules: values.bug === undefined ? null : (BROKEN_RULES[values.bug] ?? []),
    limitMs: number('limit', values.limit ?? String(length + REST_S), 10, MAX_MINUTES * 60) * 1000,
    log: (line) => void process.stdout.write(`  ${line}\n`),
    isStored: values.store,
  };
}

function faultCounts({ faults }: StormResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fault, problem } of faults) {
    if (problem !== null) continue;
    const name = 'fault' in fault ? `${fault.kind} ${fault.fault}` : fault.kind;
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}

function ruleCounts({ violations }: StormResult): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { rule } of violations) counts[rule] = (counts[rule] ?? 0) + 1;
  return counts;
}

/** The longest takeover of each queue, in milliseconds. */
function slowestByQueue({ recoveries }: StormResult): Record<string, number> {
  const slowest: Record<string, number> = {};
  for (const { queue, tookMs } of recoveries) {
    slowest[queue] = Math.max(slowest[queue] ?? 0, Math.round(tookMs));
  }
  return slowest;
}

function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}

function figuresOf(result: StormResult, { lengthMs, telegram, web }: StormOptions): StoredStorm {
  const counts = faultCounts(result);
  const recoveriesMs = result.recoveries.map(({ tookMs }) => tookMs);
  const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
  const rounded = (ms: number | null): number | null => (ms === null ? null : Math.round(ms));
  return {
    seed: result.seed,
    commit,
    seconds: lengthMs / 1000,
    candidates: { telegram, web },
    faults: Object.values(counts).reduce((sum, count) => sum + count, 0),
    faultsByKind: counts,
    notCarriedOut: result.faults.filter(({ problem }) => problem !== null).length,
    tokens: result.tokens,
    replies: result.replies,
    violations: result.violations.length,
    violationsByRule: ruleCounts(result),
    takeovers: result.recoveries.length,
    recoveryMedianMs: rounded(percentile(recoveriesMs, 0.5)),
    recoveryP99Ms: rounded(percentile(recoveriesMs, 0.99)),
    slowestByQueue: slowestByQueue(result),
    quietAfterMs: Math.round(result.quietMs),
    notionCallsInASecond: result.mostOfNotion,
  };
}

function print(figures: StoredStorm, result: StormResult): void {
  for (const [name, value] of Object.entries(figures)) {
    const shown = typeof value === 'string' ? value : JSON.stringify(value);
    process.stdout.write(`  ${name.padEnd(16)} ${shown}\n`);
  }
  for (const { rule, what } of result.violations.slice(0, MOST_SHOWN)) {
    process.stdout.write(`  VIOLATION ${rule}: ${what}\n`);
  }
  const { length } = result.violations;
  if (length > MOST_SHOWN) process.stdout.write(`  … ${String(length - MOST_SHOWN)} more\n`);
  if (existsSync(result.folder) && length > 0)
    process.stdout.write(`  logs and database: ${result.folder}\n`);
}

/** Replaces an earlier storm of the same seed. */
function store(figures: StoredStorm): void {
  const storms = existsSync(RESULTS)
    ? (JSON.parse(readFileSync(RESULTS, 'utf8')) as { storms: StoredStorm[] }).storms
    : [];
  const others = storms.filter(({ seed }) => seed !== figures.seed);
  const all = [...others, figures].toSorted((one, other) => one.seed - other.seed);
  const faults = all.reduce((sum, one) => sum + Number(one.faults), 0);
  writeFileSync(RESULTS, `${JSON.stringify({ faults, storms: all }, null, 2)}\n`);
}

async function main(): Promise<void> {
  let options;
  try {
    options = optionsOf(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 2;
    return;
  }
  setTimeout(() => process.exit(2), options.limitMs + CLOSING_MS).unref();
  process.stdout.write(`storm of seed ${String(options.seed)}\n`);
  const result = await runStorm(options);
  const figures = figuresOf(result, options);
  print(figures, result);
  if (options.isStored && options.bug === null) store(figures);
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}

// `exit` handlers end the replicas, also those that are frozen.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(2));

main()
  .catch((error: unknown) => {
    console.error(error);
    process.exitCode = 2;
  })
  .finally(() => {
    // Whatever is still open ends with the process.
    process.exit();
  });
