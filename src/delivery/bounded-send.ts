import { Injectable, Logger } from '@nestjs/common';
import { type Channel, ChannelRegistry, type OutgoingPart, type SendOutcome } from '../channels';
import { Clock, aborted } from '../common/clock';
import { Settings } from '../common/config';
import { describeError } from '../common/errors';
import { assertOutsideCommit } from '../common/uow';
import type { PartRow } from './delivery.repository';

/** One send with a bounded time: after `DELIVERY_TIMEOUT` its outcome is `unknown`. */
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

  /** `stop` aborts when the job has to end. Throws ChannelOffError before it sends. */
  async send(part: PartRow, stop: AbortSignal): Promise<SendOutcome> {
    assertOutsideCommit('delivery');
    const channel = this.channels.getSender(part.channel);
    const over = new AbortController();
    try {
      return await Promise.race([
        channel
          .send(outgoingOf(part, channel), over.signal)
          .catch((error: unknown) => this.outcomeOfBug(part, error)),
        this.clock.sleep(this.timeoutMs, over.signal).then(() => TIMED_OUT),
        this.afterGrace(stop, over.signal),
      ]);
    } finally {
      over.abort();
    }
  }

  /** Whether the channel's server responds. Throws ChannelOffError. */
  responds(channel: string): Promise<boolean> {
    assertOutsideCommit('delivery');
    return this.channels.getSender(channel).responds();
  }

  private async afterGrace(stop: AbortSignal, over: AbortSignal): Promise<SendOutcome> {
    await aborted(AbortSignal.any([stop, over]));
    await this.clock.sleep(GRACE_MS, over);
    return STOPPED;
  }

  /** A channel must not throw: it is unknown what it had sent by then. */
  private outcomeOfBug({ channel, id }: PartRow, error: unknown): SendOutcome {
    const cause = describeError(error);
    this.logger.error(
      `the channel "${channel}" threw while it sent part ${id}; it counts as possibly sent: ${cause}`,
    );
    return STOPPED;
  }
}

/** How long a send that runs is waited for after `stop`: what was sent cannot be taken back. */
const GRACE_MS = 2000;
const TIMED_OUT: SendOutcome = { kind: 'unknown' };
const STOPPED: SendOutcome = { kind: 'unknown', isOurs: true };

function outgoingOf({ part, ...row }: PartRow, channel: Channel): OutgoingPart {
  const { chat, text, messageId, messageText, isLast, language, isAnswerable, kind } = row;
  const content =
    text === null ? channel.wholePart(messageText) : { text, plain: row.plain ?? text };
  return { chat, ...content, messageId, part, isLast, language, isAnswerable, kind };
}
