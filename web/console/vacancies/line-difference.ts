/**
 * What changed between two texts, line by line: the shortest way from one to the other (E. Myers, "An O(ND) difference
 * algorithm", 1986). Texts that differ in more than MOST_CHANGES lines are told as replaced whole, so that no text takes
 * longer than a moment.
 */

interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** A row of a shown difference. */
type DiffRow = DiffLine | { kind: 'skipped'; count: number };

const MOST_CHANGES = 1500;

export function lineDifference(before: string, after: string): DiffLine[] {
  const [a, b] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < Math.min(a.length, b.length) - start && a.at(-1 - end) === b.at(-1 - end)) end += 1;
  const middle = differenceOf(a.slice(start, a.length - end), b.slice(start, b.length - end));
  return [...a.slice(0, start).map(same), ...middle, ...a.slice(a.length - end).map(same)];
}

/** Changed lines with `around` unchanged ones before and after; what is left out between them is counted. */
export function shownRows(lines: readonly DiffLine[], around = 3): DiffRow[] {
  const isNear = lines.map(() => false);
  for (const [n, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    for (let m = Math.max(0, n - around); m <= Math.min(lines.length - 1, n + around); m += 1) {
      isNear[m] = true;
    }
  }
  const rows: DiffRow[] = [];
  for (const [n, line] of lines.entries()) {
    const last = rows.at(-1);
    if (isNear[n] === true) rows.push(line);
    else if (last?.kind === 'skipped') last.count += 1;
    else rows.push({ kind: 'skipped', count: 1 });
  }
  return rows;
}

/** A last line break ends the last line. */
function linesOf(text: string): string[] {
  return text === '' ? [] : text.replace(/\n$/, '').split('\n');
}

function same(text: string): DiffLine {
  return { kind: 'same', text };
}

/**
 * How far in `a` a path with a number of changes comes on each diagonal, which is the number of lines taken from `a` less
 * those taken from `b`; -1: on none.
 */
class Reached {
  private readonly places: Int32Array;

  constructor(private readonly most: number) {
    this.places = new Int32Array(2 * most + 1).fill(-1);
  }

  at(diagonal: number): number {
    return this.places[diagonal + this.most] ?? -1;
  }

  set(diagonal: number, place: number): void {
    this.places[diagonal + this.most] = place;
  }
}

/** Each round allows one change more, and is remembered for the way back. */
function differenceOf(a: readonly string[], b: readonly string[]): DiffLine[] {
  const rounds: Reached[] = [];
  // As if the line before the first one had been taken from `b`.
  let before = new Reached(1);
  before.set(1, 0);
  for (let changes = 0; changes <= Math.min(a.length + b.length, MOST_CHANGES); changes += 1) {
    rounds.push(before);
    const now = new Reached(changes + 1);
    for (let k = -changes; k <= changes; k += 2) {
      let x = isAdded(before, k, changes) ? before.at(k + 1) : before.at(k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      now.set(k, x);
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, rounds);
    }
    before = now;
  }
  const whole = (kind: 'removed' | 'added') => (text: string) => ({ kind, text });
  return [...a.map(whole('removed')), ...b.map(whole('added'))];
}

/** Whether the best way to this diagonal takes a line from `b`, and not one from `a`. */
function isAdded(before: Reached, k: number, changes: number): boolean {
  return k === -changes || (k !== changes && before.at(k - 1) < before.at(k + 1));
}

function wayBack(
  a: readonly string[],
  b: readonly string[],
  rounds: readonly Reached[],
): DiffLine[] {
  const lines: DiffLine[] = [];
  let [x, y] = [a.length, b.length];
  for (const [changes, before] of [...rounds.entries()].reverse()) {
    const isFromB = isAdded(before, x - y, changes);
    const k = isFromB ? x - y + 1 : x - y - 1;
    const fromX = changes === 0 ? 0 : before.at(k);
    const fromY = changes === 0 ? 0 : fromX - k;
    for (; x > fromX && y > fromY; x -= 1, y -= 1) lines.push(same(a[x - 1] ?? ''));
    if (changes === 0) break;
    lines.push(
      isFromB ? { kind: 'added', text: b[fromY] ?? '' } : { kind: 'removed', text: a[fromX] ?? '' },
    );
    [x, y] = [fromX, fromY];
  }
  return lines.reverse();
}
