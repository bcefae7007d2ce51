import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../clock';
import { networkOf, siteOf } from '../config';
import { ProblemError } from './problem';

const WINDOW_MS = 60_000;
const OF_ONE_NETWORK = 10;
/** A site has 65,536 networks of IPv6; alone it must not use up what all have together. */
const OF_ONE_SITE = 50;
const OF_ALL = 100;
const MAX_KNOWN = 1000;

/** What a secret gives access to. */
export type GuardedArea =
  | 'admin API'
  | 'API keys'
  | 'team sign-in'
  | 'management pages'
  | 'Telegram webhook'
  | 'Notion automations';

interface Window {
  readonly beganMs: number;
  readonly byNetwork: Map<string, number>;
  readonly bySite: Map<string, number>;
  total: number;
}

/**
 * Counts wrong secrets for each guarded thing: ten a minute from one network, a hundred from all
 * together. Networks are those of the request limit (`networkOf`): counted by address, one caller with a
 * /64 of IPv6 would use up the hundred, and nobody else could show a right secret. A network that has shown
 * it before is not refused because of others' attempts: behind a proxy that is not trusted all clients have
 * one address.
 */
@Injectable()
export class FailedAttempts {
  private readonly logger = new Logger('Security');
  private readonly windows = new Map<GuardedArea, Window>();
  /** `guarded network`, the least recent first. */
  private readonly known = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Throws ProblemError after too many attempts; the secret is not compared then. */
  assertAllowed(guarded: GuardedArea, address: string): void {
    const refusal = this.refusal(guarded, address);
    if (refusal !== null) throw refusal;
  }

  /** The same as a returned problem; null: the secret may be compared. */
  refusal(guarded: GuardedArea, address: string): ProblemError | null {
    if (this.known.has(keyOf(guarded, address))) return null;
    return this.refusalOf(this.windowOf(guarded), address);
  }

  succeeded(guarded: GuardedArea, address: string): void {
    const key = keyOf(guarded, address);
    this.known.delete(key);
    this.known.add(key);
    const [oldest] = this.known;
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  /** Counts a wrong secret. Returns what to respond: `problem`, or 429 when there were too many. */
  failed(guarded: GuardedArea, address: string, problem: ProblemError): ProblemError {
    const window = this.windowOf(guarded);
    const refusal = this.refusalOf(window, address);
    if (refusal !== null) return refusal;
    countIn(window.byNetwork, networkOf(address));
    countIn(window.bySite, siteOf(address));
    window.total += 1;
    if (window.total === 1) this.log(guarded, `shown from ${networkOf(address)}`);
    if (window.total === OF_ALL) this.log(guarded, `shown ${String(OF_ALL)} times in a minute`);
    return problem;
  }

  private windowOf(guarded: GuardedArea): Window {
    const nowMs = this.clock.monotonicMs();
    const open = this.windows.get(guarded);
    if (open !== undefined && nowMs - open.beganMs < WINDOW_MS) return open;
    const window = { beganMs: nowMs, byNetwork: new Map(), bySite: new Map(), total: 0 };
    this.windows.set(guarded, window);
    return window;
  }

  private refusalOf(window: Window, address: string): ProblemError | null {
    const isAllowed =
      (window.byNetwork.get(networkOf(address)) ?? 0) < OF_ONE_NETWORK &&
      (window.bySite.get(siteOf(address)) ?? 0) < OF_ONE_SITE &&
      window.total < OF_ALL;
    if (isAllowed) return null;
    const leftMs = window.beganMs + WINDOW_MS - this.clock.monotonicMs();
    return new ProblemError(429, 'too_many_attempts', 'Too many wrong secrets; try again later.', {
      retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }

  /** At most two log lines a minute for each guarded thing. */
  private log(guarded: GuardedArea, what: string): void {
    this.logger.warn(`${guarded}: a wrong secret was ${what}; check who calls it, and its secret.`);
  }
}

function keyOf(guarded: GuardedArea, address: string): string {
  return `${guarded} ${networkOf(address)}`;
}

function countIn(counts: Map<string, number>, key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
