import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { rounded } from './stats';
import { stolenPercent } from './stolen-time';

/** One measured figure; the stored result says whether `bound` is met (`isMet`). */
export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  readonly bound?: { readonly atMost: number } | { readonly atLeast: number };
  /** The control itself was slow: the machine was busy, so the figure is not reliable. */
  readonly isNoisy?: boolean;
}

const RESULTS = path.join(__dirname, '..', 'results');

/** With more stolen time than this, no measured time is reliable. */
const MUCH_STOLEN_PERCENT = 10;

/** Prints the figures and stores them in bench/results with the date and the machine. */
export function report(
  bench: string,
  figures: readonly Figure[],
  comments: readonly string[],
): void {
  const rows = figures.map((figure) => ({
    ...figure,
    value: rounded(figure.value),
    ...verdictOf(figure),
  }));
  process.stdout.write(`\n${bench}\n`);
  for (const { name, value, unit, verdict, isNoisy } of rows) {
    const noise = isNoisy === true ? '  (noisy: the control was slow)' : '';
    process.stdout.write(
      `  ${name.padEnd(58)} ${String(value).padStart(10)} ${unit}${verdict}${noise}\n`,
    );
  }
  const stolen = stolenPercent();
  const notes = stolen === null ? comments : [...comments, stolenNote(stolen)];
  for (const note of notes) process.stdout.write(`  ${note}\n`);
  const [cpu] = cpus();
  const machine = {
    cpu: cpu?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    node: process.version,
  };
  const result = {
    bench,
    measuredAt: new Date().toISOString(),
    machine,
    figures: rows.map(({ verdict: _, ...row }) => row),
    notes,
  };
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(path.join(RESULTS, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

function stolenNote(percent: number): string {
  const verdict = percent > MUCH_STOLEN_PERCENT ? ': NOISY, the times are not reliable' : '';
  return `the host took ${percent.toFixed(0)} % of this machine's processors meanwhile${verdict}`;
}

function verdictOf({ value, bound }: Figure): { verdict: string; isMet?: boolean } {
  if (bound === undefined) return { verdict: '' };
  const isMet = 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
  const words = 'atMost' in bound ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`;
  return { verdict: `  ${isMet ? 'met' : 'MISSED'}: ${words}`, isMet };
}
