import { Injectable } from '@nestjs/common';
import { BufferService, type Flush } from '../../buffer';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { type InterviewPlan, Vacancies } from '../../hiring';
import { LlmLedger, ModelClient } from '../../llm';
import { type ConversationRow, Conversations, type MessageRow, Messages } from '../../persistence';
import { Tasks } from '../../tasks';
import { type TurnContext, allowedVerdicts, isInterviewerWanted, readState } from '../plan';
import { buildInterviewRequest } from '../prompts';
import type { Opened, OpenedTurn, Speaker } from './opened-turn';
import { type TurnRow, TurnTable } from './turn-table';

/** Requests that failed on one answer before the interview goes on without the model. */
const MAX_FAILED_REQUESTS = 3;
/** The same for failures of any other kind, below the number that makes the task dead. */
const MAX_FAILED_CLAIMS = 4;
/** Lines of the transcript that are read for a prompt; the prompt itself is bounded further. */
const HISTORY_LINES = 60;

type Draft = Omit<OpenedTurn, 'speaker'>;

/** `turn.open`: seals an answer, and decides who may reply to it. Calls nobody. */
@Injectable()
export class TurnOpening {
  constructor(
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly turns: TurnTable,
    private readonly vacancies: Vacancies,
    private readonly tasks: Tasks,
    private readonly buffer: BufferService,
    private readonly ledger: LlmLedger,
    private readonly model: ModelClient,
    private readonly clock: Clock,
    private readonly settings: Settings,
  ) {}

  async open(tx: Tx, flush: Flush): Promise<Opened> {
    const conversation = await this.conversations.lock(tx, flush.conversationId);
    await this.tasks.fence(tx, flush.claim);
    const known = await this.turns.findByFlush(tx, flush.flushId);
    const messages = await this.messages.listOfBuffer(tx, flush.bufferId);
    const last = messages.at(-1);
    if (conversation === undefined || last === undefined || isStored(known)) {
      await this.buffer.clearBuffer(tx, { bufferId: flush.bufferId });
      await this.tasks.complete(tx, flush.claim);
      return { kind: 'settled' };
    }
    const turn = await this.turns.open(tx, {
      flushId: flush.flushId,
      bufferId: flush.bufferId,
      conversationId: conversation.id,
      interviewStep: conversation.interviewStep,
      channel: last.channel,
      messageCount: messages.length,
      replyMessageId: newId(),
      now: this.clock.databaseNow(),
    });
    const draft = await this.draft(tx, { flush, conversation, turn, messages, last });
    if (turn.stopRequestedAt !== null) {
      return { kind: 'stopped', turn: { ...draft, speaker: { kind: 'code' } } };
    }
    const speaker = await this.chooseSpeaker(tx, { flush, conversation, draft, messages });
    return { kind: 'reply', turn: { ...draft, speaker } };
  }

  private async draft(
    tx: Tx,
    found: {
      flush: Flush;
      conversation: ConversationRow;
      turn: TurnRow;
      messages: readonly MessageRow[];
      last: MessageRow;
    },
  ): Promise<Draft> {
    const { flush, conversation, turn, messages, last } = found;
    const bufferIds = await this.adopt(tx, turn);
    await this.messages.assignToTurn(tx, bufferIds, turn.id);
    const context: TurnContext = {
      language: conversation.language,
      status: conversation.status,
      isConsented: conversation.consent?.accepted === true,
      isAddendum: bufferIds.length === 1 && messages.every((message) => message.beforeReply),
      ordinal: turn.interviewStep,
      ...((await this.isGivenUp(tx, flush)) ? { isUnanalysed: true } : {}),
    };
    return {
      id: turn.id,
      flushId: flush.flushId,
      bufferId: flush.bufferId,
      bufferIds,
      conversationId: conversation.id,
      epoch: turn.epoch,
      replyMessageId: turn.replyMessageId,
      channel: last.channel === 'telegram' ? 'telegram' : 'web',
      language: conversation.language,
      plan: conversation.plan as InterviewPlan,
      state: readState(conversation.state),
      context,
    };
  }

  /** The model has failed on this answer for good: the interview goes on without it. */
  private async isGivenUp(tx: Tx, flush: Flush): Promise<boolean> {
    if (flush.claim.failures >= MAX_FAILED_CLAIMS) return true;
    if (flush.claim.failures === 0) return false;
    const { count, isHopeless } = await this.ledger.failuresOf(tx, flush.flushId);
    return isHopeless || count >= MAX_FAILED_REQUESTS;
  }

  /** Answers that an outage left unanswered are answered by this turn. */
  private async adopt(tx: Tx, turn: TurnRow): Promise<string[]> {
    const left = await this.turns.listEndedByOutage(tx, turn.conversationId, turn.bufferId);
    if (left.length === 0) return [turn.bufferId];
    const ids = left.map(({ id }) => id);
    await this.turns.merge(tx, ids, turn.id);
    return [...left.map(({ bufferId }) => bufferId), turn.bufferId];
  }

  private async chooseSpeaker(
    tx: Tx,
    found: {
      flush: Flush;
      conversation: ConversationRow;
      draft: Draft;
      messages: readonly MessageRow[];
    },
  ): Promise<Speaker> {
    const { conversation, draft } = found;
    if (!isInterviewerWanted(draft.context)) return { kind: 'code' };
    if (this.settings.llm.apiKey === '' || draft.context.isUnanalysed === true) {
      return { kind: 'scripted' };
    }
    const { attemptId } = await this.ledger.open(tx, {
      flushId: draft.flushId,
      purpose: 'interview',
      n: 1,
      epoch: draft.epoch,
      model: this.model.model,
    });
    const vacancy = await this.vacancies.find(tx, conversation.vacancyId);
    const lines = await this.messages.listLast(tx, conversation.id, HISTORY_LINES);
    const isOfAnswer = (line: MessageRow): boolean =>
      line.bufferId !== null && draft.bufferIds.includes(line.bufferId);
    const isBeforeAnswer = (line: MessageRow): boolean =>
      line.bufferId === null || BigInt(line.bufferId) < BigInt(draft.bufferId);
    const request = buildInterviewRequest({
      vacancy: { title: vacancy?.title ?? '', company: vacancy?.company ?? '' },
      language: draft.language,
      plan: draft.plan,
      state: draft.state,
      history: lines
        .filter((line) => line.role !== 'system' && !isOfAnswer(line) && isBeforeAnswer(line))
        .map(({ role, text }) => ({ role: role === 'user' ? 'candidate' : 'interviewer', text })),
      answer: lines
        .filter(isOfAnswer)
        .map(({ text }) => text)
        .join('\n\n'),
      allowedVerdicts: allowedVerdicts(draft.plan, draft.state),
      isAddendum: draft.context.isAddendum,
      maxOutputTokens: this.settings.llm.maxOutputTokens,
    });
    return { kind: 'model', request, attemptId };
  }
}

function isStored(turn: TurnRow | undefined): boolean {
  return turn?.state === 'answered' || turn?.state === 'delivered' || turn?.state === 'merged';
}
