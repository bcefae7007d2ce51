import { secondsBetween } from '../../bench/against/contest';
import { alternate, blockNotes, figuresOf, type Round } from '../../bench/against/rounds';

const QUANTITIES = [{ name: 'a delta', unit: 'µs' }];

function roundsOf(pairs: readonly (readonly [before: number, after: number])[]): Round[] {
  return pairs.map(([before, after]) => ({
    before: { 'a delta': before },
    after: { 'a delta': after },
  }));
}

test('the builds take turns, and neither is always the first', async () => {
  const order: string[] = [];

  const rounds = await alternate(3, (side, round) => {
    order.push(`${side} ${String(round)}`);
    return Promise.resolve({ 'a delta': order.length });
  });

  expect(order).toEqual(['before 0', 'after 0', 'after 1', 'before 1', 'before 2', 'after 2']);
  expect(rounds[1]).toEqual({ before: { 'a delta': 4 }, after: { 'a delta': 3 } });
});

test('the ratio is that of the rounds, so a machine that becomes slower does not change it', () => {
  const slowing = roundsOf([
    [100, 40],
    [200, 80],
    [400, 160],
    [800, 320],
    [1600, 800],
  ]);

  expect(figuresOf(QUANTITIES, slowing)).toEqual([
    { name: 'a delta, before', value: 400, unit: 'µs' },
    { name: 'a delta, after', value: 160, unit: 'µs' },
    { name: 'a delta, after over before', value: 0.4, unit: '×' },
    { name: 'a delta, after over before, least round', value: 0.4, unit: '×' },
    { name: 'a delta, after over before, most', value: 0.5, unit: '×' },
  ]);
});

test('the median of an even number of rounds lies between the two in the middle', () => {
  const [before] = figuresOf(
    QUANTITIES,
    roundsOf([
      [1, 1],
      [2, 1],
      [4, 1],
      [9, 1],
    ]),
  );

  expect(before?.value).toBe(3);
});

test('every block is noted', () => {
  const rounds = roundsOf([
    [3.14159, 1],
    [5, 2],
  ]);

  expect(blockNotes(QUANTITIES, rounds)).toEqual([
    'a delta, before, by round: 3.142, 5 µs',
    'a delta, after, by round: 1, 2 µs',
  ]);
});

test('a quantity that a block did not measure is shown as none', () => {
  const [before] = figuresOf([{ name: 'a turn', unit: 'ms' }], roundsOf([[1, 2]]));

  expect(before?.value).toBeNaN();
});

test('processor time of a process that began meanwhile is counted from zero', () => {
  const before = new Map([
    [1, 10],
    [2, 5],
  ]);
  const after = new Map([
    [1, 12],
    [3, 1],
  ]);

  expect(secondsBetween(before, after)).toBe(3);
});
