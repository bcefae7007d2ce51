import { Injectable } from '@nestjs/common';
import { CandidateRepository } from '../candidates';
import { BufferService } from '../buffer';
import { Settings } from '../common/config';
import type { Tx } from '../common/uow';
import {
  type Brand,
  type InterviewPlan,
  type InviteLookup,
  type Language,
  type PersonalInvite,
  VacancyRepository,
  minutesOf,
} from '../vacancies';
import { Transcriptions } from '../llm';
import { type ConversationRow, ConversationRepository } from './conversation.repository';
import { MessagePageRepository, type PageSize } from './transcript/message-page.repository';
import { type MessageRow, MessageRepository } from './transcript/message.repository';
import { type ConversationSnapshot, snapshotOf } from './conversation-reader';
import { type Disclosure, disclosureOf, missingOf, type ProfileField } from './interview-start';
import { ConversationUnknownError } from './conversation-rules';
import { type InterviewState, readState } from './plan/state';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** A conversation as its candidate may see it. */
export interface ConversationView extends ConversationSnapshot, InterviewSubject {
  readonly id: string;
  /** The questions that were put to the candidate so far, in order. */
  readonly asked: readonly { readonly id: string; readonly text: string }[];
  readonly reply: PromisedReply;
  readonly disclosure: Disclosure;
  readonly consent: ConversationRow['consent'];
  readonly profile: {
    readonly name: string | null;
    readonly contact: string | null;
    readonly needed: readonly ProfileField[];
  };
  /** Whether voice messages are transcribed here. */
  readonly voice: boolean;
  /** It can be continued in Telegram. */
  readonly telegram: boolean;
  /** Of the largest file that is taken. */
  readonly maxFileBytes: number;
}

/** A part of a transcript as its candidate may see it, in order. */
export interface TranscriptPage {
  readonly lines: readonly MessageRow[];
  /** What to ask for as `before` to get the lines before these; null: there are none. */
  readonly olderCursor: number | null;
}

/** The largest page. */
export const MAX_PAGE: PageSize = { lines: 100, chars: 64_000 };

/** What an interview is about, how long it is, and what its pages look like. */
export interface InterviewSubject {
  readonly language: Language;
  readonly company: string;
  readonly vacancyTitle: string;
  readonly brand: Brand;
  readonly questions: number;
  readonly minutes: number;
}

/** Who of the team replies after the interview, and when. */
export interface PromisedReply {
  readonly from: string;
  /** Within how many business days; null: no day is promised. */
  readonly withinDays: number | null;
  /** The day, `YYYY-MM-DD`, once the interview is completed. */
  readonly by: string | null;
}

