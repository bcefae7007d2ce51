import { Injectable } from '@nestjs/common';
import { BufferService, type Flush } from '../../buffer';
import type { Tx, UnitOfWork } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { type MessageRow, MessageRepository } from '../transcript/message.repository';
import type { StoredReply } from '../../streams';
import { type JobFlow, Jobs } from '../../jobs';
import type { TurnDecision } from '../plan/verdicts';
import { type EndedAttempt, ModelAttempts } from './model-requests';
import type { OpenedTurn } from './turn-opening';
import { TurnRepository } from './turn.repository';
import { markQuestion } from '../plan/state';
import { PROMPT_ID } from '../prompts/instructions';
import { PlanProgress } from './plan-progress';

/** `turn.close`: reply, plan, delivery and the finished job, in one commit. */
@Injectable()
export class TurnClosing {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly turns: TurnRepository,
    private readonly progress: PlanProgress,
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly deliveries: DeliveryService,
    private readonly attempts: ModelAttempts,
  ) {}

  /**
   * Tries again until another claim is seen or the drain asks for the job back: a reply that was
   * shown must be stored. A lease that ran out meanwhile is checked by the fence, so a database that
   * restarts costs no reply. Null: stopped before its first word, so there is nothing to show. The
   * outcome of the last model request is stored and counted in any case.
   */
  async close(
    uow: UnitOfWork,
    flush: Flush,
    flow: JobFlow,
    turn: OpenedTurn,
    reply: FinishedReply,
  ): Promise<StoredReply | null> {
    const { attempt } = reply;
    let stored: StoredReply | null;
    try {
      stored = await uow.commitUntilStored('turn.close', flow.signal, (tx) =>
        this.closeOnce(tx, flush, turn, reply),
      );
    } catch (error) {
      if (attempt !== null) await this.attempts.settleAlone(uow, turn, attempt);
      throw error;
    }
    if (attempt !== null) this.attempts.count(attempt);
    return stored;
  }

  private async closeOnce(
    tx: Tx,
    flush: Flush,
    turn: OpenedTurn,
    written: FinishedReply,
  ): Promise<StoredReply | null> {
    const conversation = await this.conversations.lock(tx, turn.conversationId);
    await this.progress.notifyReaders(tx, turn);
    const claimName = `${flush.answerId}:${flush.claim.claimNo}`;
    const known = await this.turns.findByAnswer(tx, turn.answerId);
    // An earlier COMMIT of this claim was stored, although its confirmation was lost.
    if (known?.repliedBy === claimName) return this.readStored(tx, turn);
    await this.jobs.fence(tx, flush.claim);
    if (conversation === undefined) throw new Error('the conversation is gone');
    const isSaidLate =
      isOvertaken(turn, conversation) ||
      (isEnded(turn, conversation) && this.deliveries.sends(turn.channel));
    const reply: FinishedReply = {
      ...written,
      ...(isSaidLate ? NOTHING_SAID : {}),
      hasObjected: hasObjected(turn, written),
    };

    if (reply.attempt !== null) await this.attempts.settle(tx, turn, reply.attempt);
    await this.progress.changeToCloser(tx, turn, reply);
    const isSaid = reply.decision !== null || reply.text.trim() !== '';
    const stored = isSaid ? await this.addLine(tx, turn, reply) : null;
    const { isDelivered } = isSaid ? await this.deliver(tx, turn, reply) : NOTHING_TO_DELIVER;
    await this.turns.storeReply(tx, turn.id, {
      text: isSaid ? reply.text : '',
      verdict: reply.decision?.verdict ?? null,
      isPartial: reply.isPartial,
      isDelivered,
      repliedBy: claimName,
      unfinished: reply.decision === null ? (reply.unfinished ?? null) : null,
      prompt: turn.speaker.kind === 'model' ? PROMPT_ID : null,
    });
    await this.progress.label(tx, turn, reply);
    await this.progress.advance(tx, conversation, turn, reply);
    if (isDelivered) {
      for (const answerId of turn.answerIds) await this.buffer.clearBuffer(tx, { answerId });
    }
    await this.jobs.complete(tx, flush.claim);
    return stored;
  }

  private async addLine(tx: Tx, turn: OpenedTurn, reply: FinishedReply): Promise<StoredReply> {
    const line = await this.messages.add(tx, {
      id: turn.replyMessageId,
      conversationId: turn.conversationId,
      role: 'assistant',
      externalId: `reply:${turn.answerId}`,
      text: reply.text,
      turnId: turn.id,
      partial: reply.isPartial,
      question:
        reply.decision === null ? null : markQuestion(turn.plan, reply.decision.state, reply.text),
    });
    if (line === undefined) throw new Error('a reply of this turn is stored already');
    return storedOf(line);
  }

  private async readStored(tx: Tx, turn: OpenedTurn): Promise<StoredReply | null> {
    const line = await this.messages.find(tx, turn.replyMessageId);
    return line === undefined ? null : storedOf(line);
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
}

/** A reply as its readers saw it. Without a decision it was stopped, and the plan does not change. */
export interface FinishedReply {
  readonly text: string;
  readonly decision: TurnDecision | null;
  readonly isPartial: boolean;
  /** The last request to the model, if one was made; settled with the turn. */
  readonly attempt: EndedAttempt | null;
  /** What a stopped reply would have decided. It is kept, so that the candidate can continue. */
  readonly unfinished?: TurnDecision | null;
  /** The candidate objects to automated processing, whatever becomes of the reply. */
  readonly hasObjected?: boolean;
  /** What the model made of the messages; left out without a model. */
  readonly labels?: { readonly written: string; readonly touches: readonly string[] };
}

function storedOf({ seq, receivedAt, partial, question }: MessageRow): StoredReply {
  return { seq, createdAt: receivedAt, isPartial: partial, question };
}

/** A person has written since: no reply of the interviewer comes after theirs. */
function isOvertaken({ speaker, takeovers }: OpenedTurn, conversation: ConversationRow): boolean {
  return speaker.kind !== 'code' && takeovers !== conversation.takeovers;
}

/**
 * The candidate has withdrawn or asked for a person since. The page has shown the beginning of the reply, which
 * stays; a channel that sends has shown nothing of it.
 */
function isEnded({ speaker, context }: OpenedTurn, { status, owner }: ConversationRow): boolean {
  return speaker.kind !== 'code' && (status !== context.status || owner !== 'model');
}

/** A right: it holds also where the reply was stopped or comes after a person's. */
function hasObjected(
  { context }: OpenedTurn,
  { decision, unfinished }: Pick<FinishedReply, 'decision' | 'unfinished'>,
): boolean {
  const heard = decision ?? unfinished ?? null;
  if (heard !== null) return heard.personNeededFor === 'objection' || heard.hasObjected === true;
  return context.isConsented && (context.wish === 'objection' || context.isObjectionToo === true);
}

const NOTHING_SAID = { text: '', decision: null, isPartial: true, unfinished: null } as const;
const NOTHING_TO_DELIVER = { isDelivered: true } as const;
