/** A pseudo-random generator (mulberry32): its sequence depends on the seed alone. */
export class Chance {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** From 0 to below 1. */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** A number from `low` to below `high`. */
  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(items: readonly T[]): T {
    const picked = items[this.below(items.length)];
    if (picked === undefined) throw new Error('there is nothing to pick from');
    return picked;
  }

  /** A generator for one part of the storm, so that another part's draws do not change it. */
  fork(name: string): Chance {
    let seed = this.state;
    for (const char of name) seed = Math.imul(seed ^ (char.codePointAt(0) ?? 0), 0x01000193);
    return new Chance(seed);
  }
}

/** A number as six small letters, because Colloquy removes numbers from a reply that nobody wrote. */
export function lettersOf(number: number): string {
  let rest = number;
  let letters = '';
  for (let at = 0; at < 6; at += 1) {
    letters = String.fromCodePoint(97 + (rest % 26)) + letters;
    rest = Math.floor(rest / 26);
  }
  return letters;
}
