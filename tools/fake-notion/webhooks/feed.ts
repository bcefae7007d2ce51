import type { ApiVersion } from '../http/versions';
import type { Happening } from '../world/happening';
import type { World } from '../world/world';
import { type Gathered, sameEvent, undoneBy } from './aggregation';
import { eventOf, type WebhookEvent } from './payload';

/** How badly events reach a subscriber. By default each comes at once, alone and once. */
export interface Delivery {
  /** Happenings of one kind to one page within this time after the first are one event. */
  readonly aggregateMs: number;
  /** An additional delay. */
  readonly lateMs: number;
  /** How often each event is sent. */
  readonly copies: number;
  /** Every n-th event is lost; null: none. */
  readonly loseEvery: number | null;
  /** Events wait until there are this many, and are then sent in reverse order. */
  readonly reverseBy: number;
  /** Those that the subscription asks for; null: all of them. */
  readonly types: readonly Happening['type'][] | null;
  readonly version: ApiVersion;
}

const PROMPT: Delivery = {
  aggregateMs: 0,
  lateMs: 0,
  copies: 1,
  loseEvery: null,
  reverseBy: 1,
  types: null,
  version: '2025-09-03',
};

/** Makes events of what happens, and delivers them with the faults that a test asks for. */
export class Feed {
  delivery: Delivery = PROMPT;
  /** Every event that was made, the lost ones too, oldest first. */
  readonly made: WebhookEvent[] = [];
  private readonly gathering = new Map<string, Gathered>();
  private readonly waiting: WebhookEvent[] = [];
  private readonly closing = new AbortController();
  private isHeld = false;

  constructor(
    private readonly world: World,
    private readonly send: (event: WebhookEvent) => void,
  ) {}

  /** From now on events wait for `release`. */
  hold(): void {
    this.isHeld = true;
  }

  /** Sends all waiting events, in their order or in another one. */
  release(order: (events: WebhookEvent[]) => readonly WebhookEvent[] = (same) => same): void {
    this.isHeld = false;
    for (const event of order(this.waiting.splice(0))) this.send(event);
  }

  take(happening: Happening): void {
    const { types, aggregateMs } = this.delivery;
    if (types !== null && !types.includes(happening.type)) return;
    const undone = undoneBy(happening);
    if (undone !== null && this.gathering.delete(undone)) return;
    const key = sameEvent(happening);
    const gathered = this.gathering.get(key);
    if (gathered !== undefined) {
      gathered.push(happening);
      return;
    }
    if (aggregateMs === 0) {
      this.make([happening]);
      return;
    }
    const fresh: Gathered = [happening];
    this.gathering.set(key, fresh);
    void this.after(aggregateMs, () => {
      // A happening that was undone meanwhile is gone or has started again.
      if (this.gathering.get(key) !== fresh) return;
      this.gathering.delete(key);
      this.make(fresh);
    });
  }

  close(): void {
    this.closing.abort();
  }

  private make(gathered: Gathered): void {
    const { loseEvery, lateMs, version } = this.delivery;
    const event = eventOf(this.world, version, gathered);
    this.made.push(event);
    if (loseEvery !== null && this.made.length % loseEvery === 0) return;
    void this.after(lateMs, () => {
      this.line(event);
    });
  }

  private line(event: WebhookEvent): void {
    const { copies, reverseBy } = this.delivery;
    for (let copy = 0; copy < copies; copy += 1) this.waiting.push(event);
    if (this.isHeld || this.waiting.length < reverseBy) return;
    const turned = reverseBy > 1;
    this.release((events) => (turned ? events.reverse() : events));
  }

  private async after(ms: number, then: () => void): Promise<void> {
    if (ms > 0) await this.world.clock.sleep(ms, this.closing.signal);
    if (!this.closing.signal.aborted) then();
  }
}
