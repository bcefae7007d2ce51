/** What changed between two texts, line by line. */
import fc from 'fast-check';
import { lineDifference, shownRows } from '../../../../web/console/vacancies/line-difference';

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 30 })
  .map((lines) => lines.join('\n'));

const kept = (of: 'removed' | 'added', lines: ReturnType<typeof lineDifference>): string =>
  lines
    .filter(({ kind }) => kind === 'same' || kind === of)
    .map((line) => line.text)
    .join('\n');

test('without the added lines it is the text before, and without the removed ones the text after', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = lineDifference(before, after);

      expect(kept('removed', lines)).toBe(before.replace(/\n$/, ''));
      expect(kept('added', lines)).toBe(after.replace(/\n$/, ''));
    }),
  );
});

test('it is the shortest: as many lines stay as the two have in common, in order', () => {
  const common = (a: readonly string[], b: readonly string[]): number => {
    const [first, ...rest] = a;
    if (first === undefined || b.length === 0) return 0;
    const at = b.indexOf(first);
    const without = common(rest, b);
    return at < 0 ? without : Math.max(without, 1 + common(rest, b.slice(at + 1)));
  };
  const short = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(short, short, (a, b) => {
      const lines = lineDifference(a.join('\n'), b.join('\n'));

      expect(lines.filter(({ kind }) => kind === 'same')).toHaveLength(common(a, b));
    }),
  );
});

test('the same text has no change, whether or not its last line is ended', () => {
  expect(lineDifference('a\nb\n', 'a\nb')).toEqual([
    { kind: 'same', text: 'a' },
    { kind: 'same', text: 'b' },
  ]);
  expect(lineDifference('', '')).toEqual([]);
});

test('texts of thousands of lines that have nothing in common are told as replaced', () => {
  const numbered = (mark: string) =>
    Array.from({ length: 8000 }, (_, n) => `${mark}${String(n)}`).join('\n');

  const lines = lineDifference(numbered('a'), numbered('b'));

  expect(lines).toHaveLength(16_000);
  expect([lines[0]?.kind, lines.at(-1)?.kind]).toEqual(['removed', 'added']);
});

test('lines far from a change are left out and counted', () => {
  const lines = Array.from({ length: 20 }, (_, n) => String(n));
  const changed = lines.with(10, 'ten');

  const rows = shownRows(lineDifference(lines.join('\n'), changed.join('\n')), 2);

  expect(rows).toEqual([
    { kind: 'skipped', count: 8 },
    { kind: 'same', text: '8' },
    { kind: 'same', text: '9' },
    { kind: 'removed', text: '10' },
    { kind: 'added', text: 'ten' },
    { kind: 'same', text: '11' },
    { kind: 'same', text: '12' },
    { kind: 'skipped', count: 7 },
  ]);
});
