import { Injectable } from '@nestjs/common';
import { Attention } from '../../attention';
import type { DeadFlush } from '../../buffer';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { Conversations, Messages } from '../../persistence';
import { textsOf } from '../texts';
import { ENDED_BY_OUTAGE, TurnTable } from './turn-table';

/** `task.last_error` of failures that say nothing about the answer itself. */
const OUTAGES = ['model_unavailable', 'database_unavailable', 'pool_exhausted'];

/**
 * How an answer ends without a reply: it goes to a person, and the candidate is told that it is
 * kept. Runs inside the commit that ends the task.
 */
@Injectable()
export class TurnEnding {
  constructor(
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly turns: TurnTable,
    private readonly attention: Attention,
    private readonly clock: Clock,
  ) {}

  onDead(tx: Tx, flush: DeadFlush): Promise<void> {
    const reason = `the answer could not be replied to (${flush.lastError ?? 'its worker crashed'})`;
    return this.giveUp(tx, flush, { state: 'failed', kind: 'dead', reason });
  }

  onExpired(tx: Tx, flush: DeadFlush): Promise<void> {
    const reason = 'the answer grew too old before it could be replied to';
    return this.giveUp(tx, flush, { state: 'expired', kind: 'expired', reason });
  }

  private async giveUp(
    tx: Tx,
    flush: DeadFlush,
    end: { state: 'failed' | 'expired'; kind: 'dead' | 'expired'; reason: string },
  ): Promise<void> {
    const conversation = await this.conversations.lock(tx, flush.conversationId);
    if (conversation === undefined) return;
    const messages = await this.messages.listOfBuffer(tx, flush.bufferId);
    const isOutage = OUTAGES.some((code) => flush.lastError?.includes(code) === true);
    const turn = {
      flushId: flush.flushId,
      bufferId: flush.bufferId,
      conversationId: conversation.id,
      interviewStep: conversation.interviewStep,
      channel: messages.at(-1)?.channel ?? 'web',
      messageCount: messages.length,
      replyMessageId: newId(),
      now: this.clock.databaseNow(),
    };
    const error = isOutage ? ENDED_BY_OUTAGE : (flush.lastError ?? 'crashed');
    await this.turns.giveUp(tx, turn, { state: end.state, error });
    await this.attention.raise(tx, {
      kind: end.kind,
      subject: `task:${flush.taskId}`,
      conversationId: conversation.id,
      taskId: flush.taskId,
      reason: end.reason,
    });
    await this.tellTrouble(tx, conversation, flush.bufferId);
  }

  /** Once for each answer, whoever notices first. */
  async tellTrouble(
    tx: Tx,
    conversation: { id: string; language: 'ru' | 'en' },
    bufferId: string,
  ): Promise<boolean> {
    const line = await this.messages.say(tx, {
      id: newId(),
      conversationId: conversation.id,
      role: 'system',
      externalId: `trouble:${bufferId}`,
      text: textsOf(conversation.language).trouble,
      now: this.clock.databaseNow(),
    });
    return line !== undefined;
  }
}
