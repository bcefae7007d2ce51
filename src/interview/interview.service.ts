import { Injectable } from '@nestjs/common';
import { type AppendedMessage, BufferService, type MessageName } from '../buffer';
import type { ChannelName } from '../channels';
import { EventBus } from '../common/events';
import type { Tx } from '../common/uow';
import { type Language, VacancyClosedError } from '../vacancies';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import { InterviewStart, type Introduction } from './interview-start';
import {
  DisclosureOutdatedError,
  assertNotGiven,
  assertOpen,
  whyNotOpen,
  type LockedConversation,
  notOpen,
} from './conversation-rules';
import { FileService } from './files/file.service';
import type { NewFile } from './files/file';
import { endState, readState } from './plan/state';
import { SystemMessages } from './transcript/system-messages';
import { textsOf } from './texts/texts';
import { TurnRepository } from './turn/turn.repository';
import { type Correction, VoiceService } from './voice/voice.service';
import type { NewVoice } from './voice/voice.repository';

interface ReceivedText {
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
}

/**
 * The actions of candidates in their interview, apart from its turns. Each method runs inside the caller's
 * commit and takes the conversation's lock first, except for a message that is stored already.
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
    private readonly events: EventBus,
    private readonly voices: VoiceService,
    private readonly files: FileService,
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

  async profile(
    tx: Tx,
    conversationId: string,
    profile: { name?: string; contact?: string },
  ): Promise<void> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
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

  /** Takes a message into the answer that is being collected, in one statement. */
  async receive(tx: Tx, message: ReceivedText): Promise<AppendedMessage> {
    const received = await this.buffer.receive(tx, message);
    if (typeof received === 'string') throw notOpen(received);
    return received;
  }

  /** The same; null if the interview takes no new message, and then nothing has changed. */
  async receiveIfOpen(tx: Tx, message: ReceivedText): Promise<AppendedMessage | null> {
    const received = await this.buffer.receive(tx, message);
    return typeof received === 'string' ? null : received;
  }

  /**
   * The same for a voice message: it holds its answer open until it is transcribed. One that is stored
   * already is found, also after the end; a new one throws what `assertOpen` throws.
   */
  async receiveVoice(tx: Tx, voice: NewVoice): Promise<AppendedMessage> {
    const conversation = await this.lockFor(tx, voice);
    const stored = await this.voices.store(tx, voice, conversation);
    if (stored.isNew) await this.moveTo(tx, conversation, voice.channel);
    return stored;
  }

  /** The same for a file. */
  async receiveFile(tx: Tx, file: NewFile): Promise<AppendedMessage> {
    const conversation = await this.lockFor(tx, file);
    const stored = await this.files.store(tx, file, conversation);
    if (stored.isNew) await this.moveTo(tx, conversation, file.channel);
    return stored;
  }

  /** The voice message whose transcript a message of the channel repeats; null: it repeats none. */
  voiceRepeatedBy(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string },
  ): Promise<string | null> {
    return this.voices.findRepeatedBy(tx, of);
  }

  /** The candidate corrects what was heard in a voice message. Throws MessageUnknownError. */
  async correctTranscript(tx: Tx, correction: Correction): Promise<'edited' | 'amendment'> {
    assertOpen(await this.conversations.lockKnown(tx, correction.conversationId));
    return this.voices.correct(tx, correction);
  }

  /** The candidate is on this channel now, so unsolicited messages are sent there. */
  async enter(tx: Tx, conversationId: string, channel: ChannelName): Promise<ConversationRow> {
    const conversation = await this.conversations.lockKnown(tx, conversationId);
    await this.moveTo(tx, conversation, channel);
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
    await this.turns.abandon(tx, { conversationId, ownBuffer: null });
    await this.changed(tx, conversationId);
  }

  /** Stops the running reply; the shown text and the question stay. */
  async requestStop(tx: Tx, conversationId: string): Promise<void> {
    await this.conversations.lockKnown(tx, conversationId);
    await this.turns.requestStop(tx, conversationId);
    await this.changed(tx, conversationId);
  }

  private async end(tx: Tx, conversation: ConversationRow): Promise<void> {
    const plan = conversation.plan;
    await this.conversations.end(tx, conversation.id, {
      state: endState(plan, readState(conversation.state), 'withdrawn'),
      status: 'withdrawn',
    });
    const text = textsOf(conversation.language).withdrawn;
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

  /** Throws before anything is written, unless the interview is open or the message is stored. */
  private async lockFor(tx: Tx, message: MessageName): Promise<ConversationRow> {
    const conversation = await this.conversations.lockKnown(tx, message.conversationId);
    const why = whyNotOpen(conversation);
    if (why !== null && !(await this.buffer.isStored(tx, message))) throw notOpen(why);
    return conversation;
  }

  private async moveTo(tx: Tx, { id, channel }: ConversationRow, to: ChannelName): Promise<void> {
    if (channel !== to) await this.conversations.setChannel(tx, id, to);
  }
}
