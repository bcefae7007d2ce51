import { Injectable } from '@nestjs/common';
import { BufferService, type Flush } from '../../buffer';
import type { Tx, UnitOfWork } from '../../common/uow';
import { DeliveryService } from '../../delivery';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { type MessageRow, MessageRepository } from '../transcript/message.repository';
import type { StoredReply } from '../../streams';
import { type JobFlow, Jobs } from '../../jobs';
import { VacancyRepository, type ReplyDay, replyDayOf } from '../../vacancies';
import type { TurnDecision, ConversationStatus } from '../plan/verdicts';
import { type EndedAttempt, ModelAttempts } from './model-requests';
import type { OpenedTurn } from './turn-opening';
import { TurnRepository } from './turn.repository';
import { DomainEvents, type PayloadOf } from '../../common/events';
import { MetadataService, type MetadataUpdater } from '../metadata/metadata.service';
import {
  type InterviewState,
  answeredBetween,
  markQuestion,
  readState,
  waitingQuestion,
} from '../plan/state';
import { PROMPT_ID } from '../prompts/instructions';
import { labelsOf } from '../transcript/message-label.repository';
import { MessageLabelRepository } from '../transcript/message-label.repository';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';

/** A reply as its readers saw it. Without a decision it was stopped, and the plan does not change. */
export interface FinishedReply {
  readonly text: string;
  readonly decision: TurnDecision | null;
  readonly isPartial: boolean;
  /** The last request to the model, if one was made; settled with the turn. */
  readonly attempt: EndedAttempt | null;
  /** What a stopped reply would have decided. It is kept, so that the candidate can continue. */
  readonly unfinished?: TurnDecision | null;
  /** What the model made of the messages; left out without a model. */
  readonly labels?: { readonly written: string; readonly touches: readonly string[] };
}

/** What the plan's progress reads of a turn. */
export type PlannedTurn = Pick<
  OpenedTurn,
  'id' | 'conversationId' | 'plan' | 'state' | 'agent' | 'language'
> & {
  readonly context: Pick<OpenedTurn['context'], 'status' | 'isUnanalysed'>;
  readonly speaker:
    | { readonly kind: 'model' | 'code' }
    | { readonly kind: 'scripted'; readonly failure: string | null };
};

/** What a closed turn changes in the interview: plan, agent, labels and metadata, and the events about it. */
@Injectable()
export class PlanProgress {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly metadata: MetadataService,
    private readonly events: ConversationEventRepository,
    private readonly bus: DomainEvents,
    private readonly vacancies: VacancyRepository,
    private readonly messages: MessageRepository,
    private readonly labels: MessageLabelRepository,
  ) {}

  /** The closer writes the interview's last reply. Belongs before the reply's own line. */
  async changeToCloser(
    tx: Tx,
    turn: PlannedTurn,
    { decision }: Pick<FinishedReply, 'decision'>,
  ): Promise<void> {
    if (decision?.endsAs == null || turn.agent === 'closer') return;
    await this.events.add(tx, turn, 'closer', [
      { type: 'agent', agent: 'closer', from: turn.agent },
    ]);
  }

  /**
   * The decision changes the plan, unless the interview was ended while the reply was written (a person
   * was asked for, or the candidate withdrew). Then that state stays, and the reply is only text.
   */
  async advance(
    tx: Tx,
    conversation: ConversationRow,
    turn: PlannedTurn,
    reply: Pick<FinishedReply, 'decision'>,
  ): Promise<void> {
    const isCurrent = conversation.status === turn.context.status;
    const decision = isCurrent ? reply.decision : null;
    const state = decision?.state ?? readState(conversation.state);
    const status = decision?.endsAs ?? conversation.status;
    await this.conversations.advance(tx, conversation.id, {
      state,
      status,
      interviewStep: conversation.interviewStep + (reply.decision === null ? 0 : 1),
    });
    if (decision?.endsAs === 'handed_over') {
      await this.conversations.setOwner(tx, conversation.id, 'asked');
    }
    // A right, also of an interview that was ended meanwhile.
    if (reply.decision?.personNeededFor === 'objection') {
      await this.conversations.recordObjection(tx, conversation.id);
    }
    if (decision !== null && turn.language !== conversation.language) {
      await this.conversations.setLanguage(tx, conversation.id, turn.language);
    }
    const { id } = conversation;
    const replyDay = status === 'completed' ? await this.replyDay(tx, conversation) : NO_DAY;
    await this.metadata.update(tx, id, afterTurn(turn, decision, { state, status }, replyDay));
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

  /** Readers of the conversation read it after the commit. */
  notifyReaders(tx: Tx, { conversationId }: OpenedTurn): Promise<void> {
    return this.bus.publish(tx, 'conversation.changed', { conversationId });
  }

  /** Labels the messages of the answer. A stopped reply has read none of them. */
  async label(tx: Tx, turn: OpenedTurn, reply: FinishedReply): Promise<void> {
    const { decision, labels = { written: '', touches: [] } } = reply;
    if (decision === null || !turn.context.isConsented) return;
    const lines = await this.messages.listSeqs(tx, turn.conversationId);
    const seqOf = (id: string | null): number | null =>
      lines.find((line) => line.id === id)?.seq ?? null;
    const own = turn.messages.map(({ seq }) => seq);
    const facts = {
      plan: turn.plan,
      waitingId: waitingQuestion(turn.plan, turn.state)?.id ?? null,
      settledIds: turn.state.settled.map(({ id }) => id),
      messages: turn.messages.map(({ seq, amends }) => ({ seq, correctsSeq: seqOf(amends) })),
      earlierSeqs: lines.map(({ seq }) => seq).filter((seq) => seq < Math.min(...own)),
      isAddendum: turn.context.isAddendum,
    };
    await this.labels.set(tx, turn.conversationId, labelsOf(facts, decision, labels));
  }

  private async replyDay(tx: Tx, { plan, vacancyId }: ConversationRow): Promise<ReplyDay> {
    const vacancy = await this.vacancies.find(tx, vacancyId);
    return vacancy === null ? NO_DAY : replyDayOf(plan, vacancy.owner);
  }
}

