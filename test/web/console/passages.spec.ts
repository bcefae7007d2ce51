import { clockOf, secondOf, segmentsOf } from '../../../web/console/reading/passages';

const passage = (name: string, start: number, end: number) => ({
  messageId: 'm',
  ...{ name, start, end },
});

test('a text is cut where passages begin and end, also where they overlap', () => {
  const segments = segmentsOf('abcdefgh', [passage('x', 1, 5), passage('y', 3, 7)]);

  expect(segments.map(({ text, within, begins }) => [text, within, begins])).toEqual([
    ['a', [], []],
    ['bc', ['x'], ['x']],
    ['de', ['x', 'y'], ['y']],
    ['fg', ['y'], []],
    ['h', [], []],
  ]);
});

test('the pieces are the whole text, and what lies outside of it is left out', () => {
  const text = 'Ржаной хлеб 🥖';

  const segments = segmentsOf(text, [
    passage('x', -3, 6),
    passage('y', 40, 50),
    passage('z', 3, 3),
  ]);

  expect(segments.map((one) => one.text).join('')).toBe(text);
  expect(segments.flatMap(({ begins }) => begins)).toEqual(['x']);
});

test('an empty text has no pieces', () => {
  expect(segmentsOf('', [passage('x', 0, 4)])).toEqual([]);
});

test('a recording is heard from a little before the passage, as far as it is into the text', () => {
  const text = 'x'.repeat(100);

  expect(secondOf({ start: 50 }, text, 60)).toBe(28);
  expect(secondOf({ start: 1 }, text, 60)).toBe(0);
  expect(secondOf({ start: 50 }, text, null)).toBe(0);
  expect(clockOf(65)).toBe('1:05');
});
