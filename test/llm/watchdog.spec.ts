import { Watchdog } from '../../src/llm/openai-http';
import { FakeClock } from '../../tools/support/fake-clock';
import { turnOfLoop } from '../support/until';

const LIMIT_MS = 600_000;
const IDLE_MS = 20_000;

describe('the watchdog of a request', () => {
  function watched() {
    const clock = new FakeClock();
    const timers = jest.spyOn(clock, 'sleep');
    const watch = new Watchdog(clock, new AbortController().signal, LIMIT_MS);
    const pass = async (ms: number): Promise<void> => {
      clock.advance(ms);
      await turnOfLoop();
    };
    return { watch, timers, pass };
  }

  test('sets no timer for each chunk of a reply', async () => {
    const { watch, timers, pass } = watched();
    for (let chunk = 0; chunk < 300; chunk += 1) {
      watch.expect(IDLE_MS, 'idle');
      await pass(50);
      watch.pause();
    }

    // One timer for the whole request and one for silence.
    expect(timers).toHaveBeenCalledTimes(2);
    watch.close();
  });

  test('counts silence from the last chunk', async () => {
    const { watch, pass } = watched();
    watch.expect(IDLE_MS, 'idle');
    await pass(15_000);
    watch.pause();
    watch.expect(IDLE_MS, 'idle');

    await pass(IDLE_MS - 1);
    expect(watch.trippedBy).toBeNull();
    await pass(1);
    expect(watch.trippedBy).toBe('idle');
    expect(watch.signal.aborted).toBe(true);
  });

  test('ends sooner after a shorter limit', async () => {
    const { watch, pass } = watched();
    watch.expect(IDLE_MS, 'first_byte');
    watch.pause();
    watch.expect(2000, 'idle');

    await pass(2000);

    expect(watch.trippedBy).toBe('idle');
  });

  test('counts no silence while no limit is set', async () => {
    const { watch, pass } = watched();
    watch.expect(IDLE_MS, 'first_byte');
    watch.pause();
    await pass(10 * IDLE_MS);
    expect(watch.trippedBy).toBeNull();

    watch.expect(IDLE_MS, 'idle');
    await pass(IDLE_MS);
    expect(watch.trippedBy).toBe('idle');
  });
});
