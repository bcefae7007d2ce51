import { existsSync, readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';

const RESULTS = path.join(__dirname, '..', 'results');

/** A result as `report` stores it. */
export interface StoredResult {
  readonly bench: string;
  readonly measuredAt: string;
  readonly figures: readonly {
    readonly name: string;
    readonly value: number | null;
    readonly unit: string;
    readonly bound?: object;
    readonly isMet?: boolean;
  }[];
  readonly notes: readonly string[];
}

/** All stored results, by the bench's name. */
export function storedResults(): ReadonlyMap<string, StoredResult> {
  const names = existsSync(RESULTS) ? readdirSync(RESULTS).toSorted() : [];
  return new Map(
    names.flatMap((file) => {
      const text = readFileSync(path.join(RESULTS, file), 'utf8');
      const result = JSON.parse(text) as Partial<StoredResult>;
      // The storm and the verification store results of another kind there.
      if (result.bench === undefined) return [];
      return [[result.bench, result as StoredResult] as const];
    }),
  );
}

/** One figure of a stored result. Throws when the bench has to run first, or to run again. */
export function figureOf(
  results: ReadonlyMap<string, StoredResult>,
  bench: string,
  name: string,
): number {
  const figure = results.get(bench)?.figures.find((one) => one.name === name);
  if (typeof figure?.value !== 'number') {
    throw new Error(`bench/results has no "${name}" of ${bench}: run npm run bench ${bench}`);
  }
  return figure.value;
}
