import { setMaxListeners } from 'node:events';
import type { ApiVersion } from '../http/versions';
import type { WorkspaceChange } from '../state/workspace-change';
import type { WorkspaceState } from '../state/workspace-state';
import { type AggregatedChanges, sameEvent, undoneBy } from './aggregation';
import { eventOf, type WebhookEvent } from './payload';

/** How events are delivered to a subscriber. By default each is sent at once, alone, and one time. */
export interface Delivery {
  /** Changes of one kind to one page within this time after the first are one event. */
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
  readonly types: readonly WorkspaceChange['type'][] | null;
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

/** Makes events of the changes in a workspace, and delivers them with the faults that a test sets. */
export class Feed {
  delivery: Delivery = PROMPT;
  /** Every event that was made, the lost ones too, oldest first. */
  readonly made: WebhookEvent[] = [];
  private readonly aggregating = new Map<string, AggregatedChanges>();
  private readonly waiting: WebhookEvent[] = [];
  private readonly closing = new AbortController();
  private isHeld = false;

  constructor(
    private readonly state: WorkspaceState,
    private readonly send: (event: WebhookEvent) => void,
  ) {
    // Every event that is late listens to it.
    setMaxListeners(0, this.closing.signal);
  }

  /** From now on events wait for `release`. */
  hold(): void {
    this.isHeld = true;
  }

  /** Sends all waiting events, in their order or in another one. */
  release(order: (events: WebhookEvent[]) => readonly WebhookEvent[] = (same) => same): void {
    this.isHeld = false;
    for (const event of order(this.waiting.splice(0))) this.send(event);
  }

  take(change: WorkspaceChange): void {
    const { types, aggregateMs } = this.delivery;
    if (types !== null && !types.includes(change.type)) return;
    const undone = undoneBy(change);
    if (undone !== null && this.aggregating.delete(undone)) return;
    const key = sameEvent(change);
    const aggregated = this.aggregating.get(key);
    if (aggregated !== undefined) {
      aggregated.push(change);
      return;
    }
    if (aggregateMs === 0) {
      this.make([change]);
      return;
    }
    const fresh: AggregatedChanges = [change];
    this.aggregating.set(key, fresh);
    void this.after(aggregateMs, () => {
      // If the change was undone meanwhile, its entry is gone, or another change has started a new one.
      if (this.aggregating.get(key) !== fresh) return;
      this.aggregating.delete(key);
      this.make(fresh);
    });
  }

  close(): void {
    this.closing.abort();
  }

  private make(aggregated: AggregatedChanges): void {
    const { loseEvery, lateMs, version } = this.delivery;
    const event = eventOf(this.state, version, aggregated);
    this.made.push(event);
    if (loseEvery !== null && this.made.length % loseEvery === 0) return;
    void this.after(lateMs, () => {
      this.enqueue(event);
    });
  }

  private enqueue(event: WebhookEvent): void {
    const { copies, reverseBy } = this.delivery;
    for (let copy = 0; copy < copies; copy += 1) this.waiting.push(event);
    if (this.isHeld || this.waiting.length < reverseBy) return;
    const isReversed = reverseBy > 1;
    this.release((events) => (isReversed ? events.reverse() : events));
  }

  private async after(ms: number, then: () => void): Promise<void> {
    if (ms > 0) await this.state.clock.sleep(ms, this.closing.signal);
    if (!this.closing.signal.aborted) then();
  }
}
