import type { Clock } from '../../../src/common/clock';
import { retryUntilDone } from '../../../src/common/lifecycle';

/** Work that fails `failures` times, and the pauses between its tries. */
function failing(failures: number) {
  const pauses: number[] = [];
  const clock = {
    sleep: (ms: number) => {
      pauses.push(ms);
      return Promise.resolve();
    },
  };
  const errors = Array.from({ length: failures }, (_, n) => new Error(`failure ${String(n + 1)}`));
  const work = () => {
    const error = errors.shift();
    return error === undefined ? Promise.resolve() : Promise.reject(error);
  };
  return { clock: clock as Clock, pauses, work };
}

test('the pauses grow from 1 s to 60 s, and only the first failure counts as first', async () => {
  const { clock, pauses, work } = failing(8);
  const firsts: boolean[] = [];

  await retryUntilDone(clock, new AbortController().signal, work, (_error, isFirst) => {
    firsts.push(isFirst);
    return 0;
  });

  expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
  expect(firsts.filter(Boolean)).toHaveLength(1);
  expect(firsts[0]).toBe(true);
});

test('a pause is as long as the peer asked for, if that is longer', async () => {
  const { clock, pauses, work } = failing(2);

  await retryUntilDone(clock, new AbortController().signal, work, () => 1500);

  expect(pauses).toEqual([1500, 2000]);
});

test('it ends with what the handler of failures throws', async () => {
  const { clock, pauses, work } = failing(1);

  const tries = retryUntilDone(clock, new AbortController().signal, work, (error) => {
    throw error;
  });

  await expect(tries).rejects.toThrow('failure 1');
  expect(pauses).toEqual([]);
});

test('nothing is tried any more once the signal has aborted', async () => {
  const { clock, pauses, work } = failing(3);
  const stopping = new AbortController();

  await retryUntilDone(clock, stopping.signal, work, () => {
    stopping.abort();
    return 0;
  });

  expect(pauses).toEqual([1000]);
});
