import type { Clock } from '../../src/common/clock';
import { type Gate, gate } from './gate';

/** Before the call has its effect, or after: then only the response is lost or late. */
export type When = 'before' | 'after';

/** What can go wrong with a call of any HTTP server, whatever its protocol. */
export type TransportFault =
  /** The response of a proxy in between. */
  | { readonly kind: 'body'; readonly status: number; readonly body: string; readonly when?: When }
  /** Late by the server's clock. */
  | { readonly kind: 'delay'; readonly ms: number; readonly when?: When }
  /** No response until `release()`, or until the caller closes the connection. */
  | { readonly kind: 'hang'; readonly when?: When }
  /** The connection is cut. */
  | { readonly kind: 'drop'; readonly when?: When };

type Params = Readonly<Record<string, unknown>>;

export interface FaultOptions {
  /** How many calls it hits; 1 if not given. */
  readonly times?: number;
  /** How many calls of the method go well before. */
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

/** Failures that a test scripts for calls by their name; `*` stands for every name. */
export class Faults<Kind> {
  private planned: Planned<Kind>[] = [];
  private readonly held = new Set<Gate>();
  private readonly closing = new AbortController();
  private heldUp = 0;

  /** `onHold` is called when a call has begun to wait. */
  constructor(
    private readonly clock: Clock,
    private readonly onHold: () => void,
  ) {}

  /** How many calls hang or are late now. */
  get waiting(): number {
    return this.heldUp;
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

  /** Ends the calls that are late or hang, and drops what is planned. */
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
    await this.whileHeldUp(held.opened);
  }

  /** Resolves `ms` later, or when the server closes. */
  async delay(ms: number): Promise<void> {
    await this.whileHeldUp(this.clock.sleep(ms, this.closing.signal));
  }

  private async whileHeldUp(end: Promise<void>): Promise<void> {
    this.heldUp += 1;
    this.onHold();
    await end;
    this.heldUp -= 1;
  }
}
