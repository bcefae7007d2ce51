import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import {
  type PartRow,
  DeliveryRepository,
  type AttemptRow,
  DeliveryAttempts,
} from './delivery.repository';
import { type NextSend, afterServerError, afterUnknown, afterSend, isOutage } from './resend-rules';
import { SettledPort } from './delivery-settled';
import { type Claim, Jobs, type DeadJob } from '../jobs';
import { ChannelLimiterRepository, waitMsOf } from './channel-limiter.repository';
import { chatOfKey } from './delivery.service';
import type { SendOutcome } from './channel';

/** Writes down what becomes of a part, with what that means to its message. Under the lock. */
@Injectable()
export class PartEnding {
  constructor(
    private readonly rows: DeliveryRepository,
    private readonly port: SettledPort,
  ) {}

  /**
   * `reason`: the code of what just happened. `locked`: the conversations that a block may touch.
   * `outageMs`: how long the channel's outages have lasted, if one of them stops the next pause.
   */
  async apply(
    tx: Tx,
    part: PartRow,
    next: NextSend,
    {
      reason,
      locked,
      outageMs = null,
    }: { reason: string; locked: readonly string[]; outageMs?: number | null },
  ): Promise<void> {
    switch (next.kind) {
      case 'sent':
        await this.rows.markSent(tx, part.id, next.externalId);
        return this.settleIfComplete(tx, part);
      case 'unconfirmed':
        await this.rows.markSent(tx, part.id, null);
        await this.port.settled.onUnconfirmed(tx, named(part));
        return this.settleIfComplete(tx, part);
      case 'again':
        return this.rows.markAgain(tx, part.id, { ...next, error: reason, outageMs });
      case 'dead':
        return this.bury(tx, part, next.error);
      case 'blocked':
        return this.block(tx, part, locked);
    }
  }

  async bury(tx: Tx, part: PartRow, error: string): Promise<void> {
    await this.rows.bury(tx, { messageId: part.messageId, error });
    await this.port.settled.onUndeliverable(tx, { ...named(part), error });
  }

  private async block(tx: Tx, part: PartRow, conversationIds: readonly string[]): Promise<void> {
    await this.rows.buryBlocked(tx, part, conversationIds);
    for (const conversationId of conversationIds) {
      await this.port.settled.onBlocked(tx, { conversationId });
    }
  }

  private async settleIfComplete(tx: Tx, part: PartRow): Promise<void> {
    const { conversationId, turnId } = part;
    if (part.kind !== 'reply' || turnId === null) return;
    if (!(await this.rows.isComplete(tx, part.messageId))) return;
    await this.port.settled.onDelivered(tx, { conversationId, turnId });
  }
}

function named(part: PartRow) {
  return { conversationId: part.conversationId, deliveryId: part.id };
}

/** What a claim of a chat does next. */
export type Taken =
  /** Nothing is due: the job has ended, and what is to be sent later has a new one. */
  | { readonly kind: 'over' }
  /** Something stood in the way and is out of it now: take again. */
  | { readonly kind: 'again' }
  /** An earlier send of the chat's first part was without an end; that is settled. Take again. */
  | { readonly kind: 'found'; readonly part: PartRow; readonly next: NextSend }
  /** The channel's breaker is open: its server has to respond before anything is sent. */
  | { readonly kind: 'outage'; readonly channel: string; readonly outageNo: string }
  /** To be sent now, once: `sending` and the attempt are written down. */
  | { readonly kind: 'part'; readonly part: PartRow; readonly attemptId: string };

/**
 * `deliver.take`, the commit before each send: finds the chat's first part, checks that it is due
 * and that the channel is not paused, and writes down that it is being sent.
 */
@Injectable()
export class PartCommits {
  constructor(
    private readonly jobs: Jobs,
    private readonly rows: DeliveryRepository,
    private readonly attempts: DeliveryAttempts,
    private readonly limiter: ChannelLimiterRepository,
    private readonly ending: PartEnding,
  ) {}

  /** Throws LeaseLostError. The same commit again finds what it wrote and means the same. */
  async take(tx: Tx, claim: Claim, chance: number): Promise<Taken> {
    const chat = chatOfKey(claim.key);
    const seen = await this.rows.findFirst(tx, chat);
    if (seen === undefined) return this.end(tx, claim, null);
    await this.rows.lockConversation(tx, seen.conversationId);
    await this.jobs.fence(tx, claim);
    const part = await this.rows.findFirst(tx, chat);
    if (part?.conversationId !== seen.conversationId) return { kind: 'again' };
    const last = await this.attempts.findLast(tx, part.id);
    const known = whatIsKnown(part, last, nameOf(claim), chance);
    if (known === 'taken' && last !== undefined) return { kind: 'part', part, attemptId: last.id };
    if (known === 'free' || known === 'taken') return this.takeFree(tx, claim, part, chance);
    const locked = [part.conversationId];
    await this.ending.apply(tx, part, known, { reason: 'unknown', locked });
    return { kind: 'found', part, next: known };
  }

