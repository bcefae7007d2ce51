import { Injectable } from '@nestjs/common';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import { type Claim, type DeadJob, Jobs } from '../jobs';
import type { SendOutcome } from '../channels';
import { ChannelLimiterRepository, waitMsOf } from './channel-limiter.repository';
import { type AttemptRow, DeliveryRepository, type PartRow } from './delivery.repository';
import { DELIVERY_QUEUE, chatOfKey } from './delivery.service';
import { type NextSend, afterSend, afterServerError, afterUnknown, isOutage } from './resend-rules';

/** What a claim of a chat does next. */
export type NextPart =
  /** Nothing is due: the job is completed, and what is to be sent later has a new job. */
  | { readonly kind: 'over' }
  /** The chat's first part changed meanwhile: take again. */
  | { readonly kind: 'again' }
  /** An earlier send of the chat's first part had no stored outcome; now it has. Take again. */
  | { readonly kind: 'found'; readonly part: PartRow; readonly next: NextSend }
  /** The channel's breaker is open: its server has to respond before anything is sent. */
  | { readonly kind: 'outage'; readonly channel: string; readonly failureNo: string }
  /** To be sent now, once: the state `sending` and the attempt are stored. */
  | { readonly kind: 'part'; readonly part: PartRow; readonly attemptId: string };

/** A send that has ended. */
export interface EndedSend {
  readonly part: PartRow;
  readonly attemptId: string;
  readonly outcome: SendOutcome;
}

/**
 * The commits of the queue `deliver`: `deliver.take` before each send, `deliver.settle` after it,
 * and what happens when the job dies. Each locks the conversation first. What a part's end means to
 * the interview is published as `delivery.*`.
 */
