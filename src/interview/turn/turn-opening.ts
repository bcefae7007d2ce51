import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { type TurnRow, TurnRepository } from './turn.repository';
import type { InterviewPlan, Language } from '../../vacancies';
import { type ReplyPart, partsOf } from '../../streams';
import { type Agent, agentFor } from '../prompts/instructions';
import { type TurnEvent, agentAfter, eventForClients } from '../transcript/turn-events';
import { type InterviewState, readState } from '../plan/state';
import { type TurnContext, isInterviewerWanted } from '../plan/verdicts';
import { plainAsideOf } from '../plan/asides';
import { isGoodbye } from '../plan/goodbye';
import { hardshipOf } from '../plan/hardship';
import { isAnswerWanted } from '../plan/after-end';
import { languageAfter } from '../plan/language';
import { isAsking, isAskingWhen, isLater, isSkipping, mayAsk, plainWishOf } from '../plan/phrases';
import { MAX_ANSWER_LENGTH } from '../prompts/interview-request';
import { BufferService, type Flush } from '../../buffer';
import { newId } from '../../common/ids';
import { type ConversationRow, ConversationRepository } from '../conversation.repository';
import { type MessageRow, MessageRepository } from '../transcript/message.repository';
import { Jobs } from '../../jobs';
import type { TakenServer } from '../../llm';
import { ConversationEventRepository } from '../transcript/conversation-event.repository';
import { isOwn, joined, mayBeShown } from '../prompts/turn-prompt';
import { EarlierAnswers } from './earlier-answers';
import { SpeakerChoice, type Speaker } from './speaker-choice';

