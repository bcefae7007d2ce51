import { Injectable } from '@nestjs/common';
import { UnknownChannelError } from './errors';
import type { SendingChannel } from './sending-channel';

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
