import type { FastifyReply } from 'fastify';
import type { Clock } from '../../../common/clock';

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
} as const;

/**
 * One open event stream, written straight to the socket. It never buffers more than the socket
 * does: writers wait for `drained()`. Cut by `destroy()` it looks unfinished to its client, which
 * reconnects; only `end()` says that all was said.
 */
export class SseResponse {
  private readonly closing = new AbortController();
  private lastWriteMs: number;
  private stalledSinceMs: number | null = null;
  private drain: Promise<void> | null = null;

  constructor(
    private readonly reply: FastifyReply,
    private readonly clock: Clock,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const kept = reply.getHeaders();
    reply.hijack();
    const { raw } = reply;
    raw.once('close', () => {
      this.closing.abort();
    });
    raw.on('error', () => {
      this.closing.abort();
    });
    raw.writeHead(200, { ...(kept as Record<string, string>), ...HEADERS, ...headers });
    this.lastWriteMs = clock.monotonicMs();
    this.write(': ok\n\n');
  }

  /** Aborts when the connection is gone, whoever ended it. */
  get closed(): AbortSignal {
    return this.closing.signal;
  }

  /** Writes one or more whole frames. */
  write(frames: string): void {
    const { raw } = this.reply;
    if (this.closed.aborted || raw.writableEnded) return;
    this.lastWriteMs = this.clock.monotonicMs();
    if (raw.write(frames)) return;
    this.stalledSinceMs ??= this.lastWriteMs;
    this.drain ??= new Promise((resolve) => {
      const done = (): void => {
        raw.removeListener('drain', done);
        this.closed.removeEventListener('abort', done);
        this.drain = null;
        this.stalledSinceMs = null;
        resolve();
      };
      raw.once('drain', done);
      this.closed.addEventListener('abort', done, { once: true });
    });
  }

  /** Resolves when the reader has taken what was written, or is gone. */
  drained(): Promise<void> {
    return this.drain ?? Promise.resolve();
  }

  /** Called now and then for all streams: keeps idle ones open and cuts readers that never read. */
  tend(limits: { heartbeatMs: number; slowReaderMs: number }): void {
    const nowMs = this.clock.monotonicMs();
    if (this.stalledSinceMs !== null) {
      if (nowMs - this.stalledSinceMs >= limits.slowReaderMs) this.destroy();
      return;
    }
    if (nowMs - this.lastWriteMs >= limits.heartbeatMs) this.write(': ok\n\n');
  }

  end(): void {
    if (!this.closed.aborted) this.reply.raw.end();
  }

  destroy(): void {
    this.reply.raw.destroy();
    this.closing.abort();
  }
}
