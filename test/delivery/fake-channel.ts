import {
  type Channel,
  ChannelAdapter,
  type DeliveryPart,
  type OutgoingPart,
  type SendOutcome,
} from '../../src/channels';
import type { Tx } from '../../src/common/uow';

/** What happens to a send: an outcome, now or later, or a promise that never resolves. */
type Fate = (part: OutgoingPart, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

/** A channel whose sends end as the test says; `sent` by default. Parts are split by "|". */
@ChannelAdapter()
export class FakeChannel implements Channel {
  readonly name = 'telegram';
  isOn = true;
  readonly capabilities = { sends: true, holdsMedia: false };
  /** Every send that began, in order, over all processes. */
  readonly began: OutgoingPart[] = [];
  /** Sends that never end because their process has crashed. */
  hanging = 0;
  /** Chat by conversation; a conversation without an entry has only the page. */
  readonly chats = new Map<string, string>();
  private readonly fates: Fate[] = [];
  private readonly fatesByText = new Map<string, Fate[]>();

  quietMs(): number {
    return 0;
  }

  parts(text: string): readonly DeliveryPart[] {
    return text.split('|').map((part) => this.wholePart(part));
  }

  wholePart(text: string): DeliveryPart {
    return { text: `<b>${text}</b>`, plain: text };
  }

  chatOf(_tx: Tx, conversationId: string): Promise<string | null> {
    return Promise.resolve(this.chats.get(conversationId) ?? null);
  }

  send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome> {
    this.began.push(part);
    const fate = this.fatesByText.get(part.plain)?.shift() ?? this.fates.shift();
    const outcome = fate?.(part, signal) ?? { kind: 'sent', externalId: `m${this.began.length}` };
    return Promise.resolve(outcome);
  }

  /** How many times a process asked whether the channel's server responds. */
  asked = 0;
  isAway = false;

  responds(): Promise<boolean> {
    this.asked += 1;
    return Promise.resolve(!this.isAway);
  }

  /** What happens to the next sends, in order, whatever they send. */
  next(...outcomes: readonly (SendOutcome | Fate)[]): void {
    this.fates.push(...outcomes.map(fateOf));
  }

  /** What happens to the next sends of this part. */
  nextOf(plain: string, ...outcomes: readonly (SendOutcome | Fate)[]): void {
    const known = this.fatesByText.get(plain) ?? [];
    this.fatesByText.set(plain, [...known, ...outcomes.map(fateOf)]);
  }

  /** A send whose process crashes. */
  readonly crash: Fate = () => {
    this.hanging += 1;
    return new Promise<never>(() => undefined);
  };

  /** The plain text of every send that began. */
  get texts(): string[] {
    return this.began.map(({ plain }) => plain);
  }

  forget(): void {
    this.began.length = 0;
    this.fates.length = 0;
    this.fatesByText.clear();
    this.hanging = 0;
    this.asked = 0;
    this.isAway = false;
  }
}

function fateOf(outcome: SendOutcome | Fate): Fate {
  return typeof outcome === 'function' ? outcome : () => outcome;
}
