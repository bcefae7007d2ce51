import type { Tx } from '../common/uow';
import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';

/** A channel is registered twice, or parts are due of one that is not registered at all. */
export class UnknownChannelError extends ColloquyError {
  readonly code = 'sending_channel';
  readonly retryable = false;
}

/** One piece of a message as a channel sends it; `plain` is the form without markup. */
export interface DeliveryPart {
  readonly text: string;
  readonly plain: string;
}

/** A part on its way out. */
export interface OutgoingPart extends DeliveryPart {
  readonly chat: string;
  readonly messageId: string;
  /** From 0. */
  readonly part: number;
  readonly isLast: boolean;
  /** The conversation's. */
  readonly language: 'ru' | 'en';
  /** The interview goes on: an answer to it is expected. */
  readonly isAnswerable: boolean;
  readonly kind: 'reply' | 'notice';
}

/**
 * What became of one send. `error` is a code, never a peer's words.
 *
 *   sent         taken; `externalId` is the channel's own id of the message.
 *   unknown      the body left and no response came in time: it may have arrived. `isOurs`: this
 *                process broke it off, which says nothing about the server.
 *   server_error the server responded with a 5xx: it may have arrived.
 *   not_sent     surely not sent, worth another try; counts as the part's own failure.
 *   paused       the channel takes nothing for so long (429); counts for nobody.
 *   blocked      the person does not take messages of this channel (403).
 *   refused      this part will never be taken.
 *   unavailable  the peer failed as a whole before it took anything; counts for nobody.
 */
export type SendOutcome =
  | { readonly kind: 'sent'; readonly externalId: string }
  | { readonly kind: 'unknown'; readonly isOurs?: boolean }
  | { readonly kind: 'server_error'; readonly error: string }
  | { readonly kind: 'not_sent'; readonly error: string }
  | { readonly kind: 'paused'; readonly forMs: number }
  | { readonly kind: 'blocked'; readonly error: string }
  | { readonly kind: 'refused'; readonly error: string }
  | { readonly kind: 'unavailable'; readonly error: string };

/** A channel whose messages have to be sent. Register it with `Deliveries.register` at boot. */
export interface SendingChannel {
  readonly channel: 'telegram';
  readonly deliversByStoring: false;
  /** Pure. No parts: there is nothing to send. */
  parts(text: string): readonly DeliveryPart[];
  /** Pure. A message that was one part, as that part. */
  wholePart(text: string): DeliveryPart;
  /** Where the conversation is held on this channel; null: nowhere, only the page shows it. */
  chatOf(tx: Tx, conversationId: string): Promise<string | null>;
  /**
   * One HTTP call, no retry. Never throws for what a peer can do. It is waited for
   * `DELIVERY_TIMEOUT`; then `signal` aborts and the part counts as `unknown`.
   */
  send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome>;
  /** Whether the server responds to a call that sends nothing. Bounded. Never throws. */
  responds(): Promise<boolean>;
}

/** The channels of this process that have to send. The web page is none: it shows what is stored. */
@Injectable()
export class ChannelRegistry {
  private readonly byName = new Map<string, SendingChannel>();

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  /** Once for each channel, at boot. Throws UnknownChannelError. */
  register(channel: SendingChannel): void {
    if (this.byName.has(channel.channel)) {
      throw new UnknownChannelError(`the channel "${channel.channel}" is registered already`);
    }
    this.byName.set(channel.channel, channel);
  }

  find(name: string): SendingChannel | undefined {
    return this.byName.get(name);
  }

  /** Throws UnknownChannelError: parts of a channel that is switched off wait. */
  get(name: string): SendingChannel {
    const channel = this.byName.get(name);
    if (channel === undefined) throw new UnknownChannelError(`no channel "${name}" sends here`);
    return channel;
  }
}
