import { Injectable } from '@nestjs/common';
import { CandidateRepository } from '../candidates';
import { type AppendedMessage, BufferService } from '../buffer';
import type { ChannelName } from '../channels';
import { Clock } from '../common/clock';
import { EventBus } from '../common/events';
import { newId } from '../common/ids';
import type { Tx } from '../common/uow';
import { type InviteLookup, type InterviewPlan, type Language, maskedPin } from '../vacancies';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import {
  DISCLOSURE_VERSION,
  type Identification,
  InterviewStart,
  type Introduction,
  type ProfileField,
  introduced,
} from './interview-start';
import {
  DisclosureOutdatedError,
  assertOpen,
  type LockedConversation,
  notOpen,
  questionOf,
} from './conversation-rules';
import { FileService } from './files/file.service';
import type { NewFile } from './files/file';
import { MetadataService } from './metadata/metadata.service';
import { endState, initialState, readState } from './plan/state';
import { SystemMessages } from './transcript/system-messages';
import { Takeovers } from './takeovers';
import { textsOf } from './texts/texts';
import { TurnRepository } from './turn/turn.repository';
import { type Correction, VoiceService } from './voice/voice.service';
import type { NewVoice } from './voice/voice';

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

interface ReceivedText {
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
}

/**
 * What candidates do to their interview, apart from its turns. Each method runs inside the
 * caller's commit and takes the conversation's lock first.
 *
 *   new ──agrees, and says who they are──> active ──plan is through──> completed
 *    │ ▲
 *    ▼ │         asks for a person, from any but completed ──> handed_over (see Takeovers)
 *   declined     ends it, from any of these ────────────> withdrawn
 */
