import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock';
import { ProblemError } from './problem';

/** The lowest rate at which a body may arrive, judged over whole windows. */
export interface UploadPace {
  readonly clock: Clock;
  readonly minBytesPerSecond: number;
}

export interface BodyBounds {
  readonly maxBytes: number;
  /**
   * A longer body is read and dropped up to here, so that a client which is still sending hears why
   * it is refused; `maxBytes` when absent.
   */
  readonly droppedUpTo?: number;
  readonly pace: UploadPace;
  /** Called with the size of each part before it is kept; returns an error to refuse the body. */
  readonly onKept?: (bytes: number) => Error | null;
}

/** How long a body may arrive too slowly before the request is refused. */
const WINDOW_MS = 5000;

/**
 * The whole body of a request that nobody has begun to read. Throws ProblemError when it is too
 * long, arrives too slowly, or when the client leaves. The caller closes the connection of a request
 * that is refused here: what is left of its body cannot be told from the next request.
 */
export function readBytes(raw: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
  const { maxBytes, droppedUpTo = maxBytes } = bounds;
  const announced = Number(raw.headers['content-length'] ?? 0);
  if (announced > droppedUpTo) return Promise.reject(tooLarge());
  if (raw.destroyed && !raw.readableEnded) return Promise.reject(gone());
  return new Promise((resolve, reject) => {
    const settled = new AbortController();
    const parts: Buffer[] = [];
    let length = 0;
    const settle = (error: Error | null): void => {
      if (settled.signal.aborted) return;
      settled.abort();
      raw.off('data', onData).off('end', onEnd).off('error', onGone).off('close', onGone);
      // A late reset of the connection has no other listener, and is no error of this process.
      if (error !== null) raw.pause().on('error', () => undefined);
      if (error === null) resolve(Buffer.concat(parts, length));
      else reject(error);
    };
    const onData = (part: Buffer): void => {
      length += part.length;
      if (length > droppedUpTo) {
        settle(tooLarge());
        return;
      }
      if (length > maxBytes || announced > maxBytes) {
        parts.length = 0;
        return;
      }
      const refusal = bounds.onKept?.(part.length) ?? null;
      if (refusal === null) parts.push(part);
      else settle(refusal);
    };
    const onEnd = (): void => {
      settle(length > maxBytes ? tooLarge() : null);
    };
    const onGone = (): void => {
      settle(gone());
    };
    raw.on('data', onData).on('end', onEnd).on('error', onGone).on('close', onGone);
    // Most bodies are here already.
    if (raw.complete) return;
    const received = (): number => length;
    void watchPace(bounds.pace, received, settled.signal).then((isTooSlow) => {
      if (isTooSlow) settle(tooSlow());
    });
  });
}

/** Resolves with true once a window brought too little, with false when the body is settled. */
async function watchPace(
  { clock, minBytesPerSecond }: UploadPace,
  received: () => number,
  settled: AbortSignal,
): Promise<boolean> {
  const wanted = (minBytesPerSecond * WINDOW_MS) / 1000;
  for (let before = received(); ; before = received()) {
    await clock.sleep(WINDOW_MS, settled);
    if (settled.aborted) return false;
    if (received() - before < wanted) return true;
  }
}

function tooLarge(): ProblemError {
  return new ProblemError(413, 'body_too_large', 'The body is too large.');
}

function tooSlow(): ProblemError {
  return new ProblemError(408, 'request_timeout', 'The request took too long to arrive.');
}

/** Nobody reads it; the code keeps it apart from the server's own errors. */
function gone(): ProblemError {
  return new ProblemError(400, 'request_gone', 'The client closed the connection.');
}