  private async takeFree(tx: Tx, claim: Claim, part: PartRow, chance: number): Promise<Taken> {
    const { channel } = part;
    const state = await this.limiter.state(tx, channel);
    if (state.outageNo !== null) return { kind: 'outage', channel, outageNo: state.outageNo };
    const waitMs = waitMsOf(state, part, chance);
    if (waitMs > 0) return this.end(tx, claim, waitMs);
    await this.rows.markSending(tx, part.id, nameOf(claim));
    return { kind: 'part', part, attemptId: await this.attempts.begin(tx, part.id) };
  }

  /** No claim waits: what is due later is a new job's. */
  private async end(tx: Tx, claim: Claim, dueInMs: number | null): Promise<Taken> {
    await this.jobs.complete(tx, claim);
    if (dueInMs !== null) await this.jobs.upsert(tx, { queue: 'deliver', key: claim.key, dueInMs });
    return { kind: 'over' };
  }
}

/**
 * `free`: nothing is left of an earlier send. `taken`: this very claim wrote it down in a commit
 * whose end it did not hear, and has not sent. Else what becomes of a part whose send ended
 * elsewhere, or had no end.
 */
function whatIsKnown(
  part: PartRow,
  last: AttemptRow | undefined,
  claimName: string,
  chance: number,
): NextSend | 'free' | 'taken' {
  if (part.state === 'pending' || last === undefined) return 'free';
  if (last.outcome === 'sent') return { kind: 'sent', externalId: last.externalId ?? '' };
  if (part.state === 'unknown') return 'free';
  if (last.outcome === 'server_error') return afterServerError(part);
  const isEndless = last.outcome === 'started' || last.outcome === 'unknown';
  if (!isEndless) return 'free';
  return part.claimedBy === claimName ? 'taken' : afterUnknown(part, chance);
}

function nameOf(claim: Claim): string {
  return `${claim.jobId}:${String(claim.claimNo)}`;
}

/** A send that has ended. */
export interface EndedSend {
  readonly part: PartRow;
  readonly attemptId: string;
  readonly outcome: SendOutcome;
}

/** `deliver.settle`, the commit after each send; and what a dead job owes its chat. */
@Injectable()
export class PartSettling {
  constructor(
    private readonly jobs: Jobs,
    private readonly rows: DeliveryRepository,
    private readonly attempts: DeliveryAttempts,
    private readonly limiter: ChannelLimiterRepository,
    private readonly ending: PartEnding,
  ) {}

  /** Throws LeaseLostError. The same commit again changes nothing. */
  async settle(tx: Tx, claim: Claim, sent: EndedSend, chance: number): Promise<NextSend> {
    const { part, attemptId, outcome } = sent;
    const next = afterSend(part, outcome, chance);
    const locked = await this.lock(tx, part, next);
    await this.jobs.fence(tx, claim);
    await this.attempts.end(tx, attemptId, outcome);
    // Not sending any more: an earlier COMMIT of this was heard by nobody but went through.
    if (!(await this.rows.isSending(tx, part.id))) return next;
    const outageMs = isOutage(outcome) ? await this.limiter.fail(tx, part.channel) : null;
    await this.ending.apply(tx, part, next, { reason: codeOf(outcome), locked, outageMs });
    if (outcome.kind === 'paused') await this.limiter.pause(tx, part.channel, outcome.forMs);
    return next;
  }

  /** Only the log: the job is another claim's, or nobody was asked. */
  async log(tx: Tx, attemptId: string, outcome: SendOutcome): Promise<void> {
    await this.attempts.end(tx, attemptId, outcome);
  }

  /** The chat's first message is given up; what comes after it has a job of its own. */
  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const chat = chatOfKey(job.key);
    const seen = await this.rows.findFirst(tx, chat);
    if (seen === undefined) return;
    await this.rows.lockConversation(tx, seen.conversationId);
    const part = await this.rows.findFirst(tx, chat);
    if (part?.conversationId === seen.conversationId) {
      await this.ending.bury(tx, part, job.reason);
    }
    await this.jobs.upsert(tx, { queue: 'deliver', key: job.key, dueInMs: 0 });
  }

  /** A block concerns every conversation of the chat: locked in one order, whoever does it. */
  private async lock(tx: Tx, part: PartRow, next: NextSend): Promise<string[]> {
    const ids = next.kind === 'blocked' ? await this.rows.listConversations(tx, part) : [];
    const locked = ids.length === 0 ? [part.conversationId] : ids;
    for (const id of locked) await this.rows.lockConversation(tx, id);
    return locked;
  }
}

function codeOf(outcome: SendOutcome): string {
  return 'error' in outcome ? outcome.error : outcome.kind;
}
