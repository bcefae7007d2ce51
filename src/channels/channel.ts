import { Injectable } from '@nestjs/common';
import 'reflect-metadata';
import type { Settings } from '../common/config';
import { ColloquyError } from '../common/errors';
import type { Tx } from '../common/uow';

/**
 * The names of all channels. Every channel adds its own where it is defined:
 *
 *   declare module '../channel' { interface ChannelNames { telegram: true } }
 */
// oxlint-disable-next-line typescript/no-empty-object-type -- channels add their names to it
export interface ChannelNames {}

/** As stored in `message.channel`, `conversation.channel` and `delivery.channel`. */
export type ChannelName = keyof ChannelNames;

/** One piece of a message as a channel sends it; `plain` is the form without markup. */
export interface DeliveryPart {
  readonly text: string;
  readonly plain: string;
}

/** A part that is being sent. */
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

/** The outcome of one fetch of an audio or a file from its channel. */
export type FetchedMedia =
  | {
      readonly kind: 'bytes';
      readonly bytes: Buffer;
      /** Null: the type that was announced with the message holds. */
      readonly mimeType: string | null;
      readonly fileName: string | null;
    }
  /** The channel does not provide files of this size. */
  | { readonly kind: 'too_large' }
  /** The channel does not know the file any more. */
  | { readonly kind: 'gone' }
  /** The channel as a whole does not respond; not a failure of this file. */
  | { readonly kind: 'unavailable'; readonly retryAfterMs?: number };

/**
 * A way by which candidates write and get replies. Mark the class with `@ChannelAdapter()` and
 * provide it in the channel's module: the registry finds it when the application starts.
 * docs/adding-a-channel.md walks through an example.
 */
export interface Channel {
  readonly name: ChannelName;
  /** False: known, but switched off. Its messages are stored and shown on the page only. */
  readonly isOn: boolean;
  readonly capabilities: {
    /** Replies go out by `send`. False: storing a reply delivers it. */
    readonly sends: boolean;
    /** Audio and files stay with the channel until `fetchMedia` fetches them. */
    readonly holdsMedia: boolean;
  };
  /** How long a candidate has to be silent after a message before the interviewer replies. */
  quietMs(buffer: Settings['buffer']): number;
  /** Pure. The parts in which a message is sent; none: there is nothing to send. */
  parts(text: string): readonly DeliveryPart[];
  /** Pure. The part of a message that `parts` returned as one. */
  wholePart(text: string): DeliveryPart;
  /** The conversation's chat on this channel; null: it has none, and only the page shows it. */
  chatOf(tx: Tx, conversationId: string): Promise<string | null>;
  /**
   * What is put before a message to this chat, such as which of a person's interviews it is about;
   * null: nothing. Left out where a chat is only ever in one conversation.
   */
  headingOf?(tx: Tx, conversationId: string, chat: string): Promise<string | null>;
  /**
   * Pure. The address that leads to this channel and brings it the token, of at most 64 letters, digits,
   * `-` and `_`; null: there is none now. Left out where no address leads to the channel.
   */
  linkTo?(token: string, settings: Settings): string | null;
  /**
   * Sends one part, by one call and without a retry. Returns every failure of the peer as an
   * outcome and never throws for one. After `DELIVERY_TIMEOUT` `signal` aborts and the outcome is
   * `unknown`.
   */
  send?(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome>;
  /** Whether the server responds to a call that sends nothing. Bounded. Never throws for a peer. */
  responds?(): Promise<boolean>;
  /**
   * Fetches an audio or a file by the reference that came with its message. Never throws for what a
   * peer does. Settles soon after `signal` aborts, and after a minute at the latest.
   */
  fetchMedia?(reference: string, signal: AbortSignal): Promise<FetchedMedia>;
}

export type SendingChannel = Channel & Required<Pick<Channel, 'send' | 'responds'>>;
export type MediaChannel = Channel & Required<Pick<Channel, 'fetchMedia'>>;

/** A name that no channel of this program has. */
export class UnknownChannelError extends ColloquyError {
  readonly code = 'unknown_channel';
  readonly retryable = false;
}

/** Two channels have the same name, or a channel lacks a method of its capabilities. */
class ChannelRegistrationError extends ColloquyError {
  readonly code = 'channel_registration';
  readonly retryable = false;
}

/** The channel is switched off in this process, or cannot do this. */
export class ChannelOffError extends ColloquyError {
  readonly code = 'channel_off';
  readonly retryable = true;
}

const ADAPTER = Symbol('ChannelAdapter');

/** Marks a provider as a channel. */
export function ChannelAdapter(): ClassDecorator {
  return (adapter) => {
    Reflect.defineMetadata(ADAPTER, true, adapter);
  };
}

export function isChannelAdapter(provider: unknown): provider is Channel {
  if (typeof provider !== 'object' || provider === null) return false;
  return Reflect.hasMetadata(ADAPTER, provider.constructor);
}

/** Every channel of the program, also those that are switched off. */
@Injectable()
export class ChannelRegistry {
  private readonly channels = new Map<string, Channel>();

