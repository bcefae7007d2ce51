import { Injectable } from '@nestjs/common';
import { EventBus, type PayloadOf } from '../../common/events';
import { BufferService, type Flush } from '../../buffer';
import { Clock } from '../../common/clock';
import { ColloquyError } from '../../common/errors';
import type { Tx, UnitOfWork } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { LlmLedgerRepository, type SettledAttempt } from '../../llm';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { MessageRepository } from '../transcript/message.repository';
import type { StoredReply } from '../../streams';
import { type JobFlow, Jobs } from '../../jobs';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import { MetadataService, type MetadataUpdater } from '../metadata/metadata.service';
import type { ConversationStatus, Decision } from '../plan/decision';
import { type InterviewState, type Outcome, readState, waitingQuestion } from '../plan/state';
import type { OpenedTurn } from './turn-opening';
import { TurnRepository } from './turn.repository';

/** Pause before a close that could not be committed is tried again. */
const RETRY_MS = 200;
/** Ways of settling a question that leave something to read in the answer. */
const READABLE: readonly Outcome[] = ['answered', 'weak', 'unanalysed'];

/** A reply as its readers saw it. Without a decision it was stopped, and the plan stays put. */
export interface FinishedReply {
  readonly text: string;
  readonly decision: Decision | null;
  readonly isPartial: boolean;
  /** The last request to the model, if one was made; settled with the turn. */
  readonly attempt: SettledAttempt | null;
}

