import { Injectable } from '@nestjs/common';
import { Candidates } from '../accounts';
import { Attention } from '../attention';
import { BufferService } from '../buffer';
import { Clock } from '../common/clock';
import { newId } from '../common/ids';
import { storable } from '../common/text';
import type { Tx } from '../common/uow';
import { type FoundInvite, type InterviewPlan, maskedPin, type Pin } from '../hiring';
import { type ConversationRow, Conversations, Messages } from '../persistence';
import { DISCLOSURE_VERSION } from './disclosure';
import {
  ConsentRequiredError,
  ConversationClosedError,
  ConversationUnknownError,
  DisclosureOutdatedError,
  ProfileRequiredError,
} from './errors';
import { ConversationMetadataStore, type IdentifiedBy } from './metadata';
import { type EndReason, endState, initialState, opening, readState } from './plan';
import { textsOf } from './texts';
import { RunningReplies } from './turn/running-replies';
import { TurnTable } from './turn/turn-table';

type KnownInvite = Exclude<FoundInvite, { state: 'unknown' }>;

/** What a candidate must still say before the first question. */
export type ProfileField = 'name' | 'contact';

/** How somebody came to their interview; what is not given stays as it was noted before. */
export interface Identification {
  readonly identifiedBy: IdentifiedBy;
  /** The PIN as it was read; only its mask is kept. */
  readonly pinCode?: Pin;
  readonly searchQuery?: string;
}

/**
 * What candidates do to their interview, apart from its turns. Each method runs inside the
 * caller's commit and takes the conversation's lock first.
 *
 *   new ──agrees, and says who they are──> active ──plan is through──> completed
 *    │ ▲                                     ├─ asks for a person ──> handed_over
 *    ▼ │                                     └─ ends it ────────────> withdrawn
 *   declined
 */
@Injectable()
export class Interviews {
  constructor(
    private readonly conversations: Conversations,
    private readonly messages: Messages,
    private readonly candidates: Candidates,
    private readonly buffer: BufferService,
    private readonly attention: Attention,
    private readonly turns: TurnTable,
    private readonly running: RunningReplies,
    private readonly metadata: ConversationMetadataStore,
    private readonly clock: Clock,
  ) {}

  /** The conversation of an invitation; a visitor of an open link gets a new one. */
  async begin(tx: Tx, invite: KnownInvite): Promise<ConversationRow> {
    const { vacancy } = invite;
    const known = await this.findOwn(tx, invite);
    if (known !== undefined) return known;
    const invitation = invite.kind === 'personal' ? invite.invitation : null;
    const candidateId = invitation?.candidateId ?? (await this.candidates.create(tx)).id;
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
    return (await this.findOwn(tx, invite)) ?? this.get(tx, id);
  }

  /** The same, and notes in its metadata how its candidate was recognised. */
  async beginAs(
    tx: Tx,
    invite: KnownInvite,
    { identifiedBy, pinCode, searchQuery }: Identification,
  ): Promise<ConversationRow> {
    const conversation = await this.begin(tx, invite);
    await this.metadata.update(tx, conversation.id, {
      identifiedBy,
      pinCode: pinCode === undefined ? undefined : maskedPin(pinCode),
      searchQuery,
    });
    return conversation;
  }

