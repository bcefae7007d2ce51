import { Injectable } from '@nestjs/common';
import { BufferService, ConversationClosedError } from '../buffer';
import type { ChannelName } from '../channels';
import { DomainEvents } from '../common/events';
import type { Tx } from '../common/uow';
import { type Language, VacancyClosedError } from '../vacancies';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import { InterviewStart, type Introduction } from './interview-start';
import {
  DisclosureOutdatedError,
  type LockedConversation,
  assertNotGiven,
} from './conversation-rules';
import { endState, hasAnswers, readState } from './plan/state';
import { SystemMessages } from './transcript/system-messages';
import { textsOf } from './texts/texts';
import { TurnRepository } from './turn/turn.repository';

/**
 * What candidates do in their interview besides writing (BufferService, VoiceService and FileService receive
 * that). Each method runs inside the caller's commit and takes the conversation's lock first.
 *
 *   new ──agrees, gives name and contact─> active ──last question──> completed
 *    │ ▲
 *    ▼ │         asks for a person, from any but completed ──> handed_over (see Takeovers)
 *   declined     ends it, from any of these ────────────> withdrawn
 *                is silent for days, from active ───────> expired (see Reminders)
 */
@Injectable()
export class InterviewService {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly systemMessages: SystemMessages,
    private readonly buffer: BufferService,
    private readonly start: InterviewStart,
    private readonly turns: TurnRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Records the answer to the disclosure. Agreeing starts the interview once the profile is known. Throws
   * VacancyClosedError before anything is written, and ConsentGivenError for a no to an interview that has
   * begun, because a late press must not end it unasked.
   * `isAgain`: a person who comes from another account agrees again, perhaps after the start.
   * `timeZone`: the candidate's (IANA), where the channel knows it.
   */
  async consent(
    tx: Tx,
    conversationId: string,
    consent: { version: string; accepted: boolean; isAgain?: boolean; timeZone?: string },
  ): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    const isOpen = conversation.status === 'new' || conversation.status === 'declined';
    if (!isOpen && !consent.accepted) {
      assertNotGiven(conversation);
      return;
    }
    if (consent.version !== (await this.start.disclosureVersion(tx, conversation.vacancyId))) {
      throw new DisclosureOutdatedError('the disclosure has changed; please read it again');
    }
    if (!isOpen && consent.isAgain !== true) return;
    if (consent.accepted && (await this.start.isTooLate(tx, conversation))) {
      throw new VacancyClosedError();
    }
    await this.conversations.recordConsent(tx, conversationId, consent);
    await this.changed(tx, conversationId);
    if (!isOpen) return;
    await this.conversations.setStatus(tx, conversationId, consent.accepted ? 'new' : 'declined');
    if (consent.accepted) await this.start.startIfReady(tx, conversationId);
  }

  /** Throws ConversationClosedError once the candidate has declined or withdrawn: nothing of them is kept then. */
  async profile(
    tx: Tx,
    conversationId: string,
    profile: { name?: string; contact?: string },
  ): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.status === 'declined' || conversation.status === 'withdrawn') {
      throw new ConversationClosedError('the candidate has declined or withdrawn');
    }
    await this.start.setProfile(tx, conversation, profile);
    await this.changed(tx, conversationId);
    await this.personChanged(tx, conversation);
    if (conversation.consent?.accepted === true) await this.start.startIfReady(tx, conversationId);
  }

  /**
   * Fills in what the channel knows of the person, such as the account's name, where neither a recruiter
   * nor the candidate has given it. With consent and a complete profile the interview starts.
   */
  async introduce(tx: Tx, conversationId: string, known: Introduction): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    await this.start.introduce(tx, conversation, known);
    await this.changed(tx, conversationId);
    if (conversation.consent?.accepted === true) await this.start.startIfReady(tx, conversationId);
  }

  /**
   * Whether the vacancy was closed before the candidate began. It stays so until the commit, and so does
   * the conversation.
   */
  async isTooLate(tx: Tx, conversationId: string): Promise<boolean> {
    return this.start.isTooLate(tx, await this.conversations.lockKnown(tx, conversationId));
  }

  /** Locks the conversation, so that the row stays as it is until the commit. */
  async lock(tx: Tx, conversationId: string): Promise<LockedConversation> {
    return (await this.conversations.lockKnown(tx, conversationId)) as LockedConversation;
  }

  /** The candidate is on this channel now, so unsolicited messages are sent there. */
  async enter(tx: Tx, conversationId: string, channel: ChannelName): Promise<ConversationRow> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.channel !== channel) {
      await this.conversations.setChannel(tx, conversationId, channel);
    }
    return conversation;
  }

  /** Sets the language of code's texts; the plan's questions stay in the vacancy's language. */
  async setLanguage(tx: Tx, conversationId: string, language: Language): Promise<void> {
    await this.conversations.lockKnown(tx, conversationId);
    await this.conversations.setLanguage(tx, conversationId, language);
    await this.changed(tx, conversationId);
  }

  /** The candidate ends the interview; waiting answers get no reply. */
  async withdraw(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    if (conversation.status === 'withdrawn') return;
    await this.turns.requestStop(tx, conversationId);
    await this.end(tx, conversation);
    await this.buffer.cancel(tx, { conversationId });
    await this.turns.abandon(tx, { conversationId, ownAnswer: null });
    await this.changed(tx, conversationId);
  }

  /** Stops the running reply; the shown text and the question stay. */
  async requestStop(tx: Tx, conversationId: string): Promise<void> {
    await this.conversations.lockKnown(tx, conversationId);
    await this.turns.requestStop(tx, conversationId);
    await this.changed(tx, conversationId);
  }

  private async end(tx: Tx, conversation: ConversationRow): Promise<void> {
    const state = readState(conversation.state);
    await this.conversations.end(tx, conversation.id, {
      state: endState(conversation.plan, state, 'withdrawn'),
      status: 'withdrawn',
    });
    const text = textsOf(conversation.language).withdrawn({ hasAnswers: hasAnswers(state) });
    await this.systemMessages.send(tx, conversation, {
      role: 'system',
      externalId: 'end:withdrawn',
      text,
    });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [conversation.id] });
  }

  /** Publishes `interview.changed` for all interviews of the candidate, because the name or contact changed. */
  private async personChanged(tx: Tx, { candidateId }: ConversationRow): Promise<void> {
    const conversationIds = await this.conversations.listOfCandidate(tx, candidateId);
    await this.events.publish(tx, 'interview.changed', { conversationIds });
  }

  private changed(tx: Tx, conversationId: string): Promise<void> {
    return this.events.publish(tx, 'conversation.changed', { conversationId });
  }
}
