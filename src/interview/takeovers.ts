import { Injectable } from '@nestjs/common';
import { ConversationClosedError } from '../buffer';
import { DomainEvents } from '../common/events';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import { ConversationWithModelError } from './conversation-rules';
import { InterviewStart } from './interview-start';
import { endState, markQuestion, readState, resumedState, waitingQuestion } from './plan/state';
import { textIn } from './plan/plan-texts';
import { SystemMessages } from './transcript/system-messages';
import { textsOf } from './texts/texts';
import { TurnRepository } from './turn/turn.repository';

/**
 * Who replies in a conversation (`conversation.owner`). Each method runs inside the caller's commit
 * and takes the conversation's lock first; turn.open and turn.close read the owner under it.
 *
 *   model ──the candidate asks for a person──> asked ──a person replies, or takes it──> person
 *     ▲ └───────────────a person replies, or takes it─────────────────────────────────────┘ │
 *     └──the candidate takes it back (asked), or a person returns it────────────────────────┘
 *
 * While a person has it there is an open item about it, so that no interview is forgotten while it pauses.
 *
 * Whoever was abusive twice does not take it back: then it is a person's at once (PlanProgress).
 *
 * An interview that is not with the model pauses (`handed_over`) and goes on where it stood; a
 * completed one stays completed.
 */