  /** Records the answer to the disclosure. Agreeing starts the interview once the profile is known. */
  async consent(
    tx: Tx,
    conversationId: string,
    consent: { version: string; accepted: boolean },
  ): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    if (consent.version !== DISCLOSURE_VERSION) {
      throw new DisclosureOutdatedError('the disclosure has changed; please read it again');
    }
    if (conversation.status !== 'new' && conversation.status !== 'declined') return;
    const now = this.clock.databaseNow();
    await this.conversations.recordConsent(tx, conversationId, { ...consent, now });
    await this.conversations.setStatus(tx, conversationId, consent.accepted ? 'new' : 'declined');
    if (consent.accepted) await this.startIfReady(tx, conversationId);
  }

  async profile(
    tx: Tx,
    conversationId: string,
    profile: { name?: string; contact?: string },
  ): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    await this.candidates.update(tx, conversation.candidateId, profile);
    if (conversation.consent?.accepted === true) await this.startIfReady(tx, conversationId);
  }

  /**
   * What a channel knows of its people, such as the name on their account: fills in what neither a
   * recruiter nor the candidate has said. With consent and nothing missing the interview starts.
   */
  async introduce(
    tx: Tx,
    conversationId: string,
    known: { name?: string; contact?: string; telegramUsername?: string },
  ): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    const { name, contact, telegramUsername } = known;
    await this.candidates.fillIn(tx, conversation.candidateId, {
      ...field('name', name, MAX_NAME),
      ...field('contact', contact, MAX_CONTACT),
      ...field('telegramUsername', telegramUsername?.replace(/^@/, '').toLowerCase(), MAX_NAME),
    });
    if (conversation.consent?.accepted === true) await this.startIfReady(tx, conversationId);
  }

  /** Takes a message into the answer that is being collected. */
  async receive(
    tx: Tx,
    message: { conversationId: string; channel: 'web'; externalId: string; text: string },
  ): Promise<{ messageId: string; seq: number; dueAt: Date; bufferId: string; isNew: boolean }> {
    const conversation = await this.lock(tx, message.conversationId);
    assertOpen(conversation);
    const plan = conversation.plan as InterviewPlan;
    const question = plan.questions[readState(conversation.state).questionIndex];
    return this.buffer.append(tx, { ...message, questionContext: question?.id ?? null });
  }

  /** The candidate wants a person: the interview stops, and somebody is told. */
  async handOver(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    if (isClosed(conversation) || conversation.status === 'handed_over') return;
    await this.turns.requestStop(tx, conversationId, this.clock.databaseNow());
    await this.end(tx, conversation, 'handed_over', textsOf(conversation.language).handedOver);
    await this.attention.raise(tx, {
      kind: 'handed_over',
      subject: `conversation:${conversationId}`,
      conversationId,
      reason: 'the candidate asked for a person',
    });
  }

  /** The candidate ends the interview: what waits is not answered any more. */
  async withdraw(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.lock(tx, conversationId);
    if (conversation.status === 'withdrawn') return;
    const now = this.clock.databaseNow();
    await this.turns.requestStop(tx, conversationId, now);
    await this.end(tx, conversation, 'withdrawn', textsOf(conversation.language).withdrawn);
    await this.buffer.cancel(tx, { conversationId });
    await this.turns.abandon(tx, { conversationId, ownBuffer: null, now });
  }

  /** Ends the running reply; what was shown of it stays, the question too. */
  async requestStop(tx: Tx, conversationId: string): Promise<void> {
    await this.lock(tx, conversationId);
    await this.turns.requestStop(tx, conversationId, this.clock.databaseNow());
  }

  /** The part of Stop, hand-over and withdrawal that cannot be in a commit: call it after. */
  stopRunning(conversationId: string): void {
    this.running.stop(conversationId);
  }

  async missingProfile(tx: Tx, candidateId: string): Promise<ProfileField[]> {
    const candidate = await this.candidates.find(tx, candidateId);
    const missing: ProfileField[] = [];
    if (candidate?.name == null) missing.push('name');
    if (candidate?.contact == null) missing.push('contact');
    return missing;
  }

  private async findOwn(tx: Tx, invite: KnownInvite): Promise<ConversationRow | undefined> {
    if (invite.kind === 'open') return undefined;
    const { candidateId } = invite.invitation;
    return this.conversations.findOfCandidate(tx, invite.vacancy.id, candidateId);
  }

  private async startIfReady(tx: Tx, conversationId: string): Promise<void> {
    const conversation = await this.get(tx, conversationId);
    const missing = await this.missingProfile(tx, conversation.candidateId);
    if (conversation.status !== 'new' || missing.length > 0) return;
    const plan = conversation.plan as InterviewPlan;
    for (const [index, text] of opening(plan).entries()) {
      await this.messages.say(tx, {
        id: newId(),
        conversationId,
        role: 'assistant',
        externalId: `opening:${index}`,
        text,
        now: this.clock.databaseNow(),
      });
    }
    await this.conversations.setStatus(tx, conversationId, 'active');
  }

  private async end(
    tx: Tx,
    conversation: ConversationRow,
    as: Extract<EndReason, 'withdrawn' | 'handed_over'>,
    text: string,
  ): Promise<void> {
    const plan = conversation.plan as InterviewPlan;
    await this.conversations.end(tx, conversation.id, {
      state: endState(plan, readState(conversation.state), as),
      status: as,
    });
    await this.messages.say(tx, {
      id: newId(),
      conversationId: conversation.id,
      role: 'system',
      externalId: `end:${as}`,
      text,
      now: this.clock.databaseNow(),
    });
  }

  private async lock(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.lock(tx, id);
    if (conversation === undefined) throw unknown();
    return conversation;
  }

  private async get(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.find(tx, id);
    if (conversation === undefined) throw unknown();
    return conversation;
  }
}

/** As long as the page lets people write them. */
const MAX_NAME = 120;
const MAX_CONTACT = 200;

/** Empty for what says nothing. Cut between characters: a name on an account may be anything. */
function field<F extends string>(
  key: F,
  value: string | undefined,
  max: number,
): Partial<Record<F, string>> {
  const text = Array.from(storable(value ?? '', ' ').trim())
    .slice(0, max)
    .join('')
    .trim();
  return text === '' ? {} : ({ [key]: text } as Record<F, string>);
}

function unknown(): ConversationUnknownError {
  return new ConversationUnknownError('there is no such conversation');
}

function isClosed({ status }: ConversationRow): boolean {
  return status === 'declined' || status === 'withdrawn';
}

function assertOpen(conversation: ConversationRow): void {
  if (isClosed(conversation)) {
    throw new ConversationClosedError('this conversation is closed');
  }
  if (conversation.consent?.accepted !== true) {
    throw new ConsentRequiredError('please read and accept the disclosure first');
  }
  if (conversation.status === 'new') {
    throw new ProfileRequiredError('please say who you are first');
  }
}
