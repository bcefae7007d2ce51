import { Chance } from '../../../tools/storm/chance';
import { scheduleOf } from '../../../tools/storm/schedule';

const MINUTE_MS = 60_000;

test('the same seed gives the same faults, another seed gives others', () => {
  expect(scheduleOf(7, MINUTE_MS)).toEqual(scheduleOf(7, MINUTE_MS));
  expect(scheduleOf(7, MINUTE_MS)).not.toEqual(scheduleOf(8, MINUTE_MS));
});

test.each([
  ['sigterm', 'terminate'],
  ['late_reply', 'late_owner'],
  ['late_outcome', 'late_owner'],
] as const)(
  'a storm that aims at %s has more of %s, and changes none of the other faults',
  (aim, kind) => {
    const usual = scheduleOf(7, MINUTE_MS);
    const more = scheduleOf(7, MINUTE_MS, aim);
    const times = new Set(more.map(({ atMs }) => atMs));

    expect(more).toEqual(expect.arrayContaining([...usual]));
    expect(more.length - usual.length).toBeGreaterThan(10);
    const added = more.filter((planned) => !usual.some(({ atMs }) => atMs === planned.atMs));
    expect(added.every(({ fault }) => fault.kind === kind)).toBe(true);
    expect(Math.max(...times)).toBeLessThan(MINUTE_MS);
  },
);

test('faults are in the order of their time, and none begins after the end', () => {
  for (let seed = 0; seed < 50; seed += 1) {
    const times = scheduleOf(seed, MINUTE_MS).map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
    expect(times.at(-1)).toBeLessThan(MINUTE_MS);
  }
});

test('ten storms of a minute have every kind of fault, and each fills the disk once', () => {
  const kinds = new Set<string>();
  for (let seed = 0; seed < 10; seed += 1) {
    const faults = scheduleOf(seed, MINUTE_MS).map(({ fault }) => fault);
    for (const { kind } of faults) kinds.add(kind);
    expect(faults.filter(({ kind }) => kind === 'full_disk')).toHaveLength(1);
    expect(faults.some(({ kind }) => kind === 'kill_database')).toBe(true);
  }
  expect([...kinds].toSorted()).toEqual([
    'black_hole',
    'cut_in_frame',
    'cut_listen',
    'delay',
    'distant_database',
    'freeze',
    'freeze_at_commit',
    'full_disk',
    'jump_clock',
    'kill',
    'kill_at_commit',
    'kill_database',
    'model',
    'notion',
    'repeat_update',
    'reset',
    'slow_statements',
    'telegram',
    'terminate',
  ]);
});

test('draws of one part do not change those of another', () => {
  const [one, other] = [new Chance(1), new Chance(1)];
  one.fork('a').next();
  expect(one.fork('b').next()).toBe(other.fork('b').next());
  expect(one.fork('a').next()).not.toBe(one.fork('b').next());
});
