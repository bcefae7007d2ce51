import { Injectable } from '@nestjs/common';
import {
  CandidateRepository,
  AccountConversationRepository,
  ContinuationRepository,
  WebSessionRepository,
  type FoundContinuation,
} from '../candidates';
import { type ChannelName, ChannelRegistry } from '../channels';
import { Settings } from '../common/config';
import { DomainEvents } from '../common/events';
import { newId, newToken } from '../common/ids';
import { storable } from '../common/text';
import type { Tx } from '../common/uow';
import {
  type InviteLookup,
  maskedPin,
  OpenLinkLimits,
  type Pin,
  VacancyClosedError,
  VacancyRepository,
} from '../vacancies';
import { InterviewTerms } from './interview-terms';
import { disclosureVersion } from './texts/disclosure';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import type { IdentifiedBy } from './metadata/metadata';
import { MetadataService } from './metadata/metadata.service';
import { opening } from './plan/verdicts';
import { initialState, markQuestion, readState } from './plan/state';
import { Reminders } from './reminders/reminder.worker';
import { SystemMessages } from './transcript/system-messages';

/** Begins an interview once consent and profile are there. Under the conversation's lock. */
@Injectable()
export class InterviewStart {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly vacancies: VacancyRepository,
    private readonly systemMessages: SystemMessages,
    private readonly metadata: MetadataService,
    private readonly reminders: Reminders,
    private readonly openLinks: OpenLinkLimits,
    private readonly terms: InterviewTerms,
  ) {}

  /** What a candidate of this vacancy agrees to now. */
  async disclosureVersion(tx: Tx, vacancyId: string): Promise<string> {
    return disclosureVersion(this.terms, (await this.vacancies.find(tx, vacancyId))?.notices);
  }

  /**
   * Locks this person's conversation for the vacancy, or creates it. Throws ConversationUnknownError
   * when the person was erased meanwhile, VacancyClosedError before anything is written, and
   * OpenLinkFullError for a new one of an open link.
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
    if (known !== undefined) {
      const own = await this.conversations.lockKnown(tx, known.id);
      if (await this.isTooLate(tx, own)) throw new VacancyClosedError();
      return own;
    }
    if (await this.vacancies.isClosed(tx, vacancy.id)) throw new VacancyClosedError();
    if (invitation === null) await this.openLinks.countInterview(tx, vacancy.id);
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
    return this.conversations.lockKnown(
      tx,
      (await this.findOwn(tx, vacancy.id, personId))?.id ?? id,
    );
  }

  /** The same, and stores in the metadata how the candidate was recognised. */
  async beginAs(
    tx: Tx,
    invite: KnownInvite,
    { identifiedBy, pinCode, sameAs }: Identification,
  ): Promise<ConversationRow> {
    const visitor =
      sameAs === undefined ? null : (await this.conversations.get(tx, sameAs)).candidateId;
    const conversation = await this.begin(tx, invite, visitor);
    await this.metadata.update(tx, conversation.id, {
      identifiedBy,
      pinCode: pinCode === undefined ? undefined : maskedPin(pinCode),
      awaitingPin: false,
    });
    return conversation;
  }

  /**
   * Whether the vacancy was closed before the candidate began. Under the conversation's lock; it stays so
   * until the commit.
   */
  async isTooLate(tx: Tx, conversation: ConversationRow): Promise<boolean> {
    if (conversation.isPreview || isBegun(conversation)) return false;
    return this.vacancies.isClosed(tx, conversation.vacancyId);
  }

  /** Stores in the metadata whether the candidate's next message should be a PIN. */
  async awaitPin(tx: Tx, conversationId: string, awaitingPin: boolean): Promise<void> {
    await this.metadata.update(tx, conversationId, { awaitingPin });
  }

  /** Sets what is given of the profile. */
  async setProfile(
    tx: Tx,
    { candidateId }: ConversationRow,
    profile: { name?: string; contact?: string },
  ): Promise<void> {
    await this.candidates.update(tx, candidateId, profile);
  }

  /** Fills in what is not known yet of the profile. */
  async introduce(tx: Tx, { candidateId }: ConversationRow, known: Introduction): Promise<void> {
    await this.candidates.fillIn(tx, candidateId, introduced(known));
  }

  /** `isOpened`: the greeting and the first question were added by this call. */
  async startIfReady(tx: Tx, conversationId: string): Promise<{ isOpened: boolean }> {
    const conversation = await this.conversations.find(tx, conversationId);
    if (conversation?.status !== 'new' || conversation.consent?.accepted !== true) {
      return { isOpened: false };
    }
    const missing = await this.missingProfile(tx, conversation.candidateId);
    if (missing.length > 0) return { isOpened: false };
    let isOpened = false;
    const plan = conversation.plan;
    const state = readState(conversation.state);
    for (const [index, text] of opening(plan, conversation.language).entries()) {
      const question = markQuestion(plan, state, text);
      const line = { role: 'assistant', externalId: `opening:${index}`, text, question } as const;
      if (await this.systemMessages.send(tx, conversation, line)) isOpened = true;
    }
    await this.conversations.setStatus(tx, conversationId, 'active');
    await this.reminders.begin(tx, conversationId);
    return { isOpened };
  }

  async missingProfile(tx: Tx, candidateId: string): Promise<ProfileField[]> {
    return missingOf(await this.candidates.find(tx, candidateId));
  }

  private async findOwn(
    tx: Tx,
    vacancyId: string,
    candidateId: string | null,
  ): Promise<ConversationRow | undefined> {
    if (candidateId === null) return undefined;
    return this.conversations.findOfCandidate(tx, vacancyId, candidateId);
  }
}