/** Reads conversations for channels. Writes nothing. */
@Injectable()
export class ConversationViews {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly pages: MessagePageRepository,
    private readonly candidates: CandidateRepository,
    private readonly vacancies: VacancyRepository,
    private readonly buffer: BufferService,
    private readonly transcriptions: Transcriptions,
    private readonly settings: Settings,
  ) {}

  async view(tx: Tx, conversationId: string): Promise<ConversationView> {
    const conversation = await this.get(tx, conversationId);
    const { owner, ...subject } = await this.subjectOf(tx, conversation);
    const plan = conversation.plan as InterviewPlan;
    const isCompleted = conversation.status === 'completed';
    const candidate = await this.candidates.find(tx, conversation.candidateId);
    const needed = missingOf(candidate);
    const pending = await this.buffer.pending(tx, [conversationId]);
    return {
      ...snapshotOf(conversation, pending.get(conversationId)),
      id: conversation.id,
      ...subject,
      asked: hasBegun(conversation, needed) ? askedOf(plan, readState(conversation.state)) : [],
      reply: {
        from: owner,
        withinDays: plan.replyWithinDays ?? null,
        by: isCompleted ? await this.conversations.replyDay(tx, conversationId) : null,
      },
      disclosure: disclosureOf(conversation.language, subject.company),
      consent: conversation.consent,
      profile: {
        name: candidate?.name ?? null,
        contact: candidate?.contact ?? null,
        needed,
      },
      voice: this.transcriptions.isOn,
      telegram: this.settings.telegram.botName !== '',
      maxFileBytes: this.settings.interview.maxFileBytes,
    };
  }

  /** The newest lines, or those before a line. */
  async page(
    tx: Tx,
    conversationId: string,
    { before = null, limit = MAX_PAGE.lines }: { before?: number | null; limit?: number } = {},
  ): Promise<TranscriptPage> {
    const size = { ...MAX_PAGE, lines: Math.min(limit, MAX_PAGE.lines) };
    const { lines, isMore } = await this.pages.newest(tx, { conversationId, before }, size);
    return { lines, olderCursor: isMore ? (lines[0]?.seq ?? null) : null };
  }

  /** The facts that may be shown before a person is recognised as its candidate. */
  async about(tx: Tx, conversationId: string): Promise<InterviewSubject> {
    const { owner: _, ...subject } = await this.subjectOf(tx, await this.get(tx, conversationId));
    return subject;
  }

  /** The invited candidate's interview for the vacancy; null: it has not begun. */
  async findInvited(
    tx: Tx,
    { invitation: { candidateId }, vacancy }: PersonalInvite,
  ): Promise<ConversationView | null> {
    const conversation = await this.conversations.findOfCandidate(tx, vacancy.id, candidateId);
    return conversation === undefined ? null : this.view(tx, conversation.id);
  }

  /** Whose interview for which vacancy it is. */
  async ownerOf(tx: Tx, id: string): Promise<{ candidateId: string; vacancyId: string }> {
    return this.get(tx, id);
  }

  findLine(tx: Tx, messageId: string): Promise<MessageRow | undefined> {
    return this.messages.find(tx, messageId);
  }

  /** The last notice of code: an end, a hand-over, an outage. */
  lastNotice(tx: Tx, conversationId: string): Promise<MessageRow | undefined> {
    return this.messages.findLast(tx, conversationId, 'system');
  }

  /** What the interviewer said last. */
  lastSaid(tx: Tx, conversationId: string): Promise<MessageRow | undefined> {
    return this.messages.findLast(tx, conversationId, 'assistant');
  }

  /** Whether an id names any conversation, of any candidate. */
  async exists(tx: Tx, id: string): Promise<boolean> {
    if (!UUID.test(id)) return false;
    return (await this.conversations.find(tx, id)) !== undefined;
  }

  /** Whether this link led, or would lead, to this conversation. */
  async isOfInvite(
    tx: Tx,
    conversationId: string,
    invite: Exclude<InviteLookup, { state: 'unknown' }>,
  ): Promise<boolean> {
    const conversation = await this.get(tx, conversationId);
    if (conversation.vacancyId !== invite.vacancy.id) return false;
    return invite.kind === 'personal'
      ? conversation.candidateId === invite.invitation.candidateId
      : conversation.invitationId === null;
  }

  private async subjectOf(
    tx: Tx,
    { language, vacancyId, plan: stored }: ConversationRow,
  ): Promise<InterviewSubject & { readonly owner: string }> {
    const vacancy = await this.vacancies.find(tx, vacancyId);
    const plan = stored as InterviewPlan;
    return {
      language,
      company: vacancy?.company ?? '',
      vacancyTitle: vacancy?.title ?? '',
      owner: vacancy?.owner.name ?? '',
      brand: vacancy?.brand ?? {},
      questions: plan.questions.length,
      minutes: minutesOf(plan),
    };
  }

  private async get(tx: Tx, id: string): Promise<ConversationRow> {
    const conversation = await this.conversations.find(tx, id);
    if (conversation !== undefined) return conversation;
    throw new ConversationUnknownError('there is no such conversation');
  }
}

/** A person may be asked for before consent and profile: then no question has been put yet. */
function hasBegun({ status, consent }: ConversationRow, needed: readonly ProfileField[]): boolean {
  return status !== 'new' && consent?.accepted === true && needed.length === 0;
}

function askedOf(plan: InterviewPlan, { asked }: InterviewState): ConversationView['asked'] {
  return plan.questions
    .filter(({ id }) => asked.includes(id))
    .map(({ id, text }) => ({ id, text }));
}
