import type { StreamSignal } from '../../../streams';
import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { Clock } from '../../../common/clock';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { ProblemError } from '../../../common/http';
import { Drain, type DrainDeadline } from '../../../common/lifecycle';
import { UnitOfWorkFactory } from '../../../common/uow';
import { Metrics } from '../../../common/metrics';

/**
 * One open event stream, written straight to the socket.
 *
 *   open ──end()──────> closed   complete
 *   open ──destroy()──> closed   incomplete: its client reconnects
 *   open ──(client)───> closed
 *
 * It never buffers more than the socket does: writers wait for `drained()`. Thousands are open at a
 * time, so it keeps only the response, not the request, and has no timer of its own.
 */
export class SseResponse {
  /** Wakes the one reader that writes to this stream. Closed with the stream. */
  readonly wakeSignal = new WakeSignal();
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
    raw.on('close', () => {
      this.close();
    });
    raw.on('drain', () => {
      this.noteDrained();
    });
    // The client left while its request was handled: its `close` event has been emitted already.
    if (raw.destroyed) {
      this.close();
      return;
    }
    raw.writeHead(200, { ...headers, ...HEADERS });
    // Through `http`, because only it can write the head.
    raw.write(COMMENT);
    forgetHead(raw);
  }

  /** The connection is closed, by either side. */
  get isClosed(): boolean {
    return !this.isOpen;
  }

  /** The client has not read yet what was written. */
  get isStalled(): boolean {
    return this.stalledSinceMs !== null;
  }

  /** Writes one or more whole frames. */
  write(frames: string): void {
    if (frames === '' || !this.isOpen || this.raw.writableEnded) return;
    this.lastWriteMs = this.clock.monotonicMs();
    if (!this.send(frames)) this.stalledSinceMs ??= this.lastWriteMs;
  }

  /** Resolves when the client has read what was written, or the stream is closed. */
  drained(): Promise<void> {
    if (this.stalledSinceMs === null || !this.isOpen) return Promise.resolve();
    this.drain ??= deferred();
    return this.drain.promise;
  }

  /**
   * Called about once a second: writes a comment to an idle stream, so that no proxy closes it, and
   * cuts off a client that does not read.
   */
  checkTimers(limits: StreamLimits): void {
    const nowMs = this.clock.monotonicMs();
    if (this.stalledSinceMs !== null) {
      if (nowMs - this.stalledSinceMs >= limits.slowReaderMs) this.destroy();
      return;
    }
    if (nowMs - this.lastWriteMs >= limits.heartbeatMs) this.write(COMMENT);
    this.wakeSignal.tick(nowMs);
  }

  /** Ends the stream as complete. */
  end(): void {
    if (this.isOpen) this.raw.end();
  }

  /** Closes the connection without its end, so that the client reconnects. */
  destroy(): void {
    this.raw.destroy();
    this.close();
  }

  /**
   * Writes one chunk in one write. `http` makes four writes of a chunk, which took a third of the
   * processor time of a delta. `http` still writes for HTTP/1.0, which has no chunks, and for a
   * response that waits for an earlier one on its connection.
   */
  private send(frames: string): boolean {
    const { raw } = this;
    const { socket } = raw;
    if (!raw.chunkedEncoding || socket?.writable !== true) return raw.write(frames);
    const bytes = Buffer.byteLength(frames).toString(16);
    const isTaken = socket.write(`${bytes}\r\n${frames}\r\n`);
    // `http` emits `drain` only for its own writes.
    if (!isTaken && this.stalledSinceMs === null) {
      socket.once('drain', () => {
        this.noteDrained();
      });
    }
    return isTaken;
  }

  private noteDrained(): void {
    this.stalledSinceMs = null;
    this.drain?.resolve();
    this.drain = null;
  }

  private close(): void {
    if (!this.isOpen) return;
    this.isOpen = false;
    this.noteDrained();
    this.wakeSignal.close();
    this.onClosed(this);
  }
}

/**
 * `http` keeps the head that it has sent to the end of the response: 3 kB, a quarter of an idle stream. Afterwards it
 * only looks whether there is one.
 */
function forgetHead(raw: ServerResponse): void {
  if ('_headerSent' in raw && raw._headerSent === true) Object.assign(raw, { _header: 'sent' });
}

/** One line feed: after an empty line some clients report an event without a name or data. */
const COMMENT = ': ok\n';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;

/** What happened since a reader last waited: new text of a running reply, or changed rows. */
export interface WakeReasons {
  readonly text: boolean;
  readonly rows: boolean;
}

const NO_REASON: WakeReasons = { text: false, rows: false };

/**
 * Wakes one reader. Signals that come before the reader waits again are merged: one read serves them
 * all. It has no timer and no queue, so an idle reader costs next to nothing.
 */
export class WakeSignal {
  /**
   * The reader expects a change: it is woken to read the rows after this long, also without a
   * signal. Null: it expects nothing.
   */
  rereadAfterMs: number | null = null;
  private reasons = NO_REASON;
  private resume: (() => void) | null = null;
  private isClosed = false;
  private lastTickMs: number | null = null;

