import type { StreamSignal } from '../../../streams';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Clock } from '../../../common/clock';

/** What happened since a reader last looked. */
export interface WakeReasons {
  readonly text: boolean;
  readonly rows: boolean;
}

const NOTHING: WakeReasons = { text: false, rows: false };

/**
 * Wakes one reader. Rings are merged: one look serves them all. It has no timer and no queue, so
 * an idle reader costs next to nothing.
 */
export class WakeSignal {
  /**
   * The reader waits for something that must come: it reads the rows again after this long, even
   * if no ring came. Null: it waits for nothing in particular.
   */
  lookAgainMs: number | null = null;
  private rang = NOTHING;
  private wake: (() => void) | null = null;
  private isOver = false;
  private lastTickMs: number | null = null;

  ring(signal: StreamSignal): void {
    if (!this.rang[signal]) this.rang = { ...this.rang, [signal]: true };
    this.rouse();
  }

  /** Called every second or so by whoever tends all streams. */
  tick(nowMs: number): void {
    this.lastTickMs ??= nowMs;
    if (this.lookAgainMs === null || nowMs - this.lastTickMs < this.lookAgainMs) return;
    this.lastTickMs = nowMs;
    this.ring('rows');
  }

  /** The connection is gone: nobody waits any more. */
  fallSilent(): void {
    this.isOver = true;
    this.rouse();
  }

  /** Waits for a ring, or for the end of the connection; answers what rang, and forgets it. */
  async wait(): Promise<WakeReasons> {
    if (this.rang === NOTHING && !this.isOver) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    const { rang } = this;
    this.rang = NOTHING;
    return rang;
  }

  private rouse(): void {
    this.wake?.();
    this.wake = null;
  }
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

export interface StreamLimits {
  readonly heartbeatMs: number;
  readonly slowReaderMs: number;
}

/**
 * One open event stream, written straight to the socket.
 *
 *   open ──end()──────> closed   all was said
 *   open ──destroy()──> closed   it looks unfinished to its client, which comes back
 *   open ──(client)───> closed
 *
 * It never buffers more than the socket does: writers wait for `drained()`. Thousands are open at a
 * time, so it keeps the bare response, no request, and has no timer and no signal of its own.
 */
export class SseResponse {
  /** Wakes the one reader that writes to this stream; silent for ever once it is closed. */
  readonly bell = new WakeSignal();
  private isOpen = true;
  private lastWriteMs: number;
  private stalledSinceMs: number | null = null;
  private drain: Deferred | null = null;

  constructor(
    private readonly raw: ServerResponse,
    headers: OutgoingHttpHeaders,
    private readonly clock: Clock,
    private readonly onClosed: (response: SseResponse) => void,
  ) {
    this.lastWriteMs = clock.monotonicMs();
    raw.on('error', () => {
      this.close();
    });
    raw.once('close', () => {
      this.close();
    });
    raw.on('drain', () => {
      this.flow();
    });
    // A client that left while its request was worked on has closed already: no event comes.
    if (raw.destroyed) {
      this.close();
      return;
    }
    raw.writeHead(200, { ...headers, ...HEADERS });
    // With the head, which only `http` can write.
    raw.write(': ok\n\n');
  }

  /** The connection is gone, whoever ended it. */
  get isClosed(): boolean {
    return !this.isOpen;
  }

  /** The reader has not taken yet what was written. */
  get isStalled(): boolean {
    return this.stalledSinceMs !== null;
  }

  /** Writes one or more whole frames. */
  write(frames: string): void {
    if (frames === '' || !this.isOpen || this.raw.writableEnded) return;
    this.lastWriteMs = this.clock.monotonicMs();
    if (!this.send(frames)) this.stalledSinceMs ??= this.lastWriteMs;
  }

  /** Resolves when the reader has taken what was written, or is gone. */
  drained(): Promise<void> {
    if (this.stalledSinceMs === null || !this.isOpen) return Promise.resolve();
    this.drain ??= deferred();
    return this.drain.promise;
  }

  /** Called every second or so: keeps an idle stream open and cuts a reader that never reads. */
  tend(limits: StreamLimits): void {
    const nowMs = this.clock.monotonicMs();
    if (this.stalledSinceMs !== null) {
      if (nowMs - this.stalledSinceMs >= limits.slowReaderMs) this.destroy();
      return;
    }
    if (nowMs - this.lastWriteMs >= limits.heartbeatMs) this.write(': ok\n\n');
    this.bell.tick(nowMs);
  }

  /** All was said. */
  end(): void {
    if (this.isOpen) this.raw.end();
  }

  /** Cuts the connection in the middle. */
  destroy(): void {
    this.raw.destroy();
    this.close();
  }

  /**
   * One string in one write. `http` makes four writes of a chunk, which was a third of the processor
   * time of a delta. Its own way remains for HTTP/1.0, which has no chunks, and for a response that
   * waits for an earlier one on its connection.
   */
  private send(frames: string): boolean {
    const { raw } = this;
    const { socket } = raw;
    if (!raw.chunkedEncoding || socket?.writable !== true) return raw.write(frames);
    const bytes = Buffer.byteLength(frames).toString(16);
    const isTaken = socket.write(`${bytes}\r\n${frames}\r\n`);
    // `http` tells only of writes of its own.
    if (!isTaken && this.stalledSinceMs === null) {
      socket.once('drain', () => {
        this.flow();
      });
    }
    return isTaken;
  }

  private flow(): void {
    this.stalledSinceMs = null;
    this.drain?.resolve();
    this.drain = null;
  }

  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.flow();
    this.bell.fallSilent();
    this.onClosed(this);
  }
}

interface Deferred {
  readonly promise: Promise<void>;
  readonly resolve: () => void;
}

function deferred(): Deferred {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
