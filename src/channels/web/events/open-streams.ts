import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import type { OutgoingHttpHeaders } from 'node:http';
import { Clock } from '../../../common/clock';
import { Settings } from '../../../common/config';
import { ProblemError } from '../../../common/http';
import { Drain } from '../../../common/lifecycle';
import { Metrics } from '../../../common/metrics';
import { SseResponse } from './sse-response';

const CHECK_EVERY_MS = 1000;

/** Whose streams share one limit: those who watch a conversation do not count for its candidate. */
export type StreamReaders = `${'candidate' | 'watchers'} of ${string}`;

/** All event streams of this process: counted, checked by one timer, cut at the end of the drain. */
@Injectable()
export class OpenStreams implements OnModuleInit {
  private readonly streams = new Set<SseResponse>();
  private readonly counts = new Map<string, number>();
  private readonly stopping = new AbortController();

  constructor(
    private readonly clock: Clock,
    private readonly settings: Settings,
    private readonly drain: Drain,
    metrics: Metrics,
  ) {
    metrics.gauge('sse_open_streams', 'Open event streams', [], (gauge) => {
      gauge.set(this.streams.size);
    });
  }

  onModuleInit(): void {
    // Until then they get heartbeats: a proxy would close a stream that is silent in a long drain.
    this.drain.register('streams', 'event streams', () => {
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
      throw new ProblemError(405, 'method_not_allowed', 'A stream has no length to ask for.');
    }
    if (this.drain.isDraining) {
      throw new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 });
    }
    const open = this.counts.get(readers) ?? 0;
    if (open >= this.settings.sse.streamsPerSession) {
      throw new ProblemError(429, 'too_many_streams', 'Too many open streams.', { retryAfterS: 5 });
    }
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
    const { sse } = this.settings;
    const everyMs = Math.min(CHECK_EVERY_MS, sse.heartbeatMs, sse.slowReaderMs);
    while (!this.stopping.signal.aborted) {
      await this.clock.sleep(everyMs, this.stopping.signal);
      for (const response of [...this.streams]) response.checkTimers(sse);
    }
  }
}