/** `turn.open`: opens the turn of a claimed answer and decides who may reply. Makes no remote call. */
@Injectable()
export class TurnOpening {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly turns: TurnRepository,
    private readonly earlier: EarlierAnswers,
    private readonly speakers: SpeakerChoice,
    private readonly jobs: Jobs,
    private readonly buffer: BufferService,
    private readonly events: ConversationEventRepository,
  ) {}

  async open(tx: Tx, flush: Flush, server: TakenServer): Promise<OpeningResult> {
    const conversation = await this.conversations.lock(tx, flush.conversationId);
    await this.jobs.fence(tx, flush.claim);
    const known = await this.turns.findByAnswer(tx, flush.answerId);
    const messages = await this.messages.listOfAnswers(tx, [flush.answerId], 0);
    const last = messages.at(-1);
    if (conversation === undefined || last === undefined || isStored(known)) {
      await this.jobs.complete(tx, flush.claim);
      return { kind: 'settled' };
    }
    if (conversation.status === 'withdrawn') return this.dropWithdrawn(tx, flush);
    if (known === undefined) {
      const { id: conversationId, channel } = conversation;
      await this.buffer.learnQuietTime(tx, { conversationId, channel });
    }
    const begun = { flush, server, conversation, messages, last };
    const agent = agentFor(conversation.plan, readState(conversation.state), conversation.status);
    const turn = await this.openTurn(tx, begun, agent);
    const events = await this.eventsOf(tx, begun, turn, agent);
    return this.prepare(tx, { ...begun, turn, agent, events });
  }

  /** The candidate has withdrawn: no reply is written; the messages stay in the transcript. */
  private async dropWithdrawn(tx: Tx, flush: Flush): Promise<OpeningResult> {
    const { conversationId, answerId } = flush;
    await this.turns.abandon(tx, { conversationId, ownAnswer: answerId });
    await this.buffer.clearBuffer(tx, { answerId });
    await this.jobs.complete(tx, flush.claim);
    return { kind: 'settled' };
  }

  private openTurn(
    tx: Tx,
    { flush, conversation, messages, last }: Begun,
    agent: Agent,
  ): Promise<TurnRow> {
    return this.turns.open(tx, {
      answerId: flush.answerId,
      conversationId: conversation.id,
      interviewStep: conversation.interviewStep,
      channel: last.channel,
      messageCount: messages.length,
      replyMessageId: newId(),
      agent,
      claimNo: flush.claim.claimNo,
    });
  }

  /** In a later epoch, the earlier events of the reply; in the first one, a switch of the agent, if any. */
  private async eventsOf(
    tx: Tx,
    { conversation }: Begun,
    turn: TurnRow,
    agent: Agent,
  ): Promise<TurnEvent[]> {
    if (turn.epoch > 1) return this.events.list(tx, turn.id);
    if (conversation.agent === agent) return [];
    const switched = { type: 'agent', agent, from: conversation.agent } as const;
    await this.events.add(tx, turn, agent, [switched]);
    return [switched];
  }

  private async prepare(tx: Tx, found: Found): Promise<OpeningResult> {
    const { flush, server, conversation, turn, last, agent, events } = found;
    const answerIds = [...(await this.earlier.takeUp(tx, turn)), turn.answerId];
    await this.messages.assignToTurn(tx, answerIds, turn.id);
    const answer = await this.messages.listOfAnswers(tx, answerIds, MAX_ANSWER_LENGTH + 1);
    const own = answer.filter((line) => mayBeShown(line, conversation) && isOwn(line));
    const said = joined(own);
    const state = readState(conversation.state);
    const { language, inOtherLanguage } = languageAfter(
      said,
      conversation.language,
      state.inOtherLanguage,
    );
    const isAsked = state.isLeaving || state.isCallingPerson;
    const ending = own.at(-1)?.text ?? '';
    const isLaterToo = own.length > 1 && isLater(ending);
    const isAsideBefore = isLaterToo && plainAsideOf(joined(own.slice(0, -1))) !== null;
    const draft = {
      id: turn.id,
      answerId: flush.answerId,
      answerIds,
      conversationId: conversation.id,
      vacancyId: conversation.vacancyId,
      epoch: turn.epoch,
      replyMessageId: turn.replyMessageId,
      channel: last.channel,
      language,
      plan: conversation.plan,
      messages: answer.map(({ id, seq, amends }) => ({ id, seq, amends })),
      state,
      context: await this.contextOf(tx, found, answer, isLaterToo ? ending : said, {
        language,
        inOtherLanguage,
        aside: plainAsideOf(said),
        mayAsk: mayAsk(said),
        isAsking: isAsking(said),
        wish: plainWishOf(said),
        isObjectionToo: own.length > 1 && own.some((line) => isObjection(line.text)),
        isSkipping: isSkipping(said),
        isGoodbye: isGoodbye(said),
        isLater: isLater(said, isAsked) || isAsideBefore,
        isLaterToo,
        isAskingWhen: isAskingWhen(said),
        isHardship: hardshipOf(said) !== null,
      }),
      takeovers: conversation.takeovers,
      agent: agentAfter(turn.agent ?? agent, events),
      parts: partsOf(turn.agent, events.map(eventForClients)),
    };
    if (turn.stopRequestedAt !== null) {
      // A person has taken over: their words are next, or the question once more.
      const isTaken = conversation.owner === 'person';
      const text = isTaken ? '' : await this.speakers.textOfStopped(tx, turn.id);
      return { kind: 'stopped', turn: { ...draft, speaker: { kind: 'code' } }, text };
    }
    const asked = { conversation, answer, events, server };
    const speaker = await this.speakers.choose(tx, draft, asked);
    return { kind: 'reply', turn: { ...draft, speaker } };
  }

  private async contextOf(
    tx: Tx,
    { flush, conversation, turn, messages, last }: Found,
    answer: readonly MessageRow[],
    saidOfReturn: string,
    heard: Heard,
  ): Promise<TurnContext> {
    const isOneAnswer = answer.length === messages.length;
    const isCorrection = answer.length > 0 && answer.every(({ amends }) => amends !== null);
    const wereEarly = isOneAnswer && answer.every((one) => one.beforeReply || one.amends !== null);
    const context: TurnContext = {
      ...heard,
      isLanguageNew: heard.language !== conversation.language,
      // While a person has the conversation, only code confirms that a message is kept.
      status: conversation.owner === 'model' ? conversation.status : 'handed_over',
      isConsented: answer.some((line) => mayBeShown(line, conversation)),
      // Only if the earlier reply came; the answer before may have gone to a person instead.
      isAddendum:
        isCorrection ||
        (wereEarly && (await this.turns.wasRepliedSince(tx, turn, last.receivedAt))),
      ...(isCorrection ? { isCorrection } : {}),
      ordinal: turn.interviewStep,
      ...((await this.speakers.isModelGivenUp(tx, flush)) ? { isUnanalysed: true } : {}),
    };
    return this.withProspects(tx, conversation, context, saidOfReturn);
  }

  /** What is read only where a reply may need it. */
  private async withProspects(
    tx: Tx,
    conversation: ConversationRow,
    context: TurnContext,
    saidOfReturn: string,
  ): Promise<TurnContext> {
    const { plan, state } = conversation;
    const isWanted = isInterviewerWanted(context);
    const isAtEnd = isWanted && readState(state).questionIndex >= plan.questions.length - 1;
    const mayNeedAnswer = isAtEnd || isAnswerWanted({ ...context, canAnswer: true });
    const canAnswer = mayNeedAnswer && (await this.speakers.canAnswer(tx, conversation));
    if (!isWanted) return { ...context, canAnswer };
    const { language } = context;
    const comingBack = await this.speakers.comingBack(tx, conversation, saidOfReturn, language);
    return { ...context, canAnswer, comingBack };
  }
}

