import type { Tx } from '../common/uow';
import { Injectable } from '@nestjs/common';
import { ColloquyError } from '../common/errors';

/** A channel is registered twice, or parts are due of a channel that is not registered. */
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
  /** Of the conversation. */
  readonly language: 'ru' | 'en';
  /** The interview goes on: the candidate is expected to answer. */
  readonly isAnswerable: boolean;
  readonly kind: 'reply' | 'notice';
}

/**
 * The outcome of one send. `error` is a code, never text from the peer.
 *
 *   sent         accepted; `externalId` is the channel's own id of the message.
 *   unknown      the request was sent and no response came in time: it may have arrived. `isOurs`:
 *                this process aborted it, which says nothing about the server.
 *   server_error the server responded with a 5xx: it may have arrived.
 *   not_sent     not sent, to be tried again; counts as a failure of the part.
 *   paused       the channel accepts nothing for that long (429); not a failure.
 *   blocked      the candidate takes no messages of this channel (403).
 *   refused      the channel will never accept this part.
 *   unavailable  the server failed as a whole before it accepted anything; not a failure.
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

/** A channel whose messages have to be sent. Register it with `DeliveryService.register` at boot. */
export interface SendingChannel {
  readonly channel: 'telegram';
  readonly deliversByStoring: false;
  /** Pure. No parts: there is nothing to send. */
  parts(text: string): readonly DeliveryPart[];
  /** Pure. The part of a message that is one part. */
  wholePart(text: string): DeliveryPart;
  /** The conversation's chat on this channel; null: none, only the page shows it. */
  chatOf(tx: Tx, conversationId: string): Promise<string | null>;
  /**
   * One HTTP call, no retry. Returns every failure of the peer as an outcome and never throws for
   * one. After `DELIVERY_TIMEOUT` `signal` aborts and the outcome is `unknown`.
   */
  send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome>;
  /** Whether the server responds to a call that sends nothing. Bounded. Never throws. */
  responds(): Promise<boolean>;
}

/** The channels of this process that have to send. The web page is not one: it shows what is stored. */
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

  /** Throws UnknownChannelError: parts wait while their channel is switched off. */
  get(name: string): SendingChannel {
    const channel = this.byName.get(name);
    if (channel === undefined)
      throw new UnknownChannelError(`no channel "${name}" is registered in this process`);
    return channel;
  }
}