@Injectable()
export class Takeovers {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly start: InterviewStart,
    private readonly systemMessages: SystemMessages,
    private readonly turns: TurnRepository,
    private readonly events: DomainEvents,
  ) {}

  /** The candidate wants a person: the interview pauses, and the attention list gets an item. */
  async requestPerson(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const { status, consent, language, owner } = conversation;
    if (status === 'withdrawn' || owner !== 'model') return;
    await this.pause(tx, conversation);
    await this.conversations.setOwner(tx, conversationId, 'asked');
    const { handedOver, handedOverWithoutConsent } = textsOf(language);
    await this.systemMessages.send(tx, conversation, {
      role: 'system',
      externalId: `handover:${newId()}`,
      text: consent?.accepted === true ? handedOver : handedOverWithoutConsent,
    });
    await this.events.publish(tx, 'attention.needed', {
      kind: 'handed_over',
      subject: subjectOf(conversationId),
      conversationId,
      reason:
        status === 'declined'
          ? 'the candidate declined the interview and asked for a person'
          : 'the candidate asked for a person',
    });
  }

  /**
   * The candidate would rather go on with the interview; after a withdrawal nothing goes on. False: a person has
   * written already.
   */
  async takeBack(tx: Tx, conversationId: string): Promise<boolean> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.owner === 'person') return false;
    if (conversation.owner === 'asked' && conversation.status !== 'withdrawn') {
      await this.goOn(tx, conversation, { resolution: 'the candidate goes on with the interview' });
    }
    return true;
  }

  /**
   * A person writes to the candidate and has the conversation from now on: a reply that the model
   * is writing is not stored. A message with the same `id` again changes nothing, so that a request
   * whose outcome is unknown can be repeated. Returns whether it was known. Throws ConversationClosedError after a
   * withdrawal.
   */
  async reply(
    tx: Tx,
    conversationId: string,
    text: string,
    id: string = newId(),
  ): Promise<boolean> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const externalId = `person:${id}`;
    if (await this.systemMessages.isKnown(tx, conversationId, externalId)) return true;
    await this.toPerson(tx, conversation);
    await this.say(tx, conversation, { text, externalId });
    return false;
  }

  /**
   * A person takes the interview over before they write: from now on no reply of the interviewer comes. Throws
   * ConversationClosedError after a withdrawal.
   */
  async take(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    await this.toPerson(tx, conversation);
    // Somebody may have closed the item of an interview that a person has.
    if (conversation.owner === 'person') await this.raise(tx, conversationId);
  }

  private async toPerson(tx: Tx, conversation: ConversationRow): Promise<void> {
    const { id: conversationId, status, owner } = conversation;
    if (status === 'withdrawn') throw new ConversationClosedError('the candidate has withdrawn');
    if (owner === 'person') return;
    await this.pause(tx, conversation);
    await this.conversations.setOwner(tx, conversationId, 'person');
    await this.raise(tx, conversationId);
  }

  /** Unless there is an open one. */
  private async raise(tx: Tx, conversationId: string): Promise<void> {
    await this.events.publish(tx, 'attention.needed', {
      kind: 'handed_over',
      subject: subjectOf(conversationId),
      conversationId,
      reason: 'a person has taken over the interview',
      isKnown: true,
    });
  }

  /**
   * A person answers a question of the candidate. The interview goes on as it was: who replies does not change.
   * The same `id` again changes nothing. Returns whether it was known. Throws ConversationClosedError after a
   * withdrawal.
   */
  async answer(
    tx: Tx,
    conversationId: string,
    text: string,
    id: string = newId(),
  ): Promise<boolean> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const externalId = `person:${id}`;
    if (await this.systemMessages.isKnown(tx, conversationId, externalId)) return true;
    if (conversation.status === 'withdrawn') {
      throw new ConversationClosedError('the candidate has withdrawn');
    }
    await this.say(tx, conversation, { text, externalId });
    return false;
  }

  private async say(
    tx: Tx,
    conversation: ConversationRow,
    { text, externalId }: { readonly text: string; readonly externalId: string },
  ): Promise<void> {
    await this.systemMessages.send(tx, conversation, {
      role: 'assistant',
      externalId,
      text,
      isFromPerson: true,
      sentAs: `${textsOf(conversation.language).fromPerson}\n\n${text}`,
    });
    await this.events.publish(tx, 'conversation.changed', { conversationId: conversation.id });
  }

  /** The interview goes on. Throws ConversationWithModelError where it never stopped. */
  async returnToModel(tx: Tx, conversationId: string, by: string): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.owner === 'model') {
      throw new ConversationWithModelError('no person has taken over this conversation');
    }
    await this.goOn(tx, conversation, { resolution: `returned by ${by}`, by });
  }

  private async pause(tx: Tx, conversation: ConversationRow): Promise<void> {
    const { id, status, plan, state } = conversation;
    await this.turns.requestStop(tx, id);
    await this.events.publish(tx, 'conversation.changed', { conversationId: id });
    if (status === 'completed' || status === 'handed_over') return;
    await this.conversations.end(tx, id, {
      state: endState(plan, readState(state), 'handed_over'),
      status: 'handed_over',
    });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [id] });
  }

  private async goOn(
    tx: Tx,
    conversation: ConversationRow,
    settled: { readonly resolution: string; readonly by?: string },
  ): Promise<void> {
    const { id } = conversation;
    await this.conversations.setOwner(tx, id, 'model');
    await this.events.publish(tx, 'attention.settled', {
      subject: subjectOf(id),
      ...settled,
    });
    if (conversation.status === 'handed_over') await this.resume(tx, conversation);
    await this.events.publish(tx, 'conversation.changed', { conversationId: id });
  }

  private async resume(tx: Tx, conversation: ConversationRow): Promise<void> {
    const { id, consent } = conversation;
    const plan = conversation.plan;
    const state = resumedState(plan, readState(conversation.state));
    const question = waitingQuestion(plan, state);
    const unfinished = consent?.accepted === false ? 'declined' : 'new';
    const status = question === undefined ? 'completed' : unfinished;
    await this.conversations.end(tx, id, { state, status });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [id] });
    const { isOpened } = await this.start.startIfReady(tx, id);
    const isActive = (await this.conversations.find(tx, id))?.status === 'active';
    if (question === undefined || isOpened || !isActive) return;
    const { goingOn } = textsOf(conversation.language);
    const text = `${goingOn}\n\n${textIn(question, conversation.language)}`;
    const externalId = `resumed:${newId()}`;
    const line = { role: 'assistant', externalId, text } as const;
    const mark = markQuestion(plan, state, text);
    await this.systemMessages.send(tx, conversation, { ...line, question: mark });
  }
}

/** The subject of the attention item of a candidate who waits for a person. */
export function subjectOf(conversationId: string): string {
  return `conversation:${conversationId}`;
}

/** Longest message of a person to a candidate, in UTF-16 units. */
export const MAX_PERSON_REPLY = 4000;