const NO_DAY: ReplyDay = () => null;

type NeededItem = Omit<PayloadOf<'attention.needed'>, 'conversationId'>;

/** The attention items of this turn. `decision` is null if it did not change the plan. */
function itemsFor(
  turn: PlannedTurn,
  reply: Pick<FinishedReply, 'decision'>,
  decision: TurnDecision | null,
  { owner }: ConversationRow,
): NeededItem[] {
  const items: NeededItem[] = [];
  const subject = `turn:${turn.id}`;
  if (decision?.endsAs === 'handed_over') {
    const conversation = `conversation:${turn.conversationId}`;
    const reason =
      decision.personNeededFor === 'abuse'
        ? 'the candidate was abusive twice, so the interview is paused'
        : 'the candidate asked for a person';
    items.push({ kind: 'handed_over', subject: conversation, reason });
  }
  if (owner !== 'model' && turn.speaker.kind === 'code') {
    const conversation = `conversation:${turn.conversationId}`;
    const reason =
      owner === 'person'
        ? 'the candidate wrote to the person who has taken over the conversation'
        : 'the candidate asked for a person and has written again';
    items.push({ kind: 'handed_over', subject: conversation, reason });
  }
  if (turn.context.status === 'expired') {
    const conversation = `conversation:${turn.conversationId}`;
    const reason =
      'the candidate wrote after the interview had expired; to go on with it, write to them and return the conversation';
    items.push({ kind: 'handed_over', subject: conversation, reason });
  }
  if (reply.decision?.personNeededFor === 'objection') {
    // Not the conversation's own subject, whose items are closed when the interview goes on.
    const objection = `objection:${turn.conversationId}`;
    const reason =
      'the candidate objects to automated processing: nothing is scored, read it yourself';
    items.push({ kind: 'objection', subject: objection, reason });
  }
  if (reply.decision?.personNeededFor === 'adjustment') {
    // Not the turn's own subject, under which the same answer may ask something else.
    const adjustment = `adjustment:${turn.id}`;
    const reason =
      'the candidate asks for an adjustment of the interview or the job: arrange it with them';
    items.push({ kind: 'question', subject: adjustment, reason });
  }
  if (reply.decision?.isQuestionOpen === true) {
    const reason =
      turn.context.status === 'completed'
        ? 'the candidate asked something after the end of the interview'
        : "the candidate asked something that the vacancy's documents do not cover";
    items.push({ kind: 'question', subject, reason });
  }
  if (turn.speaker.kind === 'scripted' && turn.context.isUnanalysed === true) {
    const { failure } = turn.speaker;
    const how = failure === null ? '' : ` (${failure})`;
    const reason = `the model failed on this answer${how}; the interview went on without it`;
    items.push({ kind: 'unanalysed', subject, reason, under: failure && `model:${failure}` });
  }
  return items;
}

/** The metadata of the interview after this turn. */
function afterTurn(
  turn: PlannedTurn,
  decision: TurnDecision | null,
  { state, status }: { state: InterviewState; status: ConversationStatus },
  replyDay: ReplyDay,
): MetadataUpdater {
  const answer = decision === null ? null : answerOf(turn, decision);
  return ({ questionAnswers, completedAt }, at) => ({
    interviewStarted: true,
    lastQuestionAsked: waitingQuestion(turn.plan, state)?.id ?? null,
    interviewCompleted: status === 'completed',
    ...(answer === null ? {} : { questionAnswers: [...(questionAnswers ?? []), answer] }),
    // Both are stored once, so that an answer that is added later moves neither.
    ...(status === 'completed' && completedAt == null
      ? { completedAt: at.toISOString(), replyBy: replyDay(at) }
      : {}),
  });
}

/** The question that got its answer with this turn, for the conversation's metadata. */
function answerOf(
  turn: PlannedTurn,
  { state }: TurnDecision,
): { questionId: string; turnId: string } | null {
  const questionId = answeredBetween(turn.state, state);
  return questionId === null ? null : { questionId, turnId: turn.id };
}

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
    const reply = isOvertaken(turn, conversation) ? { ...written, ...NOTHING_SAID } : written;

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

function storedOf({ seq, receivedAt, partial, question }: MessageRow): StoredReply {
  return { seq, createdAt: receivedAt, isPartial: partial, question };
}

/** A person has written since: no reply of the interviewer comes after theirs. */
function isOvertaken({ speaker, takeovers }: OpenedTurn, conversation: ConversationRow): boolean {
  return speaker.kind !== 'code' && takeovers !== conversation.takeovers;
}

const NOTHING_SAID = { text: '', decision: null, isPartial: true, unfinished: null } as const;
const NOTHING_TO_DELIVER = { isDelivered: true } as const;
