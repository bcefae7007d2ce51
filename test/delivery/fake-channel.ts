import {
  type Channel,
  ChannelAdapter,
  type DeliveryPart,
  type OutgoingPart,
  type SendOutcome,
} from '../../src/channels';
import type { Tx } from '../../src/common/uow';

/** What the peer does with a send: an outcome, later an outcome, or never a word. */
type Fate = (part: OutgoingPart, signal: AbortSignal) => SendOutcome | Promise<SendOutcome>;

/** A channel whose peer does what the test says; `sent` by default. Parts are split by "|". */
@ChannelAdapter()
export class FakeChannel implements Channel {
  readonly name = 'telegram';
  readonly isOn = true;
  readonly capabilities = { sends: true, holdsMedia: false };
  /** Every send that began, in order, over all processes. */
  readonly began: OutgoingPart[] = [];
  /** Sends that will never end because their process is gone. */
  hanging = 0;
  /** Chat by conversation; without an entry a conversation is on the page only. */
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

  /** How often it was asked whether its server responds. */
  asked = 0;
  isAway = false;

  responds(): Promise<boolean> {
    this.asked += 1;
    return Promise.resolve(!this.isAway);
  }

  /** What becomes of the next sends, in order, whatever they send. */
  next(...outcomes: readonly (SendOutcome | Fate)[]): void {
    this.fates.push(...outcomes.map(fateOf));
  }

  /** What becomes of the next sends of this part. */
  nextOf(plain: string, ...outcomes: readonly (SendOutcome | Fate)[]): void {
    const known = this.fatesByText.get(plain) ?? [];
    this.fatesByText.set(plain, [...known, ...outcomes.map(fateOf)]);
  }

  /** A send whose process dies with it. */
  readonly crash: Fate = () => {
    this.hanging += 1;
    return new Promise<never>(() => undefined);
  };

  /** What began to be sent, as plain text. */
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
