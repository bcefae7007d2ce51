import { Injectable } from '@nestjs/common';
import type { Tx } from '../common/uow';
import { ConversationRepository } from '../persistence';
import { type Claim, type DeadJob, Jobs } from '../jobs';
import { ChannelLimiterRepository } from './channel-limiter';
import { chatOfKey } from './chat';
import { DeliveryAttempts } from './delivery-attempts';
import { type PartRow, DeliveryRepository } from './delivery-rows';
import { type NextSend, afterSend, isOutage } from './part-decision';
import { PartEnding } from './part-ending';
import type { SendOutcome } from './sending-channel';

/** A send that has ended. */
export interface EndedSend {
  readonly part: PartRow;
  readonly attemptId: string;
  readonly outcome: SendOutcome;
}

/** `deliver.settle`, the commit after each send; and what a dead task owes its chat. */
@Injectable()
export class PartSettling {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly tasks: Jobs,
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
    await this.tasks.fence(tx, claim);
    await this.attempts.end(tx, attemptId, outcome);
    // Not sending any more: an earlier COMMIT of this was heard by nobody but went through.
    if (!(await this.rows.isSending(tx, part.id))) return next;
    const outageMs = isOutage(outcome) ? await this.limiter.fail(tx, part.channel) : null;
    await this.ending.apply(tx, part, next, { reason: codeOf(outcome), locked, outageMs });
    if (outcome.kind === 'paused') await this.limiter.pause(tx, part.channel, outcome.forMs);
    return next;
  }

  /** Only the log: the task is another claim's, or nobody was asked. */
  async log(tx: Tx, attemptId: string, outcome: SendOutcome): Promise<void> {
    await this.attempts.end(tx, attemptId, outcome);
  }

  /** The chat's first message is given up; what comes after it has a task of its own. */
  async onDead(tx: Tx, task: DeadJob): Promise<void> {
    const chat = chatOfKey(task.key);
    const seen = await this.rows.findFirst(tx, chat);
    if (seen === undefined) return;
    await this.conversations.lock(tx, seen.conversationId);
    const part = await this.rows.findFirst(tx, chat);
    if (part?.conversationId === seen.conversationId) {
      await this.ending.bury(tx, part, task.reason);
    }
    await this.tasks.upsert(tx, { lane: 'deliver', key: task.key, dueInMs: 0 });
  }

  /** A block concerns every conversation of the chat: locked in one order, whoever does it. */
  private async lock(tx: Tx, part: PartRow, next: NextSend): Promise<string[]> {
    const ids = next.kind === 'blocked' ? await this.rows.listConversations(tx, part) : [];
    const locked = ids.length === 0 ? [part.conversationId] : ids;
    for (const id of locked) await this.conversations.lock(tx, id);
    return locked;
  }
}

function codeOf(outcome: SendOutcome): string {
  return 'error' in outcome ? outcome.error : outcome.kind;
}