/** A turn after turn.open: everything that the generation needs, without a connection. */
export interface OpenedTurn {
  readonly id: string;
  readonly answerId: string;
  /** Its own answer and the earlier ones that it has taken up. */
  readonly answerIds: readonly string[];
  readonly conversationId: string;
  readonly vacancyId: string;
  readonly epoch: number;
  readonly replyMessageId: string;
  readonly channel: MessageRow['channel'];
  /** Of the reply: the one that the candidate now writes in. */
  readonly language: Language;
  readonly plan: InterviewPlan;
  /** The answer: its messages, by number, and the number of the one that each corrects by an edit. */
  readonly messages: readonly MessageOfAnswer[];
  readonly state: InterviewState;
  readonly context: TurnContext;
  /** The conversation's count when the turn opened; a different one at its end means a takeover. */
  readonly takeovers: number;
  readonly speaker: Speaker;
  /** Who speaks now. */
  readonly agent: Agent;
  /** What is stored of this reply apart from its text. */
  readonly parts: readonly ReplyPart[];
}

/** A message of an answer. */
export interface MessageOfAnswer {
  readonly id: string;
  readonly seq: number;
  /** The id of the message that it is an edit of. */
  readonly amends: string | null;
}

export type OpeningResult =
  /** There is nothing to reply to, or the reply is stored already: the job is done. */
  | { readonly kind: 'settled' }
  /** A reply is to be written. */
  | { readonly kind: 'reply'; readonly turn: OpenedTurn }
  /** The candidate stopped this reply before a crash: it is closed with what is known of its text. */
  | { readonly kind: 'stopped'; readonly turn: OpenedTurn; readonly text: string };

interface Begun {
  readonly flush: Flush;
  /** Is asked if a model replies. */
  readonly server: TakenServer;
  readonly conversation: ConversationRow;
  /** The messages of its own buffer; never empty. */
  readonly messages: readonly MessageRow[];
  readonly last: MessageRow;
}

interface Found extends Begun {
  readonly turn: TurnRow;
  /** Who speaks in the conversation's present state. */
  readonly agent: Agent;
  /** What earlier epochs and this commit have stored of the reply apart from its text. */
  readonly events: readonly TurnEvent[];
}

/** What code hears in an answer by fixed phrases. */
type Heard = Required<
  Pick<
    TurnContext,
    | 'language'
    | 'inOtherLanguage'
    | 'aside'
    | 'mayAsk'
    | 'isAsking'
    | 'wish'
    | 'isObjectionToo'
    | 'isSkipping'
    | 'isGoodbye'
    | 'isLater'
    | 'isLaterToo'
    | 'isAskingWhen'
    | 'isHardship'
  >
>;

function isObjection(text: string): boolean {
  return plainWishOf(text) === 'objection';
}

function isStored(turn: TurnRow | undefined): boolean {
  return turn?.state === 'replied' || turn?.state === 'delivered' || turn?.state === 'merged';
}
