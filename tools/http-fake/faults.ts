import { setMaxListeners } from 'node:events';
import type { Clock } from '../../src/common/clock';
import { type Gate, gate } from './gate';

/** Whether the fault comes before the call's effect or after it; after it, only the response is lost or late. */
export type When = 'before' | 'after';

/** What can go wrong with a call of any HTTP server. */
export type TransportFault =
  /** A response of a proxy instead of the server. */
  | { readonly kind: 'body'; readonly status: number; readonly body: string; readonly when?: When }
  /** Late by `ms` on the server's clock. */
  | { readonly kind: 'delay'; readonly ms: number; readonly when?: When }
  /** No response until `release()`, or until the caller closes the connection. */
  | { readonly kind: 'hang'; readonly when?: When }
  /** The connection is cut. */
  | { readonly kind: 'drop'; readonly when?: When };

type Params = Readonly<Record<string, unknown>>;

export interface FaultOptions {
  /** How many calls fail; 1 if not given. */
  readonly times?: number;
  /** How many calls of the method succeed before the first fault. */
  readonly after?: number;
  readonly matching?: (params: Params) => boolean;
}

interface Planned<Kind> {
  readonly method: string;
  readonly fault: Kind;
  readonly matching: (params: Params) => boolean;
  left: number;
  spared: number;
}

/** Faults that a test plans for calls by their name; `*` stands for every name. */
export class Faults<Kind> {
  private planned: Planned<Kind>[] = [];
  private readonly held = new Set<Gate>();
  private readonly closing = new AbortController();
  private waitingCalls = 0;

  /** `onHold` is called when a call has begun to wait. */
  constructor(
    private readonly clock: Clock,
    private readonly onHold: () => void,
  ) {
    // Every late call listens to it.
    setMaxListeners(0, this.closing.signal);
  }

  /** How many calls hang or are late now. */
  get waiting(): number {
    return this.waitingCalls;
  }

  /** How many plans are not used up. */
  get plans(): number {
    return this.planned.length;
  }

  on(method: string, fault: Kind, options: FaultOptions = {}): void {
    const { times = 1, after = 0, matching = () => true } = options;
    this.planned.push({ method, fault, matching, left: times, spared: after });
  }

  /** Drops planned faults; hanging calls keep hanging. */
  clear(): void {
    this.planned = [];
  }

  /** Lets hanging calls continue. */
  release(): void {
    for (const held of this.held) held.open();
    this.held.clear();
  }

  /** Ends the calls that are late or hang, and drops planned faults. */
  close(): void {
    this.clear();
    this.release();
    this.closing.abort();
  }

  /** The first planned fault for this call, which uses it up. */
  take(method: string, params: Params): Kind | null {
    const found = this.planned.find(
      (plan) => (plan.method === method || plan.method === '*') && plan.matching(params),
    );
    if (found === undefined) return null;
    if (found.spared > 0) {
      found.spared -= 1;
      return null;
    }
    found.left -= 1;
    if (found.left <= 0) this.planned = this.planned.filter((plan) => plan !== found);
    return found.fault;
  }

  /** Resolves at the next `release()`. */
  async hold(): Promise<void> {
    const held = gate();
    this.held.add(held);
    await this.countWaiting(held.opened);
  }

  /** Resolves `ms` later, or when the server closes. */
  async delay(ms: number): Promise<void> {
    await this.countWaiting(this.clock.sleep(ms, this.closing.signal));
  }

  private async countWaiting(end: Promise<void>): Promise<void> {
    this.waitingCalls += 1;
    this.onHold();
    await end;
    this.waitingCalls -= 1;
  }
}
