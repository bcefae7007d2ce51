import { faultsOf } from './faults';
import { standingOf, storedOf } from './stored';
import { type Pair, type Play, type Way } from './ways';

/** How the pairs of a file have ended, and what a table says of it. */
export class PairTable {
  private readonly cells = new Map<string, string>();
  private readonly ends = new Map<string, End>();

  /** The first line of the text has the names of the columns, the first word of every other line that of its row. */
  constructor(text: string) {
    const [columns = [], ...rows] = text
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/));
    for (const [row = '', ...cells] of rows) {
      if (cells.length !== columns.length) throw new Error(`the row ${row} has other columns`);
      for (const [index, cell] of cells.entries())
        this.cells.set(`${row} ${columns[index] ?? ''}`, cell);
    }
  }

  async end(play: Play): Promise<void> {
    const stored = await storedOf(play);
    this.ends.set(keyOf(play), {
      standing: standingOf(stored, play),
      faults: faultsOf(stored),
    });
  }

  /** What was found where the table says something else, and the pairs of these ways that it does not know. */
  differences(firsts: readonly Way[], seconds: readonly Way[]): string[] {
    const pairs = firsts.flatMap((first) => seconds.map((second) => keyOf({ first, second })));
    return [...new Set([...pairs, ...this.cells.keys()])].flatMap((key) => {
      const expected = this.cells.get(key) ?? 'nothing is expected';
      const found = this.ends.get(key)?.standing ?? 'there is no such pair';
      return expected === found ? [] : [`${key}: ${expected}, but ${found}`];
    });
  }

  /** What is wrong whatever has happened. */
  faults(): string[] {
    return [...this.ends].flatMap(([key, { faults }]) => faults.map((fault) => `${key}: ${fault}`));
  }
}

interface End {
  readonly standing: string;
  readonly faults: readonly string[];
}

function keyOf({ first, second }: Pair): string {
  return `${first.name} ${second.name}`;
}
