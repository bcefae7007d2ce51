import { Injectable, Logger } from '@nestjs/common';
import { Clock, aborted } from '../common/clock';
import { Settings } from '../common/config';
import { describeError, ColloquyError } from '../common/errors';
import { assertOutsideCommit, type Tx, type UnitOfWork, UnitOfWorkFactory } from '../common/uow';
import type { PartRow } from './delivery.repository';
import {
  type OutgoingPart,
  type SendOutcome,
  type SendingChannel,
  ChannelRegistry,
} from './channel';
import {
  PeerUnavailableError,
  type Claim,
  type DeadJob,
  type JobHandlerClass,
  LeaseLostError,
  type JobFlow,
} from '../jobs';
import { ChannelLimiterRepository } from './channel-limiter.repository';
import { DeliveryMetrics } from './delivery.metrics';
import { isOutage } from './resend-rules';
import { type EndedSend, PartSettling, PartCommits, type Taken } from './part-commits';

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

/** The channel's server takes nothing from anybody: the queue waits, no part is to blame. */
export class ChannelUnavailableError extends PeerUnavailableError {
  override readonly code = 'channel_unavailable';
}

/** Chats that one process sends to at a time. No connection is held while it sends. */
const CONCURRENCY = 32;
/** Of the flow itself, by a bug; a part has its own budget. */
const MAX_FAILURES = 5;
/** Pause before a commit that did not land is tried again. */
const RETRY_MS = 200;

/**
 * The queue `deliver`, a job for each chat that has something to send: one part after the other.
 *
 *   deliver.take (commit) ─> send, no connection held ─> deliver.settle (commit) ─> deliver.take …
 *
 * A crash before the send or during it leaves the part `sending`: another claim calls it unknown
 * and sends it once more. A crash after `deliver.settle` leaves nothing. It never waits for a due
 * time or a pause: the next job does. While the channel's breaker is open it sends nothing, and
 * asks the server first whether it responds.
 */
@Injectable()
export class DeliverWorker implements JobHandlerClass {
  readonly queue = 'deliver';
  readonly concurrency = CONCURRENCY;
  readonly maxFailures = MAX_FAILURES;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly taking: PartCommits,
    private readonly settling: PartSettling,
    private readonly sending: BoundedSend,
    private readonly limiter: ChannelLimiterRepository,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  async run(claim: Claim, flow: JobFlow): Promise<void> {
    await this.units.run('deliver', async (uow) => {
      while (await this.step(uow, claim, flow));
    });
  }

  onDead(tx: Tx, job: DeadJob): Promise<void> {
    return this.settling.onDead(tx, job);
  }

  /** False when nothing is due any more. */
  private async step(uow: UnitOfWork, claim: Claim, flow: JobFlow): Promise<boolean> {
    flow.signal.throwIfAborted();
    const chance = Math.random();
    const taken = await this.untilItLands(uow, flow, 'deliver.take', (tx) =>
      this.taking.take(tx, claim, chance),
    );
    if (taken.kind === 'found') this.metrics.found(taken.part, taken.next);
    if (taken.kind === 'part') await this.deliver(uow, claim, flow, taken);
    if (taken.kind === 'outage') await this.waitForServer(uow, flow, taken);
    return taken.kind !== 'over';
  }

  private async deliver(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    { part, attemptId }: Taken & { kind: 'part' },
  ): Promise<void> {
    if (!flow.holdsLease) await this.log(uow, attemptId, NEVER_BEGUN);
    flow.assertLease();
    const sentAtMs = this.clock.monotonicMs();
    const outcome = await this.sending.send(part, flow.signal);
    this.metrics.attempted(part.channel, outcome, this.clock.monotonicMs() - sentAtMs);
    if (!isOutage(outcome) && outcome.kind !== 'unknown') flow.peerAnswered();
    await this.settle(uow, claim, flow, { part, attemptId, outcome });
    if (outcome.kind === 'unavailable') throw new ChannelUnavailableError(outcome.error);
  }

  /** The channel's breaker closes once its server responds, until then the queue's opens. */
  private async waitForServer(
    uow: UnitOfWork,
    flow: JobFlow,
    { channel, outageNo }: Taken & { kind: 'outage' },
  ): Promise<void> {
    if (!(await this.sending.responds(channel))) throw new ChannelUnavailableError('no_response');
    flow.peerAnswered();
    await this.untilItLands(uow, flow, 'deliver.recover', (tx) =>
      this.limiter.recover(tx, channel, outageNo),
    );
  }

  /** What is known is stored as soon as the database takes it; without the lease in the log only. */
  private async settle(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    sent: EndedSend,
  ): Promise<void> {
    const chance = Math.random();
    try {
      const next = await this.untilItLands(uow, flow, 'deliver.settle', (tx) =>
        this.settling.settle(tx, claim, sent, chance),
      );
      this.metrics.settled(sent.part, next);
    } catch (error) {
      if (error instanceof LeaseLostError) await this.log(uow, sent.attemptId, sent.outcome);
      throw error;
    }
  }

  private async log(uow: UnitOfWork, attemptId: string, outcome: SendOutcome): Promise<void> {
    await uow.commit('deliver.log', (tx) => this.settling.log(tx, attemptId, outcome));
  }

  /**
   * Keeps trying from memory until another claim is seen or the drain wants the job back: a lease
   * that ran out meanwhile is the fence's to judge.
   */
  private async untilItLands<T>(
    uow: UnitOfWork,
    flow: JobFlow,
    label: string,
    work: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    for (;;) {
      try {
        return await uow.commit(label, work);
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        await this.clock.sleep(RETRY_MS, flow.signal);
        flow.signal.throwIfAborted();
      }
    }
  }
}

const NEVER_BEGUN: SendOutcome = { kind: 'not_sent', error: 'lease_lost' };
