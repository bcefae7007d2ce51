import { QuietDeadline } from '../../../tools/storm/quiet';

const OPEN = { state: 'open', dueInMs: 0 };
const jobs = (count: number, one = OPEN) => Array.from({ length: count }, () => one);

test('what is left may take long as long as it gets less', () => {
  const deadline = new QuietDeadline(0);

  expect(deadline.isOver({ nowMs: 1000, jobs: jobs(9), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 30_000, jobs: jobs(8), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 59_000, jobs: jobs(7), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 88_000, jobs: jobs(6), updates: 0 })).toBe(false);
});

test('jobs that come and go without getting fewer are stuck', () => {
  const deadline = new QuietDeadline(0);

  expect(deadline.isOver({ nowMs: 1000, jobs: jobs(2), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 20_000, jobs: jobs(3), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 30_500, jobs: jobs(2), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 31_500, jobs: jobs(2), updates: 0 })).toBe(true);
});

test('a database that does not respond is no progress', () => {
  const deadline = new QuietDeadline(0);

  expect(deadline.isOver({ nowMs: 29_000, jobs: null, updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 30_500, jobs: null, updates: 0 })).toBe(true);
});

test('a retry has its time once it is due', () => {
  const deadline = new QuietDeadline(0);
  const retry = { state: 'retry', dueInMs: 20_000 };

  expect(deadline.isOver({ nowMs: 25_000, jobs: jobs(1, retry), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 74_000, jobs: jobs(1), updates: 0 })).toBe(false);
  expect(deadline.isOver({ nowMs: 76_000, jobs: jobs(1), updates: 0 })).toBe(true);
});

test('an update has until Telegram sends it again, and not for ever', () => {
  const deadline = new QuietDeadline(0);

  expect(deadline.isOver({ nowMs: 1000, jobs: jobs(0), updates: 1 })).toBe(false);
  expect(deadline.isOver({ nowMs: 110_000, jobs: jobs(0), updates: 1 })).toBe(false);
  expect(deadline.isOver({ nowMs: 120_500, jobs: jobs(0), updates: 1 })).toBe(true);
});

test('an answer that is due later than the settings allow is wrong at once', () => {
  const deadline = new QuietDeadline(0);
  const late = { state: 'open', dueInMs: 121_000 };

  expect(deadline.isOver({ nowMs: 1000, jobs: jobs(1, late), updates: 0 })).toBe(true);
});