  /**
   * Adds a channel; the same object twice is the same as once. Throws
   * ChannelRegistrationError for a second channel of a name, and for a capability without its method.
   */
  register(channel: Channel): void {
    const known = this.channels.get(channel.name);
    if (known === channel) return;
    if (known !== undefined) {
      throw new ChannelRegistrationError(`a channel "${channel.name}" is registered already`);
    }
    if (channel.capabilities.sends && !isSending(channel)) {
      throw new ChannelRegistrationError(
        `channel "${channel.name}" has capabilities.sends but not both send() and responds(): add them`,
      );
    }
    if (channel.capabilities.holdsMedia && !isHoldingMedia(channel)) {
      throw new ChannelRegistrationError(
        `channel "${channel.name}" has capabilities.holdsMedia but not fetchMedia(): add it`,
      );
    }
    this.channels.set(channel.name, channel);
  }

  get names(): readonly string[] {
    return [...this.channels.keys()];
  }

  /** Throws UnknownChannelError. */
  get(name: string): Channel {
    const channel = this.channels.get(name);
    if (channel !== undefined) return channel;
    const known = this.names.join(', ');
    throw new UnknownChannelError(`there is no channel "${name}"; known channels: ${known}`);
  }

  /** The address that brings the channel this token; null: there is none. Throws UnknownChannelError. */
  linkTo(name: string, token: string, settings: Settings): string | null {
    return this.get(name).linkTo?.(token, settings) ?? null;
  }

  /** Whether messages of this channel are sent from this process. Throws UnknownChannelError. */
  sends(name: string): boolean {
    const channel = this.get(name);
    return channel.isOn && channel.capabilities.sends;
  }

  /** Whether any channel is on that sends. */
  get hasSender(): boolean {
    return this.names.some((name) => this.sends(name));
  }

  /** A channel that is on and sends. Throws UnknownChannelError or ChannelOffError. */
  getSender(name: string): SendingChannel {
    const channel = this.get(name);
    if (this.sends(name) && isSending(channel)) return channel;
    throw new ChannelOffError(`the channel "${name}" sends no messages from this process`);
  }

  /** A channel that is on and holds media. Throws UnknownChannelError or ChannelOffError. */
  getMediaHolder(name: string): MediaChannel {
    const channel = this.get(name);
    const { isOn, capabilities } = channel;
    if (isOn && capabilities.holdsMedia && isHoldingMedia(channel)) return channel;
    throw new ChannelOffError(`the channel "${name}" provides no audio or files in this process`);
  }
}

function isSending(channel: Channel): channel is SendingChannel {
  return channel.send !== undefined && channel.responds !== undefined;
}

function isHoldingMedia(channel: Channel): channel is MediaChannel {
  return channel.fetchMedia !== undefined;
}