@Injectable()
export class InterviewService {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly lines: SystemMessages,
    private readonly candidates: CandidateRepository,
    private readonly buffer: BufferService,
    private readonly start: InterviewStart,
    private readonly takeovers: Takeovers,
    private readonly turns: TurnRepository,
    private readonly events: EventBus,
    private readonly metadata: MetadataService,
    private readonly voices: VoiceService,
    private readonly files: FileService,
    private readonly clock: Clock,
  ) {}

  /**
   * The conversation of an invitation, locked; an unknown visitor of an open link gets a new
   * one. Throws ConversationUnknownError when the person was erased since they were found.
   */
  async begin(
    tx: Tx,
    invite: KnownInvite,
    visitorId: string | null = null,
  ): Promise<ConversationRow> {
    const { vacancy } = invite;
    const invitation = invite.kind === 'personal' ? invite.invitation : null;
    const personId = invitation?.candidateId ?? visitorId;
    const known = await this.findOwn(tx, vacancy.id, personId);
    if (known !== undefined) return this.lock(tx, known.id);
    const candidateId = personId ?? (await this.candidates.create(tx)).id;
    const id = newId();
    await this.conversations.create(tx, {
      id,
      vacancyId: vacancy.id,
      candidateId,
      invitationId: invitation?.id ?? null,
      language: vacancy.language,
      plan: vacancy.plan,
      state: initialState(vacancy.plan),
    });
    return this.lock(tx, (await this.findOwn(tx, vacancy.id, personId))?.id ?? id);
  }

  /** The same, and notes in its metadata how its candidate was recognised. */
  async beginAs(
    tx: Tx,
    invite: KnownInvite,
    { identifiedBy, pinCode, sameAs }: Identification,
  ): Promise<ConversationRow> {
    const visitor = sameAs === undefined ? null : (await this.get(tx, sameAs)).candidateId;
    const conversation = await this.begin(tx, invite, visitor);
    await this.metadata.update(tx, conversation.id, {
      identifiedBy,
      pinCode: pinCode === undefined ? undefined : maskedPin(pinCode),
      awaitingPin: false,
    });
    return conversation;
  }

  /** Whether the next thing that this candidate is expected to write is the PIN of an invitation. */
  async awaitPin(tx: Tx, conversationId: string, awaitingPin: boolean): Promise<void> {
    await this.metadata.update(tx, conversationId, { awaitingPin });
  }

  /**
   * Records the answer to the disclosure. Agreeing starts the interview once the profile is known.
   * `isAgain`: it may have begun, and somebody who comes from another account agrees once more.
   */
  async consent(
    tx: Tx,
    conversationId: string,
    consent: { version: string; accepted: boolean; isAgain?: boolean },
  ): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    if (consent.version !== DISCLOSURE_VERSION) {
      throw new DisclosureOutdatedError('the disclosure has changed; please read it again');
    }
    const isOpen = conversation.status === 'new' || conversation.status === 'declined';
    if (!isOpen && consent.isAgain !== true) return;
    const now = this.clock.databaseNow();
    await this.conversations.recordConsent(tx, conversationId, { ...consent, now });
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
    const conversation = await this.lock(tx, conversationId);
    await this.candidates.update(tx, conversation.candidateId, profile);
    await this.changed(tx, conversationId);
    await this.personChanged(tx, conversation);
    if (conversation.consent?.accepted === true) await this.start.startIfReady(tx, conversationId);
  }

  /**
   * What a channel knows of its people, such as the name on their account: fills in what neither a
   * recruiter nor the candidate has said. With consent and nothing missing the interview starts.
   */
  async introduce(tx: Tx, conversationId: string, known: Introduction): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    await this.candidates.fillIn(tx, conversation.candidateId, introduced(known));
    await this.changed(tx, conversationId);
    if (conversation.consent?.accepted === true) await this.start.startIfReady(tx, conversationId);
  }

  /** Takes the conversation's lock: what the row says is so until the commit. */
  async hold(tx: Tx, conversationId: string): Promise<LockedConversation> {
    return (await this.lock(tx, conversationId)) as LockedConversation;
  }

  /** Takes a message into the answer that is being collected, in one statement. */
  async receive(tx: Tx, message: ReceivedText): Promise<AppendedMessage> {
    const received = await this.buffer.receive(tx, message);
    if (typeof received === 'string') throw notOpen(received);
    return received;
  }

  /** The same, and null where the interview takes no message: nothing has changed then. */
  async receiveIfOpen(tx: Tx, message: ReceivedText): Promise<AppendedMessage | null> {
    const received = await this.buffer.receive(tx, message);
    return typeof received === 'string' ? null : received;
  }

  /**
   * The same for a voice message: it holds its answer open until it is transcribed.
   */
  async receiveVoice(tx: Tx, voice: NewVoice): Promise<AppendedMessage> {
    const conversation = await this.lock(tx, voice.conversationId);
    assertOpen(conversation);
    await this.moveTo(tx, conversation, voice.channel);
    return this.voices.store(tx, voice, questionOf(conversation));
  }

  /** The same for a file. */
  async receiveFile(tx: Tx, file: NewFile): Promise<AppendedMessage> {
    const conversation = await this.lock(tx, file.conversationId);
    assertOpen(conversation);
    await this.moveTo(tx, conversation, file.channel);
    return this.files.store(tx, file, conversation);
  }

  /** The candidate corrects what was heard in a voice message. Throws MessageUnknownError. */
  async correctTranscript(tx: Tx, correction: Correction): Promise<'edited' | 'amendment'> {
    assertOpen(await this.lock(tx, correction.conversationId));
    return this.voices.correct(tx, correction);
  }

  /** The candidate is on this channel now: what they did not ask for is said there. */
  async enter(tx: Tx, conversationId: string, channel: ChannelName): Promise<ConversationRow> {
    const conversation = await this.lock(tx, conversationId);
    await this.moveTo(tx, conversation, channel);
    return conversation;
  }

  /** In which code speaks; the plan's own questions stay in the vacancy's language. */
  async speak(tx: Tx, conversationId: string, language: Language): Promise<void> {
    await this.lock(tx, conversationId);
    await this.conversations.setLanguage(tx, conversationId, language);
    await this.changed(tx, conversationId);
  }

  /** The candidate wants a person: see Takeovers. */
  handOver(tx: Tx, conversationId: string): Promise<void> {
    return this.takeovers.ask(tx, conversationId);
  }

  /** The candidate ends the interview: what waits is not answered any more. */
  async withdraw(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    if (conversation.status === 'withdrawn') return;
    const now = this.clock.databaseNow();
    await this.turns.requestStop(tx, conversationId, now);
    await this.end(tx, conversation);
    await this.buffer.cancel(tx, { conversationId });
    await this.turns.abandon(tx, { conversationId, ownBuffer: null, now });
    await this.changed(tx, conversationId);
  }

  /** Ends the running reply; what was shown of it stays, the question too. */
  async requestStop(tx: Tx, conversationId: string): Promise<void> {
    await this.lock(tx, conversationId);
    await this.turns.requestStop(tx, conversationId, this.clock.databaseNow());
    await this.changed(tx, conversationId);
  }

  missingProfile(tx: Tx, candidateId: string): Promise<ProfileField[]> {
    return this.start.missingProfile(tx, candidateId);
  }

  private async findOwn(
    tx: Tx,
    vacancyId: string,
    candidateId: string | null,
  ): Promise<ConversationRow | undefined> {
    if (candidateId === null) return undefined;
    return this.conversations.findOfCandidate(tx, vacancyId, candidateId);
  }

  private async end(tx: Tx, conversation: ConversationRow): Promise<void> {
    const plan = conversation.plan as InterviewPlan;
    await this.conversations.end(tx, conversation.id, {
      state: endState(plan, readState(conversation.state), 'withdrawn'),
      status: 'withdrawn',
    });
    const text = textsOf(conversation.language).withdrawn;
    await this.lines.say(tx, conversation, { role: 'system', externalId: 'end:withdrawn', text });
    await this.events.publish(tx, 'interview.changed', { conversationIds: [conversation.id] });
  }

  /** All finished interviews of the candidate show the new name. */
  private async personChanged(tx: Tx, { candidateId }: ConversationRow): Promise<void> {
    const conversationIds = await this.conversations.listOfCandidate(tx, candidateId);
    await this.events.publish(tx, 'interview.changed', { conversationIds });
  }

  private changed(tx: Tx, conversationId: string): Promise<void> {
    return this.events.publish(tx, 'conversation.changed', { conversationId });
  }

  private async moveTo(tx: Tx, { id, channel }: ConversationRow, to: ChannelName): Promise<void> {
    if (channel !== to) await this.conversations.setChannel(tx, id, to);
  }

  private async lock(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.lock(tx, id);
    if (conversation === undefined) throw notOpen('unknown');
    return conversation;
  }

  private async get(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.find(tx, id);
    if (conversation === undefined) throw notOpen('unknown');
    return conversation;
  }
}
