import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import type { Principal } from '../rights';

const WINDOW_MS = 60_000;

interface Window {
  readonly beganMs: number;
  count: number;
}

/** What of a response is needed to say how many requests are left. */
interface Reply {
  header(name: string, value: string): unknown;
}

/**
 * Counts the requests of each key, token and user, in windows of a minute that begin with its first request, on this
 * replica. There is a window for each of them, so there are few. The limit of a network
 * (RATE_LIMIT_PER_MINUTE) holds beside it.
 */
@Injectable()
export class KeyLimits {
  private readonly limit: number;
  /** By the name in the audit. */
  private readonly windows = new Map<string, Window>();

  constructor(
    settings: Settings,
    private readonly clock: Clock,
  ) {
    this.limit = settings.admin.keyRateLimitPerMinute;
  }

  /**
   * Counts one request, and says in `ratelimit-limit`, `ratelimit-remaining` and `ratelimit-reset`
   * (seconds) what is left: the headers of draft-ietf-httpapi-ratelimit-headers-06. Throws ProblemError
   * (429) after too many.
   */
  count({ actor }: Principal, reply: Reply): void {
    const window = this.windowOf(actor);
    window.count += 1;
    const leftMs = window.beganMs + WINDOW_MS - this.clock.monotonicMs();
    const resetS = Math.max(1, Math.ceil(leftMs / 1000));
    reply.header('ratelimit-limit', String(this.limit));
    reply.header('ratelimit-remaining', String(Math.max(0, this.limit - window.count)));
    reply.header('ratelimit-reset', String(resetS));
    if (window.count <= this.limit) return;
    throw new ProblemError(429, 'too_many_requests', 'Too many requests; try again later.', {
      retryAfterS: resetS,
    });
  }

  private windowOf(actor: string): Window {
    const nowMs = this.clock.monotonicMs();
    const open = this.windows.get(actor);
    if (open !== undefined && nowMs - open.beganMs < WINDOW_MS) return open;
    const window = { beganMs: nowMs, count: 0 };
    this.windows.set(actor, window);
    return window;
  }
}
