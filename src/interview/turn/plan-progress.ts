import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { ConversationRepository, type ConversationRow } from '../conversation.repository';
import { MessageRepository } from '../transcript/message.repository';
import { VacancyRepository, type ReplyDay, replyDayOf } from '../../vacancies';
import type { TurnDecision, ConversationStatus } from '../plan/verdicts';
import type { OpenedTurn } from './turn-opening';
import { DomainEvents, type PayloadOf } from '../../common/events';
import { MetadataService, type MetadataUpdater } from '../metadata/metadata.service';
import { type InterviewState, answeredBetween, readState, waitingQuestion } from '../plan/state';
import { MessageLabelRepository, labelsOf } from '../transcript/message-label.repository';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import type { FinishedReply } from './turn-closing';

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
    reply: Pick<FinishedReply, 'decision' | 'hasObjected'>,
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
      // Whoever was abusive cannot take it back.
      const owner = decision.personNeededFor === 'abuse' ? 'person' : 'asked';
      await this.conversations.setOwner(tx, conversation.id, owner);
    }
    // A right, also of an interview that was ended meanwhile.
    if (isObjection(reply)) await this.conversations.recordObjection(tx, conversation.id);
    // Only a change by this answer: the candidate may have chosen another language meanwhile.
    if (decision !== null && turn.context.isLanguageNew === true) {
      await this.conversations.setLanguage(tx, conversation.id, turn.language);
    }
    const { id } = conversation;
    const replyDay = status === 'completed' ? await this.replyDay(tx, conversation) : NO_DAY;
    await this.metadata.update(tx, id, afterTurn(turn, decision, { state, status }, replyDay));
    if (status === 'completed' && !conversation.isPreview) {
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

/** What the plan's progress reads of a turn. */
export type PlannedTurn = Pick<
  OpenedTurn,
  'id' | 'conversationId' | 'plan' | 'state' | 'agent' | 'language'
> & {
  readonly context: Pick<OpenedTurn['context'], 'status' | 'isUnanalysed' | 'isLanguageNew'>;
  readonly speaker:
    | { readonly kind: 'model' | 'code' }
    | { readonly kind: 'scripted'; readonly failure: string | null };
};

const NO_DAY: ReplyDay = () => null;

type NeededItem = Omit<PayloadOf<'attention.needed'>, 'conversationId'>;

/** The attention items of this turn. `decision` is null if it did not change the plan. */
function itemsFor(
  turn: PlannedTurn,
  reply: Pick<FinishedReply, 'decision' | 'hasObjected'>,
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
  if (isObjection(reply)) {
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

function isObjection({
  decision,
  hasObjected,
}: Pick<FinishedReply, 'decision' | 'hasObjected'>): boolean {
  if (hasObjected === true || decision?.hasObjected === true) return true;
  return decision?.personNeededFor === 'objection';
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