@Injectable()
export class PartCommits {
  constructor(
    private readonly deliveries: DeliveryRepository,
    private readonly limiter: ChannelLimiterRepository,
    private readonly jobs: Jobs,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Finds the chat's first part, checks that it is due and that the channel is not paused, and
   * stores that it is being sent. Repeated after an unknown COMMIT, it finds what it stored and
   * returns the same. Throws LeaseLostError.
   */
  async take(tx: Tx, claim: Claim, chance: number): Promise<NextPart> {
    const chat = chatOfKey(claim.key);
    const seen = await this.deliveries.findFirst(tx, chat);
    if (seen === undefined) return this.completeJob(tx, claim, null);
    await this.deliveries.lockConversation(tx, seen.conversationId);
    await this.jobs.fence(tx, claim);
    const part = await this.deliveries.findFirst(tx, chat);
    if (part?.conversationId !== seen.conversationId) return { kind: 'again' };
    const attempt = await this.deliveries.findDecisiveAttempt(tx, part.id);
    const known = stateOfSends(part, attempt, nameOf(claim), chance);
    if (known === 'taken' && attempt !== undefined) {
      return { kind: 'part', part, attemptId: attempt.id };
    }
    if (known === 'free' || known === 'taken') return this.takeFree(tx, claim, part, chance);
    const locked = [part.conversationId];
    await this.apply(tx, part, known, { reason: 'unknown', locked, outageMs: null });
    return { kind: 'found', part, next: known };
  }

  private async takeFree(tx: Tx, claim: Claim, part: PartRow, chance: number): Promise<NextPart> {
    const { channel } = part;
    const state = await this.limiter.state(tx, channel);
    if (state.failureNo !== null) return { kind: 'outage', channel, failureNo: state.failureNo };
    const waitMs = waitMsOf(state, part, chance);
    if (waitMs > 0) return this.completeJob(tx, claim, waitMs);
    if (await this.isHeldBack(tx, part)) return { kind: 'again' };
    await this.deliveries.markSending(tx, part.id, nameOf(claim));
    return { kind: 'part', part, attemptId: await this.deliveries.beginAttempt(tx, part.id) };
  }

  /** A notice may come too late for the hour of the day, or for what was said since. */
  private async isHeldBack(tx: Tx, part: PartRow): Promise<boolean> {
    if (part.kind !== 'notice' || part.part > 0) return false;
    const { conversationId, messageId } = part;
    const timings = await this.events.collect(tx, 'delivery.notice', { conversationId, messageId });
    if (timings.some(({ kind }) => kind === 'never')) {
      await this.deliveries.markDead(tx, { messageId, error: 'outdated' });
      return true;
    }
    const waitMs = Math.max(0, ...timings.map((one) => (one.kind === 'later' ? one.waitMs : 0)));
    if (waitMs > 0) await this.deliveries.hold(tx, part.id, waitMs);
    return waitMs > 0;
  }

  /** A claim never waits for a due time: what is due later gets a new job. */
  private async completeJob(tx: Tx, claim: Claim, dueInMs: number | null): Promise<NextPart> {
    await this.jobs.complete(tx, claim);
    if (dueInMs !== null)
      await this.jobs.enqueue(tx, { queue: DELIVERY_QUEUE, key: claim.key, dueInMs });
    return { kind: 'over' };
  }

  /** Stores how a send ended. The same commit again changes nothing. Throws LeaseLostError. */
  async settle(tx: Tx, claim: Claim, sent: EndedSend, chance: number): Promise<NextSend> {
    const { part, attemptId, outcome } = sent;
    const next = afterSend(part, outcome, chance);
    const locked = await this.lock(tx, part, next);
    await this.jobs.fence(tx, claim);
    await this.deliveries.endAttempt(tx, attemptId, outcome);
    // Not `sending` any more: an earlier try of this commit was stored, but its result was lost.
    if (!(await this.deliveries.isSending(tx, part.id))) return next;
    const outageMs = isOutage(outcome) ? await this.limiter.fail(tx, part.channel) : null;
    await this.apply(tx, part, next, { reason: codeOf(outcome), locked, outageMs });
    if (outcome.kind === 'paused') await this.limiter.pause(tx, part.channel, outcome.forMs);
    return next;
  }

  /** Writes the log only: another claim holds the job, or nothing was sent. */
  async log(tx: Tx, attemptId: string, outcome: SendOutcome): Promise<void> {
    await this.deliveries.endAttempt(tx, attemptId, outcome);
  }

  /** The chat's first message is given up; what comes after it gets a job of its own. */
  async onDead(tx: Tx, job: DeadJob): Promise<void> {
    const chat = chatOfKey(job.key);
    const seen = await this.deliveries.findFirst(tx, chat);
    if (seen === undefined) return;
    await this.deliveries.lockConversation(tx, seen.conversationId);
    const part = await this.deliveries.findFirst(tx, chat);
    if (part?.conversationId === seen.conversationId) await this.markDead(tx, part, job.reason);
    await this.jobs.enqueue(tx, { queue: DELIVERY_QUEUE, key: job.key, dueInMs: 0 });
  }

  /** A block concerns every conversation of the chat: they are always locked in one order. */
  private async lock(tx: Tx, part: PartRow, next: NextSend): Promise<string[]> {
    const ids = next.kind === 'blocked' ? await this.deliveries.listConversations(tx, part) : [];
    const locked = ids.length === 0 ? [part.conversationId] : ids;
    for (const id of locked) await this.deliveries.lockConversation(tx, id);
    return locked;
  }

  /**
   * Stores what happens to a part next. `reason`: the code of what just happened. `locked`: the
   * conversations that a block may change. `outageMs`: how long the channel's outages have lasted,
   * if the present one does not count towards the next pause.
   */
  private async apply(
    tx: Tx,
    part: PartRow,
    next: NextSend,
    {
      reason,
      locked,
      outageMs,
    }: { reason: string; locked: readonly string[]; outageMs: number | null },
  ): Promise<void> {
    switch (next.kind) {
      case 'sent':
        await this.deliveries.markSent(tx, part.id, next.externalId);
        return this.publishIfDelivered(tx, part);
      case 'unconfirmed':
        await this.deliveries.markSent(tx, part.id, null);
        await this.events.publish(tx, 'delivery.unconfirmed', named(part));
        return this.publishIfDelivered(tx, part);
      case 'again':
        return this.deliveries.markAgain(tx, part.id, { ...next, error: reason, outageMs });
      case 'dead':
        return this.markDead(tx, part, next.error);
      case 'blocked':
        return this.block(tx, part, locked);
    }
  }

  private async markDead(tx: Tx, part: PartRow, error: string): Promise<void> {
    await this.deliveries.markDead(tx, { messageId: part.messageId, error });
    await this.events.publish(tx, 'delivery.failed', { ...named(part), error });
  }

  private async block(tx: Tx, part: PartRow, conversationIds: readonly string[]): Promise<void> {
    await this.deliveries.markBlocked(tx, part, conversationIds);
    for (const conversationId of conversationIds) {
      await this.events.publish(tx, 'delivery.blocked', { conversationId });
    }
  }

  private async publishIfDelivered(tx: Tx, part: PartRow): Promise<void> {
    const { conversationId, turnId } = part;
    if (part.kind !== 'reply' || turnId === null) return;
    if (!(await this.deliveries.isComplete(tx, part.messageId))) return;
    await this.events.publish(tx, 'delivery.delivered', { conversationId, turnId });
  }
}

/**
 * `free`: no earlier send is open. `taken`: this very claim stored the send in a commit whose
 * outcome it did not learn, and has not sent. Otherwise what happens next to a part whose send
 * ended in another process, or has no stored outcome. `attempt`: the one that says most about the part.
 */
function stateOfSends(
  part: PartRow,
  attempt: AttemptRow | undefined,
  claimName: string,
  chance: number,
): NextSend | 'free' | 'taken' {
  if (part.state === 'pending' || attempt === undefined) return 'free';
  const { outcome } = attempt;
  if (outcome === 'sent') return { kind: 'sent', externalId: attempt.externalId ?? '' };
  if (part.state === 'unknown') return 'free';
  if (outcome === 'server_error') return afterServerError(part);
  const hasNoOutcome = outcome === 'started' || outcome === 'unknown';
  if (!hasNoOutcome) return 'free';
  return part.claimedBy === claimName ? 'taken' : afterUnknown(part, chance);
}

function nameOf(claim: Claim): string {
  return `${claim.jobId}:${String(claim.claimNo)}`;
}

function named(part: PartRow): { conversationId: string; deliveryId: string } {
  return { conversationId: part.conversationId, deliveryId: part.id };
}

function codeOf(outcome: SendOutcome): string {
  return 'error' in outcome ? outcome.error : outcome.kind;
}
