import { Injectable } from '@nestjs/common';
import { ChannelRegistry, type SendOutcome } from '../channels';
import { Clock } from '../common/clock';
import { noteIds, step } from '../common/tracing';
import type { Tx, UnitOfWork } from '../common/uow';
import {
  type Claim,
  type DeadJob,
  type JobFlow,
  JobHandler,
  type JobHandlerClass,
  JobPostponedError,
  LeaseLostError,
  PeerUnavailableError,
  callUnderLease,
} from '../jobs';
import { ChannelLimiterRepository } from './channel-limiter.repository';
import { DELIVERY_QUEUE, chatOfKey } from './delivery.service';
import { DeliveryMetrics } from './delivery.metrics';
import type { PartRow } from './delivery.repository';
import { type EndedSend, PartCommits, type NextPart } from './part-commits';
import { isOutage } from './resend-rules';
import { BoundedSend } from './bounded-send';

declare module '../jobs' {
  interface QueueNames {
    deliver: DeliverWorker;
  }
}

/**
 * The queue `deliver`, a job for each chat that has something to send: one part after the other.
 *
 *   deliver.take (commit) ─> send, no connection held ─> deliver.settle (commit) ─> deliver.take …
 *
 * A crash before or during the send leaves the part `sending`: the next claim makes it unknown and
 * sends it once more. A crash after `deliver.settle` leaves nothing open. The job never waits for a
 * due time or a pause: the next job does. While the channel's breaker is open it sends nothing and
 * first asks whether the server responds.
 */
@Injectable()
@JobHandler(DELIVERY_QUEUE, {
  // Chats that one process sends to at a time. No connection is held while it sends.
  concurrency: 32,
  // Of the job itself, by a bug; each part counts its own failures.
  maxFailures: 5,
  drain: 'last',
  continuesTrace: true,
})
export class DeliverWorker implements JobHandlerClass {
  constructor(
    private readonly commits: PartCommits,
    private readonly sending: BoundedSend,
    private readonly channels: ChannelRegistry,
    private readonly limiter: ChannelLimiterRepository,
    private readonly metrics: DeliveryMetrics,
    private readonly clock: Clock,
  ) {}

  /** Without a channel that sends nothing is claimed: parts of one that is switched off wait. */
  get isOn(): boolean {
    return this.channels.hasSender;
  }

  /** Parts of a channel that is switched off wait. Throws UnknownChannelError for a foreign one. */
  async run(claim: Claim, flow: JobFlow): Promise<void> {
    const { channel } = chatOfKey(claim.key);
    if (!this.channels.sends(channel)) {
      throw new JobPostponedError(`the channel "${channel}" is switched off here`, OFF_PAUSE_MS);
    }
    while (await this.step(flow.uow, claim, flow));
  }

  onDead(tx: Tx, job: DeadJob): Promise<void> {
    return this.commits.onDead(tx, job);
  }

  /** False when nothing is due any more. */
  private async step(uow: UnitOfWork, claim: Claim, flow: JobFlow): Promise<boolean> {
    flow.signal.throwIfAborted();
    const chance = Math.random();
    const taken = await uow.commitUntilStored('deliver.take', flow.signal, (tx) =>
      this.commits.take(tx, claim, chance),
    );
    if (taken.kind === 'found') this.metrics.found(taken.part, taken.next);
    if (taken.kind === 'part') await this.deliver(uow, claim, flow, taken);
    if (taken.kind === 'outage') await this.recover(uow, flow, taken);
    return taken.kind !== 'over';
  }

  private async deliver(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    { part, attemptId }: NextPart & { kind: 'part' },
  ): Promise<void> {
    noteIds({
      conversation: part.conversationId,
      ...(part.turnId === null ? {} : { turn: part.turnId }),
    });
    const outcome = await this.attempt(flow, part).catch(async (error: unknown) => {
      // The lease ended before the send. The attempt is not sent later even if the lease was renewed
      // meanwhile; without this line in the log the next claim would take it for unknown.
      if (error instanceof LeaseLostError) await this.log(uow, attemptId, NEVER_SENT);
      throw error;
    });
    await this.settle(uow, claim, flow, { part, attemptId, outcome });
    if (outcome.kind === 'unavailable') {
      throw new ChannelUnavailableError(
        `the channel "${part.channel}" cannot send (${outcome.error}); its messages wait`,
      );
    }
  }

  /** Sends once. Throws LeaseLostError before anything is sent. */
  private attempt(flow: JobFlow, part: PartRow): Promise<SendOutcome> {
    const send = async (): Promise<SendOutcome> => {
      const sentAtMs = this.clock.monotonicMs();
      const ended = await this.sending.send(part, flow.signal);
      this.metrics.attempted(part.channel, ended, this.clock.monotonicMs() - sentAtMs);
      return ended;
    };
    const hasResponded = (ended: SendOutcome): boolean =>
      !isOutage(ended) && ended.kind !== 'unknown';
    const attributes = { 'colloquy.part': part.part };
    return step({ name: `deliver ${part.channel}`, attributes }, async (add) => {
      const ended = await callUnderLease(flow, send, { hasResponded });
      add({ 'colloquy.outcome': ended.kind });
      return ended;
    });
  }

  /** Closes the channel's breaker once its server responds; until then the queue's breaker opens. */
  private async recover(
    uow: UnitOfWork,
    flow: JobFlow,
    { channel, failureNo }: NextPart & { kind: 'outage' },
  ): Promise<void> {
    const ask = (): Promise<boolean> => this.sending.responds(channel);
    const responds = await callUnderLease(flow, ask, { hasResponded: (yes) => yes });
    if (!responds) {
      throw new ChannelUnavailableError(
        `the channel "${channel}" does not respond; its messages wait until it does`,
      );
    }
    await uow.commitUntilStored('deliver.recover', flow.signal, (tx) =>
      this.limiter.recover(tx, channel, failureNo),
    );
  }

  /**
   * The outcome is kept in memory until the database stores it, also past the end of the lease: the
   * fence decides then. Without the lease it is stored in the log only.
   */
  private async settle(
    uow: UnitOfWork,
    claim: Claim,
    flow: JobFlow,
    sent: EndedSend,
  ): Promise<void> {
    const chance = Math.random();
    try {
      const next = await uow.commitUntilStored('deliver.settle', flow.signal, (tx) =>
        this.commits.settle(tx, claim, sent, chance),
      );
      this.metrics.settled(sent.part, next);
    } catch (error) {
      if (error instanceof LeaseLostError) await this.log(uow, sent.attemptId, sent.outcome);
      throw error;
    }
  }

  private async log(uow: UnitOfWork, attemptId: string, outcome: SendOutcome): Promise<void> {
    await uow.commit('deliver.log', (tx) => this.commits.log(tx, attemptId, outcome));
  }
}

/** The channel's server accepts no message at all: the queue waits, and no part has failed. */
class ChannelUnavailableError extends PeerUnavailableError {
  override readonly code = 'channel_unavailable';
}

/** The pause before a job of a channel that is switched off is tried again. */
const OFF_PAUSE_MS = 60_000;
const NEVER_SENT: SendOutcome = { kind: 'not_sent', error: 'lease_lost' };