type KnownInvite = Exclude<InviteLookup, { state: 'unknown' }>;

/**
 * Whether a conversation is more than an opened link: its candidate has agreed, or has asked for a person.
 * Only such an interview goes on when its vacancy is closed.
 */
export function isBegun({ status, consent }: Pick<ConversationRow, 'status' | 'consent'>): boolean {
  return (status !== 'new' && status !== 'declined') || consent?.accepted === true;
}

/** What a channel knows of a person, as it stands on their account. */
export interface Introduction {
  readonly name?: string;
  readonly contact?: string;
  readonly telegramUsername?: string;
}

/** As long as the page lets people write them. */
const MAX_NAME = 120;
const MAX_CONTACT = 200;

/** Cleaned for storage: without blank fields; user names in lower case and without @. */
export function introduced({ name, contact, telegramUsername }: Introduction): Introduction {
  return {
    ...field('name', name, MAX_NAME),
    ...field('contact', contact, MAX_CONTACT),
    ...field('telegramUsername', telegramUsername?.replace(/^@/, '').toLowerCase(), MAX_NAME),
  };
}

/** Cut at whole characters, because a name on an account may contain any. */
function field(key: keyof Introduction, value: string | undefined, max: number): Introduction {
  const text = Array.from(storable(value ?? '', ' ').trim())
    .slice(0, max)
    .join('')
    .trim();
  return text === '' ? {} : { [key]: text };
}

/** What a candidate must still say before the first question. */
export type ProfileField = 'name' | 'contact';

export function missingOf(
  known: { readonly name: string | null; readonly contact: string | null } | null,
): ProfileField[] {
  const missing: ProfileField[] = [];
  if (known?.name == null) missing.push('name');
  if (known?.contact == null) missing.push('contact');
  return missing;
}

/** How a person came to their interview; absent fields keep their stored values. */
export interface Identification {
  readonly identifiedBy: IdentifiedBy;
  /** The PIN as it was read; only its mask is kept. */
  readonly pinCode?: Pin;
  /** A conversation of the same person, as far as the channel knows. */
  readonly sameAs?: string;
}

