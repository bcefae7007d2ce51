import { setTimeout as sleep } from 'node:timers/promises';

/** Waits in real time, with a bound, for what no fake clock moves. */
const POLL_MS = 20;
const TIMEOUT_MS = 30_000;
/** For what a process of its own does: it shares the machine with other processes. */
export const PROCESS_TIMEOUT_MS = 60_000;

/** Polls until `probe` returns a value other than undefined and false; on a timeout names `claim`. */
export async function until<T>(
  claim: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = TIMEOUT_MS,
): Promise<T> {
  const endMs = performance.now() + timeoutMs;
  do {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    await sleep(POLL_MS);
  } while (performance.now() < endMs);
  throw new Error(`Timed out while waiting until ${claim}`);
}

/**
 * Checks at every turn of the event loop, for states of this process that soon end; on a timeout names
 * `claim`.
 */
export async function untilInProcess(
  claim: string,
  isTrue: () => boolean | Promise<boolean>,
): Promise<void> {
  const endMs = performance.now() + TIMEOUT_MS;
  while (!(await isTrue())) {
    if (performance.now() >= endMs) throw new Error(`never true: ${claim}`);
    await turnOfLoop();
  }
}

/** Lets everything run that is ready to run. */
export function turnOfLoop(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
