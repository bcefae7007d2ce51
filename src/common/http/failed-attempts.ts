import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../clock';
import { ProblemError } from './problem';

const WINDOW_MS = 60_000;
const OF_ONE_ADDRESS = 10;
const OF_ALL = 100;
const MAX_KNOWN = 1000;

/** What a secret that an operator chose gives access to. */
export type Guarded = 'admin API' | 'management pages' | 'Telegram webhook' | 'Notion automations';

interface Window {
  readonly beganMs: number;
  readonly byAddress: Map<string, number>;
  total: number;
}

/**
 * Counts wrong secrets for each guarded thing: ten a minute from one address, a hundred from all
 * together. An address that has shown the right secret before is not refused because of others'
 * attempts: behind a proxy that is not trusted all clients have one address.
 */
@Injectable()
export class FailedAttempts {
  private readonly logger = new Logger('Security');
  private readonly windows = new Map<Guarded, Window>();
  /** `guarded address`, the least recent first. */
  private readonly known = new Set<string>();

  constructor(private readonly clock: Clock) {}

  /** Throws ProblemError after too many attempts; the secret is not compared then. */
  assertAllowed(guarded: Guarded, address: string): void {
    const refusal = this.refusal(guarded, address);
    if (refusal !== null) throw refusal;
  }

  /** The same as a returned problem; null: the secret may be compared. */
  refusal(guarded: Guarded, address: string): ProblemError | null {
    if (this.known.has(`${guarded} ${address}`)) return null;
    return this.refusalOf(this.windowOf(guarded), address);
  }

  succeeded(guarded: Guarded, address: string): void {
    const key = `${guarded} ${address}`;
    this.known.delete(key);
    this.known.add(key);
    const [oldest] = this.known;
    if (this.known.size > MAX_KNOWN && oldest !== undefined) this.known.delete(oldest);
  }

  /** Counts a wrong secret. Returns what to respond: `problem`, or 429 when there were too many. */
  failed(guarded: Guarded, address: string, problem: ProblemError): ProblemError {
    const window = this.windowOf(guarded);
    const refusal = this.refusalOf(window, address);
    if (refusal !== null) return refusal;
    const failures = (window.byAddress.get(address) ?? 0) + 1;
    window.byAddress.set(address, failures);
    window.total += 1;
    if (window.total === 1) this.log(guarded, `shown from ${address}`);
    if (window.total === OF_ALL) this.log(guarded, `shown ${String(OF_ALL)} times in a minute`);
    return problem;
  }

  private windowOf(guarded: Guarded): Window {
    const nowMs = this.clock.monotonicMs();
    const open = this.windows.get(guarded);
    if (open !== undefined && nowMs - open.beganMs < WINDOW_MS) return open;
    const window = { beganMs: nowMs, byAddress: new Map<string, number>(), total: 0 };
    this.windows.set(guarded, window);
    return window;
  }

  private refusalOf(window: Window, address: string): ProblemError | null {
    const failures = window.byAddress.get(address) ?? 0;
    if (failures < OF_ONE_ADDRESS && window.total < OF_ALL) return null;
    const leftMs = window.beganMs + WINDOW_MS - this.clock.monotonicMs();
    return new ProblemError(429, 'too_many_attempts', 'Too many wrong secrets; try again later.', {
      retryAfterS: Math.max(1, Math.ceil(leftMs / 1000)),
    });
  }

  /** At most two log lines a minute for each guarded thing. */
  private log(guarded: Guarded, what: string): void {
    this.logger.warn(`${guarded}: a wrong secret was ${what}; check who calls it, and its secret.`);
  }
}
