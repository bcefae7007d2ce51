import { Injectable } from '@nestjs/common';
import { Attention } from '../../attention';
import { BufferService, type Flush } from '../../buffer';
import { Clock } from '../../common/clock';
import { ColloquyError } from '../../common/errors';
import type { Tx, UnitOfWork } from '../../common/uow';
import { Deliveries } from '../../delivery';
import { Conversations, type ConversationRow, Messages } from '../../persistence';
import type { StoredReply } from '../../streams';
import { type TaskFlow, Tasks } from '../../tasks';
import { type Decision, waitingQuestion } from '../plan';
import type { OpenedTurn } from './opened-turn';
import { TurnTable } from './turn-table';

/** Pause before a close that could not be committed is tried again. */
const RETRY_MS = 200;

/** A reply as its readers saw it. Without a decision it was stopped, and the plan stays put. */
export interface FinishedReply {
  readonly text: string;
  readonly decision: Decision | null;
  readonly isPartial: boolean;
}

/** `turn.close`: reply, plan, delivery and the finished task, in one commit. */
@Injectable()
export class TurnClosing {
  constructor(
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly turns: TurnTable,
    private readonly tasks: Tasks,
    private readonly buffer: BufferService,
    private readonly deliveries: Deliveries,
    private readonly attention: Attention,
    private readonly clock: Clock,
  ) {}

  /** Keeps trying from memory while the lease holds: a reply that was shown must be stored. */
  async close(
    uow: UnitOfWork,
    flush: Flush,
    flow: TaskFlow,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<StoredReply> {
    for (;;) {
      try {
        return await uow.commit('turn.close', (tx) => this.closeOnce(tx, flush, turn, reply));
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        flow.assertLease();
        await this.clock.sleep(RETRY_MS, flow.signal);
        flow.signal.throwIfAborted();
      }
    }
  }

  private async closeOnce(
    tx: Tx,
    flush: Flush,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<StoredReply> {
    const conversation = await this.conversations.lock(tx, turn.conversationId);
    const claimName = `${flush.claim.taskId}:${flush.claim.claimNo}`;
    const known = await this.turns.findByFlush(tx, turn.flushId);
    // An earlier COMMIT of this very claim was heard by nobody but went through.
    if (known?.answeredBy === claimName) return this.readStored(tx, turn);
    await this.tasks.fence(tx, flush.claim);
    if (conversation === undefined) throw new Error('the conversation is gone');

    const stored = await this.storeReply(tx, turn, reply);
    const { isDelivered } = await this.deliver(tx, turn, reply);
    await this.turns.answer(tx, turn.id, {
      text: reply.text,
      verdict: reply.decision?.verdict ?? null,
      isPartial: reply.isPartial,
      isDelivered,
      answeredBy: claimName,
      now: this.clock.databaseNow(),
    });
    await this.advance(tx, conversation, turn, reply);
    if (isDelivered) {
      for (const bufferId of turn.bufferIds) await this.buffer.clearBuffer(tx, { bufferId });
    }
    await this.tasks.complete(tx, flush.claim);
    return stored;
  }

  private async storeReply(tx: Tx, turn: OpenedTurn, reply: FinishedReply): Promise<StoredReply> {
    const line = await this.messages.say(tx, {
      id: turn.replyMessageId,
      conversationId: turn.conversationId,
      role: 'assistant',
      externalId: turn.flushId,
      text: reply.text,
      turnId: turn.id,
      partial: reply.isPartial,
      now: this.clock.databaseNow(),
    });
    if (line === undefined) throw new Error('a reply of this turn is stored already');
    return { seq: line.seq, createdAt: line.receivedAt, isPartial: line.partial };
  }

  private async readStored(tx: Tx, turn: OpenedTurn): Promise<StoredReply> {
    const line = await this.messages.find(tx, turn.replyMessageId);
    if (line === undefined) throw new Error('an answered turn has no reply');
    return { seq: line.seq, createdAt: line.receivedAt, isPartial: line.partial };
  }

  private async deliver(
    tx: Tx,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<{ isDelivered: boolean }> {
    return this.deliveries.add(tx, {
      conversationId: turn.conversationId,
      turnId: turn.id,
      messageId: turn.replyMessageId,
      kind: 'reply',
      channel: turn.channel,
      chat: turn.conversationId,
      text: reply.text,
    });
  }

  private async advance(
    tx: Tx,
    conversation: ConversationRow,
    turn: OpenedTurn,
    { decision }: FinishedReply,
  ): Promise<void> {
    const status = decision?.endsAs ?? conversation.status;
    const answered = waitingQuestion(turn.plan, turn.state);
    const next = decision === null ? answered : waitingQuestion(turn.plan, decision.state);
    await this.conversations.advance(tx, conversation.id, {
      state: decision === null ? conversation.state : decision.state,
      status,
      interviewStep: conversation.interviewStep + 1,
      metadata: {
        interviewStarted: true,
        lastQuestionAsked: next?.id ?? null,
        interviewCompleted: status === 'completed',
      },
      questionAnswer:
        decision?.verdict === 'answered' && answered !== undefined
          ? { questionId: answered.id, turnId: turn.id }
          : null,
      now: this.clock.databaseNow(),
    });
    if (status === 'handed_over') await this.raiseHandOver(tx, turn);
    if (turn.context.isUnanalysed === true) await this.raiseUnanalysed(tx, turn);
  }

  private async raiseHandOver(tx: Tx, turn: OpenedTurn): Promise<void> {
    await this.attention.raise(tx, {
      kind: 'handed_over',
      subject: `conversation:${turn.conversationId}`,
      conversationId: turn.conversationId,
      reason: 'the candidate asked for a person',
    });
  }

  private async raiseUnanalysed(tx: Tx, turn: OpenedTurn): Promise<void> {
    await this.attention.raise(tx, {
      kind: 'unanalysed',
      subject: `turn:${turn.id}`,
      conversationId: turn.conversationId,
      reason: 'the model failed on this answer; the interview went on without it',
    });
  }
}
