import { rounded } from '../lib/stats';
import type { Figure } from '../lib/report';

/** The two builds that are compared. */
export const SIDES = ['before', 'after'] as const;
export type Side = (typeof SIDES)[number];

/** What one block measured, by name. */
export type Measured = Readonly<Record<string, number>>;
export type Round = Readonly<Record<Side, Measured>>;

/** What is measured in each block. */
export interface Quantity {
  readonly name: string;
  readonly unit: string;
}

/** What a comparison has measured, and what is said of it. */
export interface Comparison {
  readonly quantities: readonly Quantity[];
  readonly rounds: readonly Round[];
  readonly notes: readonly string[];
}

/** What `npm run bench -- against COMMIT NAME` runs for a NAME. */
export interface Compared<Contest> {
  /** Of each reply of the model server, 20 a second. */
  readonly deltas: number;
  compare(contest: Contest, rounds: number): Promise<Comparison>;
}

/** In which order the builds take turns: A B, B A, A B, … so that neither is always the second. */
export function orderOf(round: number): readonly Side[] {
  return round % 2 === 0 ? SIDES : SIDES.toReversed();
}

/** Runs a block of each build in each round. */
export async function alternate(
  rounds: number,
  block: (side: Side, round: number) => Promise<Measured>,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const sides: Partial<Record<Side, Measured>> = {};
    for (const side of orderOf(round)) sides[side] = await block(side, round);
    const { before, after } = sides;
    if (before === undefined || after === undefined) throw new Error('a block is missing');
    measured.push({ before, after });
  }
  return measured;
}

/**
 * The medians of both builds, how far their blocks lie apart, and the median of the ratios of each round: both blocks of
 * a round met about the same machine.
 */
export function figuresOf(quantities: readonly Quantity[], rounds: readonly Round[]): Figure[] {
  return quantities.flatMap(({ name, unit }) => {
    const of = (side: Side): number[] => rounds.map((round) => round[side][name] ?? Number.NaN);
    const [before, after] = [of('before'), of('after')];
    const ratios = after.map((value, n) => value / (before[n] ?? Number.NaN));
    return [
      { name: `${name}, before`, value: middle(before), unit },
      { name: `${name}, after`, value: middle(after), unit },
      { name: `${name}, after over before`, value: middle(ratios), unit: '×' },
      { name: `${name}, after over before, least round`, value: Math.min(...ratios), unit: '×' },
      { name: `${name}, after over before, most`, value: Math.max(...ratios), unit: '×' },
    ];
  });
}

/** One line for each quantity and build: all blocks in their order, for who doubts the medians. */
export function blockNotes(quantities: readonly Quantity[], rounds: readonly Round[]): string[] {
  return quantities.flatMap(({ name, unit }) =>
    SIDES.map((side) => {
      const values = rounds.map((round) => rounded(round[side][name] ?? Number.NaN));
      return `${name}, ${side}, by round: ${values.join(', ')} ${unit}`;
    }),
  );
}

/** The median; of an even number, the mean of the two in the middle. */
function middle(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(half) - 1], sorted[Math.floor(half)]];
  return ((low ?? Number.NaN) + (high ?? Number.NaN)) / 2;
}