/** `turn.close`: reply, plan, delivery and the finished job, in one commit. */
@Injectable()
export class TurnClosing {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly metadata: MetadataService,
    private readonly messages: MessageRepository,
    private readonly turns: TurnRepository,
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly deliveries: DeliveryService,
    private readonly bus: EventBus,
    private readonly events: ConversationEventRepository,
    private readonly ledger: LlmLedgerRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Keeps trying from memory until another claim is seen or the drain wants the job back: a reply
   * that was shown must be stored. A lease that ran out meanwhile is the fence's to judge, so a
   * database that restarts costs no reply. Null: stopped before its first word, nothing to show.
   */
  async close(
    uow: UnitOfWork,
    flush: Flush,
    flow: JobFlow,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<StoredReply | null> {
    for (;;) {
      try {
        return await uow.commit('turn.close', (tx) => this.closeOnce(tx, flush, turn, reply));
      } catch (error) {
        if (!(error instanceof ColloquyError && error.retryable)) throw error;
        await this.clock.sleep(RETRY_MS, flow.signal);
        flow.signal.throwIfAborted();
      }
    }
  }

  private async closeOnce(
    tx: Tx,
    flush: Flush,
    turn: OpenedTurn,
    written: FinishedReply,
  ): Promise<StoredReply | null> {
    const conversation = await this.conversations.lock(tx, turn.conversationId);
    const claimName = `${flush.claim.jobId}:${flush.claim.claimNo}`;
    const known = await this.turns.findByFlush(tx, turn.flushId);
    // An earlier COMMIT of this claim was stored, although its confirmation was lost.
    if (known?.answeredBy === claimName) return this.readStored(tx, turn);
    await this.jobs.fence(tx, flush.claim);
    if (conversation === undefined) throw new Error('the conversation is gone');
    const reply = isOvertaken(turn, conversation) ? { ...written, ...NOTHING_SAID } : written;

    await this.settleAttempt(tx, turn, reply);
    await this.changeToCloser(tx, turn, reply);
    const isSaid = reply.decision !== null || reply.text.trim() !== '';
    const stored = isSaid ? await this.storeReply(tx, turn, reply) : null;
    const { isDelivered } = isSaid ? await this.deliver(tx, turn, reply) : NOTHING_TO_DELIVER;
    await this.turns.answer(tx, turn.id, {
      text: isSaid ? reply.text : '',
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
    await this.jobs.complete(tx, flush.claim);
    return stored;
  }

  private async settleAttempt(
    tx: Tx,
    { speaker }: OpenedTurn,
    { attempt }: FinishedReply,
  ): Promise<void> {
    if (speaker.kind !== 'model' || attempt === null) return;
    await this.ledger.settle(tx, speaker.attemptId, attempt);
  }

  /** Before the reply's own line: the closer says the interview's last words. */
  private async changeToCloser(
    tx: Tx,
    turn: OpenedTurn,
    { decision }: FinishedReply,
  ): Promise<void> {
    if (decision?.endsAs == null || turn.agent === 'closer') return;
    await this.events.add(tx, turn, 'closer', [
      { type: 'agent', agent: 'closer', from: turn.agent },
    ]);
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

  private async readStored(tx: Tx, turn: OpenedTurn): Promise<StoredReply | null> {
    const line = await this.messages.find(tx, turn.replyMessageId);
    if (line === undefined) return null;
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
      text: reply.text,
    });
  }

  /**
   * The plan moves by the decision, unless the interview was ended (a person was asked for, or the
   * candidate withdrew) while the reply was written: then that stands, and the reply is only text.
   */
  private async advance(
    tx: Tx,
    conversation: ConversationRow,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<void> {
    const isCurrent = conversation.status === turn.context.status;
    const decision = isCurrent ? reply.decision : null;
    const state = decision?.state ?? readState(conversation.state);
    const status = decision?.endsAs ?? conversation.status;
    await this.conversations.advance(tx, conversation.id, {
      state,
      status,
      interviewStep: conversation.interviewStep + (reply.decision === null ? 0 : 1),
      now: this.clock.databaseNow(),
    });
    if (decision?.endsAs === 'handed_over') {
      await this.conversations.setOwner(tx, conversation.id, 'asked');
    }
    await this.metadata.update(tx, conversation.id, afterTurn(turn, decision, { state, status }));
    const { id } = conversation;
    if (status === 'completed') {
      await this.bus.publish(tx, 'interview.finished', { conversationId: id });
    } else {
      await this.bus.publish(tx, 'interview.changed', { conversationIds: [id] });
    }
    for (const item of itemsFor(turn, reply, decision, conversation)) {
      await this.bus.publish(tx, 'attention.needed', {
        ...item,
        conversationId: turn.conversationId,
      });
    }
  }
}

type NeededItem = Omit<PayloadOf<'attention.needed'>, 'conversationId'>;

/** What of this turn a person has to look at. `decision`: as far as it moved the plan. */
function itemsFor(
  turn: OpenedTurn,
  reply: FinishedReply,
  decision: Decision | null,
  { owner }: ConversationRow,
): NeededItem[] {
  const items: NeededItem[] = [];
  const subject = `turn:${turn.id}`;
  if (decision?.endsAs === 'handed_over') {
    const conversation = `conversation:${turn.conversationId}`;
    const reason = 'the candidate asked for a person';
    items.push({ kind: 'handed_over', subject: conversation, reason });
  }
  if (owner === 'person' && turn.speaker.kind === 'code') {
    const conversation = `conversation:${turn.conversationId}`;
    const reason = 'the candidate wrote to the person who has the conversation';
    items.push({ kind: 'handed_over', subject: conversation, reason });
  }
  if (reply.decision?.isQuestionOpen === true) {
    const reason = "the candidate asked what the vacancy's documents do not answer";
    items.push({ kind: 'question', subject, reason });
  }
  if (turn.speaker.kind === 'scripted' && turn.context.isUnanalysed === true) {
    const reason = 'the model failed on this answer; the interview went on without it';
    items.push({ kind: 'unanalysed', subject, reason });
  }
  return items;
}

/** What a person said since counts: no interviewer's reply comes after it. */
function isOvertaken({ speaker, takeovers }: OpenedTurn, conversation: ConversationRow): boolean {
  return speaker.kind !== 'code' && takeovers !== conversation.takeovers;
}

const NOTHING_SAID = { text: '', decision: null, isPartial: true } as const;
const NOTHING_TO_DELIVER = { isDelivered: true } as const;

/** What the metadata says of the interview after this turn. */
function afterTurn(
  turn: OpenedTurn,
  decision: Decision | null,
  { state, status }: { state: InterviewState; status: ConversationStatus },
): MetadataUpdater {
  const answer = decision === null ? null : answerOf(turn, decision);
  return ({ questionAnswers, completedAt }, at) => ({
    interviewStarted: true,
    lastQuestionAsked: waitingQuestion(turn.plan, state)?.id ?? null,
    interviewCompleted: status === 'completed',
    ...(answer === null ? {} : { questionAnswers: [...(questionAnswers ?? []), answer] }),
    ...(status === 'completed' ? { completedAt: completedAt ?? at.toISOString() } : {}),
  });
}

/** The question that this turn settled with an answer to read, for the conversation's metadata. */
function answerOf(
  turn: OpenedTurn,
  { state }: Decision,
): { questionId: string; turnId: string } | null {
  const settled = state.settled[turn.state.settled.length];
  if (settled === undefined || !READABLE.includes(settled.outcome)) return null;
  return { questionId: settled.id, turnId: turn.id };
}