/** Interviews that somebody has begun without an invitation, by a vacancy's open link. */
@Injectable()
export class OpenLinkInterviews {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly candidates: CandidateRepository,
    private readonly sessions: WebSessionRepository,
    private readonly continuations: ContinuationRepository,
    private readonly pairs: AccountConversationRepository,
    private readonly events: DomainEvents,
  ) {}

  /**
   * Gives these interviews of a visitor to the invited candidate, because the person says that they are
   * theirs. Sessions and links to them end, and so does the access of accounts other than `account`,
   * because those may belong to somebody else. Interviews of other candidates stay unchanged. Returns the
   * joined ones.
   */
  async join(
    tx: Tx,
    conversationIds: readonly string[],
    { candidateId, account }: { candidateId: string; account: string },
  ): Promise<string[]> {
    const joined: string[] = [];
    const visitors = new Set<string>();
    for (const id of [...conversationIds].sort()) {
      const visitor = (await this.conversations.lock(tx, id))?.candidateId ?? candidateId;
      if (visitor === candidateId || !(await this.candidates.isVisitor(tx, visitor))) continue;
      await this.conversations.setCandidate(tx, id, candidateId);
      joined.push(id);
      visitors.add(visitor);
    }
    await this.sessions.endOf(tx, joined);
    await this.continuations.revokeOf(tx, joined);
    await this.pairs.closeToOthers(tx, account, joined);
    for (const conversationId of joined) {
      // `claimed`: a later invitation that is issued again does not close it.
      const pair = { account, conversationId, origin: 'claimed', hasAgreed: true } as const;
      await this.pairs.record(tx, pair);
    }
    for (const visitor of visitors) await this.candidates.deleteUnused(tx, visitor);
    const all = await this.conversations.listOfCandidate(tx, candidateId);
    await this.events.publish(tx, 'interview.changed', { conversationIds: all });
    return joined;
  }
}

/** An address that works once. */
export interface ContinuationLink {
  readonly url: string;
  readonly expiresAt: Date;
}

/** Links that continue an interview on another channel. */
@Injectable()
export class ContinuationLinks {
  constructor(
    private readonly continuations: ContinuationRepository,
    private readonly conversations: ConversationRepository,
    private readonly metadata: MetadataService,
    private readonly settings: Settings,
    private readonly channels: ChannelRegistry,
  ) {}

  /** Whether an address leads to the channel now. */
  canContinueOn(channel: ChannelName): boolean {
    return this.channels.linkTo(channel, '', this.settings) !== null;
  }

  /**
   * Null: no address leads to the channel now; nothing is stored then. A preview stays on the web, because an
   * account would take its interview for that of a candidate.
   */
  async continueOn(
    tx: Tx,
    conversationId: string,
    channel: ChannelName,
  ): Promise<ContinuationLink | null> {
    const { isPreview } = await this.conversations.get(tx, conversationId);
    if (isPreview && channel !== 'web') return null;
    const token = newToken();
    const url = this.channels.linkTo(channel, token, this.settings);
    if (url === null) return null;
    const expiresAt = await this.continuations.create(tx, { conversationId, channel, token });
    return { url, expiresAt };
  }

  /** Uses the link's token up, and notes in the conversation's metadata how its candidate came. */
  async redeem(
    tx: Tx,
    token: string,
    channel: ChannelName,
  ): ReturnType<ContinuationRepository['redeem']> {
    const found = await this.continuations.find(tx, token, channel);
    // Lock order: the conversation before the link's row, as in an erasure or a move.
    if (found?.state === 'ok') await this.conversations.lock(tx, found.conversationId);
    const redeemed = await this.continuations.redeem(tx, token, channel);
    if (typeof redeemed === 'string') return redeemed;
    await this.metadata.update(tx, redeemed.conversationId, { identifiedBy: 'continuation' });
    return redeemed;
  }

  /** What a link of the channel leads to, used or not; null: there is no such link. Reads only. */
  find(tx: Tx, token: string, channel: ChannelName): Promise<FoundContinuation | null> {
    return this.continuations.find(tx, token, channel);
  }
}