  wake(reason: StreamSignal): void {
    if (!this.reasons[reason]) this.reasons = { ...this.reasons, [reason]: true };
    this.resumeReader();
  }

  /** Called about once a second, by the one timer of all streams. */
  tick(nowMs: number): void {
    this.lastTickMs ??= nowMs;
    if (this.rereadAfterMs === null || nowMs - this.lastTickMs < this.rereadAfterMs) return;
    this.lastTickMs = nowMs;
    this.wake('rows');
  }

  /** The connection is closed: the reader is woken, and never waits again. */
  close(): void {
    this.isClosed = true;
    this.resumeReader();
  }

  /** Waits for a signal or for the end of the connection. Returns the reasons and clears them. */
  async wait(): Promise<WakeReasons> {
    if (this.reasons === NO_REASON && !this.isClosed) {
      await new Promise<void>((resolve) => {
        this.resume = resolve;
      });
    }
    const { reasons } = this;
    this.reasons = NO_REASON;
    return reasons;
  }

  private resumeReader(): void {
    this.resume?.();
    this.resume = null;
  }
}

export interface StreamLimits {
  readonly heartbeatMs: number;
  readonly slowReaderMs: number;
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

const CHECK_EVERY_MS = 1000;
/** At the end of a drain, for readers to get the end of a reply that has just been stored. */
const LAST_READ_MS = 1000;
const LAST_READ_POLL_MS = 50;

/**
 * Whose streams share one limit: those who watch a conversation do not count for its candidate. `tabs`: of a
 * colleague, by the id of the user.
 */
export type StreamReaders = `${'candidate' | 'watchers' | 'tabs'} of ${string}`;

/**
 * Comments on an idle stream come four times within the minute after which proxies close a silent connection.
 * A reader that takes nothing for half a minute is gone. A person has a few tabs and devices open; as many more
 * streams may watch their conversation.
 */
export const STREAM_LIMITS = { heartbeatMs: 15_000, slowReaderMs: 30_000, perSession: 12 };

/** All event streams of this process: counted, checked by one timer, cut at the end of the drain. */
@Injectable()
export class OpenStreams implements OnModuleInit {
  private readonly streams = new Set<SseResponse>();
  private readonly counts = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly drain: Drain,
    private readonly units: UnitOfWorkFactory,
    metrics: Metrics,
  ) {
    metrics.gauge('sse_open_streams', 'Open event streams', [], (gauge) => {
      gauge.set(this.streams.size);
    });
  }

  onModuleInit(): void {
    // Streams are cut in this drain phase. Until then they get heartbeats, because a proxy closes a
    // stream that stays silent during a long drain.
    this.drain.register('streams', 'event streams', async (deadline) => {
      await this.letReadersFinish(deadline);
      this.stopping.abort();
      this.destroyAll();
    });
    void this.checkAll();
  }

  /** Responds with an event stream. Throws ProblemError: see `assertFree`. */
  open(
    reply: FastifyReply,
    readers: StreamReaders,
    headers: Readonly<Record<string, string>> = {},
  ): SseResponse {
    this.assertFree(reply, readers);
    // `hijack` loses the headers that the framework has set (security, limits).
    const kept = { ...(reply.getHeaders() as OutgoingHttpHeaders), ...headers };
    reply.hijack();
    this.count(readers, 1);
    const response = new SseResponse(reply.raw, kept, this.clock, (closed) => {
      this.streams.delete(closed);
      this.count(readers, -1);
    });
    if (!response.isClosed) this.streams.add(response);
    return response;
  }

  /**
   * Throws ProblemError when no stream may be opened: 503 while draining, 429 when its readers have
   * too many. Called before any other work of the request.
   */
  assertFree(reply: FastifyReply, readers: StreamReaders): void {
    if (reply.request.method === 'HEAD') {
      throw new ProblemError(
        405,
        'method_not_allowed',
        'HEAD is not supported for event streams; use GET.',
      );
    }
    if (this.drain.isDraining) {
      throw new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 });
    }
    const open = this.counts.get(readers) ?? 0;
    if (open >= STREAM_LIMITS.perSession) {
      throw new ProblemError(429, 'too_many_streams', 'Too many open streams.', { retryAfterS: 5 });
    }
  }

  /** Gives readers a moment to read the last commits. Nothing is lost without it. */
  private async letReadersFinish({ signal }: DrainDeadline): Promise<void> {
    const untilMs = this.clock.monotonicMs() + LAST_READ_MS;
    do {
      await this.clock.sleep(LAST_READ_POLL_MS, signal);
    } while (this.units.committing > 0 && this.clock.monotonicMs() < untilMs && !signal.aborted);
  }

  destroyAll(): void {
    for (const response of [...this.streams]) response.destroy();
  }

  private count(readers: StreamReaders, by: 1 | -1): void {
    const open = (this.counts.get(readers) ?? 0) + by;
    if (open === 0) this.counts.delete(readers);
    else this.counts.set(readers, open);
  }

  private async checkAll(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      await this.clock.sleep(CHECK_EVERY_MS, this.stopping.signal);
      for (const response of [...this.streams]) response.checkTimers(STREAM_LIMITS);
    }
  }
}
