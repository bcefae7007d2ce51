import { Injectable, Logger } from '@nestjs/common';
import { Clock, aborted } from '../common/clock';
import { Settings } from '../common/config';
import { describeError } from '../common/errors';
import { assertOutsideCommit } from '../common/uow';
import type { PartRow } from './delivery.repository';
import type { OutgoingPart, SendOutcome, SendingChannel } from './sending-channel';
import { ChannelRegistry } from './sending-channels';

/** A send under way is worth waiting for, even when its flow is to stop: nobody can take it back. */
const GRACE_MS = 2000;
const LATE: SendOutcome = { kind: 'unknown' };
const BROKEN_OFF: SendOutcome = { kind: 'unknown', isOurs: true };

/** One send with an end: `DELIVERY_TIMEOUT` after its beginning it is `unknown`. */
@Injectable()
export class BoundedSend {
  private readonly logger = new Logger('Deliveries');
  private readonly timeoutMs;

  constructor(
    settings: Settings,
    private readonly channels: ChannelRegistry,
    private readonly clock: Clock,
  ) {
    this.timeoutMs = settings.delivery.timeoutMs;
  }

  /** `stop`: whoever waits wants to end soon. Throws UnknownChannelError before it sends. */
  async send(part: PartRow, stop: AbortSignal): Promise<SendOutcome> {
    assertOutsideCommit('delivery');
    const channel = this.channels.get(part.channel);
    const over = new AbortController();
    try {
      return await Promise.race([
        channel
          .send(outgoingOf(part, channel), over.signal)
          .catch((error: unknown) => this.report(error)),
        this.clock.sleep(this.timeoutMs, over.signal).then(() => LATE),
        this.afterGrace(stop, over.signal),
      ]);
    } finally {
      over.abort();
    }
  }

  /** Whether the channel's server responds. Throws UnknownChannelError. */
  responds(channel: string): Promise<boolean> {
    assertOutsideCommit('delivery');
    return this.channels.get(channel).responds();
  }

  private async afterGrace(stop: AbortSignal, over: AbortSignal): Promise<SendOutcome> {
    await aborted(AbortSignal.any([stop, over]));
    await this.clock.sleep(GRACE_MS, over);
    return BROKEN_OFF;
  }

  /** A bug of the channel: nobody can tell what it had sent by then. */
  private report(error: unknown): SendOutcome {
    this.logger.error(`a channel threw while it sent: ${describeError(error)}`);
    return BROKEN_OFF;
  }
}

function outgoingOf({ part, ...row }: PartRow, channel: SendingChannel): OutgoingPart {
  const { chat, text, messageId, messageText, isLast, language, isAnswerable, kind } = row;
  const words = text === null ? channel.wholePart(messageText) : { text, plain: row.plain ?? text };
  return { chat, ...words, messageId, part, isLast, language, isAnswerable, kind };
}
