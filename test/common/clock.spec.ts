import { isTimeLimit, settledWithin, withTimeLimit } from '../../src/common/clock';
import { ColloquyError } from '../../src/common/errors';
import { FakeClock } from '../../tools/support/fake-clock';

class KnownError extends ColloquyError {
  readonly code = 'known';
  readonly retryable = false;
}

/** Fails with the error when its signal aborts. */
function failWith(error: (signal: AbortSignal) => unknown) {
  return (signal: AbortSignal) =>
    new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- any error of a library
        reject(error(signal));
      });
    });
}

describe('withTimeLimit', () => {
  test('returns what the work returns, and its error, when they come in time', async () => {
    const clock = new FakeClock();
    await expect(withTimeLimit(clock, 100, () => Promise.resolve(7))).resolves.toBe(7);
    const failed = withTimeLimit(clock, 100, () => Promise.reject(new Error('broken')));
    await expect(failed).rejects.toThrow('broken');
  });

  test('aborts the work after its time, and reports the time whatever a library throws', async () => {
    const clock = new FakeClock();
    const limited = withTimeLimit(
      clock,
      100,
      failWith(() => new Error('This operation was aborted')),
    );
    const ended = limited.catch((error: unknown) => error);
    clock.advance(100);

    expect(isTimeLimit(await ended)).toBe(true);
  });

  test('keeps an error of ours that comes after its time', async () => {
    const clock = new FakeClock();
    const limited = withTimeLimit(
      clock,
      100,
      failWith(() => new KnownError('not stored')),
    );
    const ended = limited.catch((error: unknown) => error);
    clock.advance(100);

    expect(await ended).toBeInstanceOf(KnownError);
  });

  test("aborts with the caller's signal, whose reason is not taken for the time", async () => {
    const clock = new FakeClock();
    const caller = new AbortController();
    const limited = withTimeLimit(
      clock,
      100,
      failWith(({ reason }) => reason),
      caller.signal,
    );
    const ended = limited.catch((error: unknown) => error);
    caller.abort(new Error('stopped'));

    expect(await ended).toEqual(new Error('stopped'));
  });
});

describe('settledWithin', () => {
  test('returns the result, or undefined when it does not come in time', async () => {
    const clock = new FakeClock();
    await expect(settledWithin(clock, 100, Promise.resolve(7))).resolves.toBe(7);
    const late = settledWithin(clock, 100, new Promise<number>(() => undefined));
    clock.advance(100);

    await expect(late).resolves.toBeUndefined();
  });
});
