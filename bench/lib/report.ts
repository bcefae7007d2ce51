import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import path from 'node:path';
import { rounded } from './stats';
import { type Disturbance, disturbanceSoFar } from './disturbance';

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

/** With more stolen time than this, of the time in which there was work, no measured time is reliable. */
const MUCH_STOLEN_PERCENT = 10;
/** The same of the processors' whole time. */
const MUCH_OF_OTHERS_PERCENT = 5;

/** What `sysexits.h` calls a temporary failure; scripts/bench.mjs names such benches at its end. */
const NOISY_EXIT = 75;

/**
 * Prints the figures and stores them in bench/results with the date and the machine. A noisy run is printed and
 * not stored: the last quiet one stays, and the process ends with 75.
 */
export function report(
  bench: string,
  figures: readonly Figure[],
  comments: readonly string[],
  { folder, disturbance } = { folder: RESULTS, disturbance: disturbanceSoFar() },
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
  const notes = [...comments, ...disturbanceNotes(disturbance)];
  for (const note of notes) process.stdout.write(`  ${note}\n`);
  const noise = noiseIn(figures, disturbance);
  if (noise.length > 0) {
    process.stdout.write(`  NOISY, so nothing is stored: ${noise.join('; ')}\n`);
    process.exitCode = NOISY_EXIT;
    return;
  }
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
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, `${bench}.json`), `${JSON.stringify(result, null, 2)}\n`);
}

/** Why the figures are not reliable; empty for a quiet run. */
function noiseIn(figures: readonly Figure[], disturbance: Disturbance | null): string[] {
  const { stolenPercent = 0, othersPercent = 0 } = disturbance ?? {};
  return [
    ...(figures.some(({ isNoisy }) => isNoisy === true) ? ['the control was slow'] : []),
    ...(stolenPercent > MUCH_STOLEN_PERCENT ? ['the host took too much processor time'] : []),
    ...(othersPercent > MUCH_OF_OTHERS_PERCENT ? ['other programs used the processors'] : []),
  ];
}

function disturbanceNotes(disturbance: Disturbance | null): string[] {
  if (disturbance === null) return [];
  const { stolenPercent, othersPercent } = disturbance;
  return [
    `the host took ${stolenPercent.toFixed(0)} % of this machine's processors meanwhile`,
    `other programs used ${othersPercent.toFixed(0)} % of this machine's processors meanwhile`,
  ];
}

function verdictOf({ value, bound }: Figure): { verdict: string; isMet?: boolean } {
  if (bound === undefined) return { verdict: '' };
  const isMet = 'atMost' in bound ? value <= bound.atMost : value >= bound.atLeast;
  const words = 'atMost' in bound ? `at most ${bound.atMost}` : `at least ${bound.atLeast}`;
  return { verdict: `  ${isMet ? 'met' : 'MISSED'}: ${words}`, isMet };
}
