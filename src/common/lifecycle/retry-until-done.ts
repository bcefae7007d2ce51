import type { Clock } from '../clock';

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 60_000;

/**
 * What a failed try means: it returns the milliseconds that the peer asked its callers to wait (0: it
 * asked for nothing), or throws, which ends the tries.
 */
type OnFailedTry = (error: unknown, isFirst: boolean) => number;

/**
 * Repeats `work` until it succeeds or the signal aborts, with pauses that grow from 1 s to 60 s; a
 * pause is never shorter than the peer asked for. Rejects only with what `onFailedTry` throws.
 */
export async function retryUntilDone(
  clock: Clock,
  signal: AbortSignal,
  work: () => Promise<void>,
  onFailedTry: OnFailedTry,
): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted;) {
    try {
      await work();
      return;
    } catch (error) {
      const askedMs = onFailedTry(error, pauseMs === FIRST_PAUSE_MS);
      await clock.sleep(Math.max(pauseMs, askedMs), signal);
    }
    pauseMs = Math.min(LAST_PAUSE_MS, pauseMs * 2);
  }
}
