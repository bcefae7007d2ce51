import type { Clock } from '../../src/common/clock';
import { type Gate, gate } from '../gate';
import type { Params } from './schema/call-schema';

/** Before the call does what it asks for, or after: then only the answer is lost or late. */
export type When = 'before' | 'after';

/** What goes wrong with a call. */
export type Fault =
  /** The Bot API's own error. */
  | {
      readonly kind: 'status';
      readonly code: number;
      readonly description?: string;
      readonly retryAfterS?: number;
      readonly when?: When;
    }
  /** What a proxy in between answers. */
  | { readonly kind: 'body'; readonly status: number; readonly body: string; readonly when?: When }
  /** Late by the server's clock. */
  | { readonly kind: 'delay'; readonly ms: number; readonly when?: When }
  /** No answer until `release()`, or until the caller goes. */
  | { readonly kind: 'hang'; readonly when?: When }
  /** The connection is cut. */
  | { readonly kind: 'drop'; readonly when?: When };

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

/** `*` stands for every method; Telegram's `downloadFile` for GET /file/bot…. */
export class Faults<Kind = Fault> {
  private planned: Planned<Kind>[] = [];
  private readonly held = new Set<Gate>();
  private readonly closing = new AbortController();
  private heldUp = 0;

  /** `onHold` is called when a call has begun to wait. */
  constructor(
    private readonly clock: Clock,
    private readonly onHold: () => void,
  ) {}

  /** Calls that hang or are late now. */
  get waiting(): number {
    return this.heldUp;
  }

  on(method: string, fault: Kind, options: FaultOptions = {}): void {
    const { times = 1, after = 0, matching = () => true } = options;
    this.planned.push({ method, fault, matching, left: times, spared: after });
  }

  /** What is planned does not happen any more; what hangs goes on hanging. */
  clear(): void {
    this.planned = [];
  }

  /** What hangs goes on. */
  release(): void {
    for (const held of this.held) held.open();
    this.held.clear();
  }

  /** Ends what is late or hangs, and plans nothing more. */
  close(): void {
    this.clear();
    this.release();
    this.closing.abort();
  }

  /** The first planned fault for this call, used up by it. */
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
