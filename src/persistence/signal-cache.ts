import type { Clock } from '../common/clock';
import type { SignalConnection, SignalListener } from './signal-connection';

/** What was read, and of whom it is: a signal names the subject. */
export interface Read<V> {
  readonly value: V;
  readonly subjectId: string;
  /** It is remembered no longer than this. */
  readonly validMs: number;
}

interface Remembered<V> {
  readonly subjectId: string;
  readonly value: V;
  readonly untilMs: number;
}

/** How long what has ended may be remembered on a replica that got no signal of it. */
const REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 10_000;

/**
 * Whose a secret is, for requests that come several times a second: each look-up costs a commit. A cache
 * that every replica has and that signals keep right:
 *
 *   unknown ──read──> remembered ──10 s, its own end, or a signal about its subject──> unknown
 *
 * The commit that ends something sends a signal to every replica. While the connection for signals is lost
 * nothing is remembered.
 */
export class SignalCache<V> implements SignalListener {
  /** By the key, oldest first. */
  private readonly remembered = new Map<string, Remembered<V>>();
  /** Counts endings: what was read meanwhile may have ended since. */
  private endings = 0;

  /** `subjectIn`: whom a signal is about; null: it is another signal. */
  constructor(
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
    private readonly subjectIn: (payload: string) => string | null,
  ) {}

  /** Null: `read` found nothing, which is not remembered. `isFresh`: asks `read` in any case. */
  async find(
    key: string,
    read: () => Promise<Read<V> | null>,
    { isFresh = false }: { readonly isFresh?: boolean } = {},
  ): Promise<V | null> {
    const known = this.remembered.get(key);
    const nowMs = this.clock.monotonicMs();
    if (known !== undefined && known.untilMs > nowMs && this.signals.isConnected && !isFresh) {
      return known.value;
    }
    this.remembered.delete(key);
    const { endings } = this;
    const found = await read();
    if (found === null) return null;
    const { value, subjectId, validMs } = found;
    if (endings === this.endings && this.signals.isConnected) {
      this.remember(key, {
        subjectId,
        value,
        untilMs: nowMs + Math.min(validMs, REMEMBERED_MS),
      });
    }
    return value;
  }

  /** Something of these subjects has ended or changed: called after the commit. */
  forget(subjectIds: readonly string[]): void {
    this.endings += 1;
    const ended = new Set(subjectIds);
    for (const [key, { subjectId }] of this.remembered) {
      if (ended.has(subjectId)) this.remembered.delete(key);
    }
  }

  onSignal(payload: string): void {
    const subjectId = this.subjectIn(payload);
    if (subjectId !== null) this.forget([subjectId]);
  }

  /** Signals may have been missed while there was no connection. */
  onConnected(): void {
    this.endings += 1;
    this.remembered.clear();
  }

  private remember(key: string, found: Remembered<V>): void {
    this.remembered.set(key, found);
    if (this.remembered.size <= MOST_REMEMBERED) return;
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined) this.remembered.delete(oldest);
  }
}
