import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../persistence';
import { type Claim, Jobs } from '../jobs';
import { ChannelLimiterRepository, waitMsOf } from './channel-limiter';
import { chatOfKey } from './chat';
import { type AttemptRow, DeliveryAttempts } from './delivery-attempts';
import { type PartRow, DeliveryRepository } from './delivery-rows';
import { type NextSend, afterServerError, afterUnknown } from './part-decision';
import { PartEnding } from './part-ending';

/** What a claim of a chat does next. */
export type Taken =
  /** Nothing is due: the task has ended, and what is to be sent later has a new one. */
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
    private readonly conversations: ConversationRepository,
    private readonly tasks: Jobs,
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
    await this.conversations.lock(tx, seen.conversationId);
    await this.tasks.fence(tx, claim);
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

  /** No claim waits: what is due later is a new task's. */
  private async end(tx: Tx, claim: Claim, dueInMs: number | null): Promise<Taken> {
    await this.tasks.complete(tx, claim);
    if (dueInMs !== null) await this.tasks.upsert(tx, { lane: 'deliver', key: claim.key, dueInMs });
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
  return `${claim.taskId}:${String(claim.claimNo)}`;
}
