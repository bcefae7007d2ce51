import { Injectable } from '@nestjs/common';
import { SendingChannelError } from './errors';
import type { SendingChannel } from './sending-channel';

/** The channels of this process that have to send. The web page is none: it shows what is stored. */
@Injectable()
export class SendingChannels {
  private readonly byName = new Map<string, SendingChannel>();

  get isEmpty(): boolean {
    return this.byName.size === 0;
  }

  /** Once for each channel, at boot. Throws SendingChannelError. */
  register(channel: SendingChannel): void {
    if (this.byName.has(channel.channel)) {
      throw new SendingChannelError(`the channel "${channel.channel}" is registered already`);
    }
    this.byName.set(channel.channel, channel);
  }

  find(name: string): SendingChannel | undefined {
    return this.byName.get(name);
  }

  /** Throws SendingChannelError: parts of a channel that is switched off wait. */
  get(name: string): SendingChannel {
    const channel = this.byName.get(name);
    if (channel === undefined) throw new SendingChannelError(`no channel "${name}" sends here`);
    return channel;
  }
}
