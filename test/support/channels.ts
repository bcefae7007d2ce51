import { type DynamicModule, Global, Module } from '@nestjs/common';
import {
  type Channel,
  ChannelAdapter,
  ChannelRegistry,
  ChannelsModule,
  type DeliveryPart,
  type FetchedMedia,
  type OutgoingPart,
  type SendOutcome,
} from '../../src/channels';
import { WebChannel } from '../../src/channels/web/web.channel';
import type { Settings } from '../../src/common/config';
import type { Tx } from '../../src/common/uow';

type Sender = Pick<Channel, 'parts' | 'wholePart' | 'chatOf'> & {
  send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome>;
  responds(): Promise<boolean>;
};
type FetchMedia = (reference: string, signal: AbortSignal) => Promise<FetchedMedia>;

/** A channel "telegram" without a bot. It uses the sender and the media that a test plugs in. */
@ChannelAdapter()
export class TestTelegram implements Channel {
  readonly name = 'telegram';
  readonly isOn = true;
  sender: Sender | null = null;
  media: FetchMedia | null = null;

  get capabilities(): Channel['capabilities'] {
    return { sends: this.sender !== null, holdsMedia: this.media !== null };
  }

  quietMs({ debounceMs }: Settings['buffer']): number {
    return debounceMs;
  }

  parts(text: string): readonly DeliveryPart[] {
    return this.sender?.parts(text) ?? [];
  }

  wholePart(text: string): DeliveryPart {
    return this.sender?.wholePart(text) ?? { text, plain: text };
  }

  chatOf(tx: Tx, conversationId: string): Promise<string | null> {
    return this.sender?.chatOf(tx, conversationId) ?? Promise.resolve(null);
  }

  send(part: OutgoingPart, signal: AbortSignal): Promise<SendOutcome> {
    if (this.sender === null) throw new Error('no sender is plugged in');
    return this.sender.send(part, signal);
  }

  async responds(): Promise<boolean> {
    return (await this.sender?.responds()) ?? false;
  }

  fetchMedia(reference: string, signal: AbortSignal): Promise<FetchedMedia> {
    if (this.media === null) throw new Error('no media source is plugged in');
    return this.media(reference, signal);
  }
}

/** The web and Telegram, for tests of one room. */
@Global()
@Module({})
export class TestChannelsModule {
  static on(): DynamicModule {
    const providers = [WebChannel, TestTelegram];
    return { module: TestChannelsModule, imports: [ChannelsModule], providers, exports: providers };
  }
}

/** The same without a module. */
export function registryOf(...channels: readonly Channel[]): ChannelRegistry {
  const registry = new ChannelRegistry();
  for (const channel of channels) registry.register(channel);
  return registry;
}
