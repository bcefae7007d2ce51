import { isUuid } from '../common/ids';
import { Injectable } from '@nestjs/common';
import { BufferService, ConversationUnknownError, type PendingWork } from '../buffer';
import { CandidateRepository } from '../candidates';
import { type Tx, CommitBatcher, UnitOfWorkFactory } from '../common/uow';
import { Transcriptions } from '../llm';
import {
  type Brand,
  type InterviewPlan,
  type InviteLookup,
  type Language,
  type NoticeCode,
  type PersonalInvite,
  VacancyRepository,
  minutesOf,
} from '../vacancies';
import {
  type ConversationRow,
  ConversationRepository,
  type ConversationOwner,
} from './conversation.repository';
import { InterviewTerms } from './interview-terms';
import { textsOf } from './texts/texts';
import { type Disclosure, type Interviewer, disclosureOf, interviewerOf } from './texts/disclosure';
import { isBegun, missingOf, type ProfileField } from './interview-start';
import type { ConversationStatus } from './plan/verdicts';
import { type InterviewState, type Progress, readState, progress } from './plan/state';
import {
  MessagePageRepository,
  type PageSize,
  type MessagePage,
} from './transcript/message-page.repository';
import { type MessageRow, MessageRepository } from './transcript/message.repository';
import { TurnRepository, type TurnRow } from './turn/turn.repository';

/** Reads what readers of a conversation's events are shown: its state and its new lines. */
@Injectable()
export class ConversationReader {
  private readonly shared: CommitBatcher<Reader, Rows>;

  constructor(
    units: UnitOfWorkFactory,
    private readonly conversations: ConversationRepository,
    private readonly pages: MessagePageRepository,
    private readonly buffer: BufferService,
    private readonly turns: TurnRepository,
    private readonly messages: MessageRepository,
  ) {
    this.shared = new CommitBatcher(units, 'conversation.read', (tx, readers) =>
      this.rowsOf(tx, readers),
    );
  }

  /** The stored reply of this turn, or else the last one of the conversation, with its message. */
  async findReply(
    tx: Tx,
    conversationId: string,
    turnId: string | undefined,
  ): Promise<{ turn: TurnRow; line: MessageRow } | undefined> {
    const turn = await this.turns.findForResume(tx, conversationId, turnId ?? null);
    const line = turn && (await this.messages.find(tx, turn.replyMessageId));
    return turn === undefined || line === undefined ? undefined : { turn, line };
  }

  /** In the caller's commit: three statements. Throws ConversationUnknownError. */
  async read(
    tx: Tx,
    conversationId: string,
    afterSeq: number | null,
  ): Promise<ConversationReading> {
    const [rows] = await this.rowsOf(tx, [{ conversationId, afterSeq }]);
    return readingOf(rows);
  }

  /**
   * The same in a commit that callers at the same time share, because one event wakes hundreds of readers.
   * The caller must be outside a commit. An unreadable conversation fails only its own readers. Throws
   * ConversationUnknownError.
   */
  async readShared(conversationId: string, afterSeq: number | null): Promise<ConversationReading> {
    return readingOf(await this.shared.submit({ conversationId, afterSeq }));
  }

  private async rowsOf(tx: Tx, readers: readonly Reader[]): Promise<Rows[]> {
    const ids = readers.map(({ conversationId }) => conversationId);
    const found = await this.conversations.findAll(tx, ids);
    const conversations = new Map(found.map((row) => [row.id, row]));
    const pending = await this.buffer.pending(tx, ids);
    const news = await this.pages.afterEach(tx, readers, NEWS_SIZE);
    return readers.map(({ conversationId }, reader) => ({
      conversation: conversations.get(conversationId),
      pending: pending.get(conversationId),
      news: news[reader] ?? NO_NEWS,
    }));
  }
}

/** Limits of one read; small, because one shared commit serves hundreds of readers. */
const NEWS_SIZE: PageSize = { lines: 50, chars: 32_000 };
const NO_NEWS: MessagePage = { lines: [], isMore: false };

interface Reader {
  readonly conversationId: string;
  /** Null: it wants no lines. */
  readonly afterSeq: number | null;
}

/** `conversation` undefined: there is no such conversation. */
interface Rows {
  readonly conversation: ConversationRow | undefined;
  readonly pending: PendingWork | undefined;
  readonly news: MessagePage;
}

/** What one read of a conversation shows to a reader of its events. */
export interface ConversationReading {
  /** The candidate's id. */
  readonly candidateId: string;
  readonly snapshot: ConversationSnapshot;
  /** The lines after the last one that the reader has; `isMore`: the next read shows the rest. */
  readonly news: MessagePage;
}

/** The state of a conversation that changes often. */
export interface ConversationSnapshot {
  readonly status: ConversationStatus;
  /** Who replies. */
  readonly owner: ConversationOwner;
  readonly interviewStep: number;
  readonly progress: Progress;
  /** An answer is being collected; due at that time. */
  readonly hasBuffer: boolean;
  readonly dueAt: Date | null;
  /** Until then, at the time of reading; null too while a voice is transcribed. */
  readonly dueInMs: number | null;
  /** A reply is being written, or is to be written again. */
  readonly replying: boolean;
  /** Voice messages whose transcript is still to come. */
  readonly transcribing: number;
  /** Files from another channel that are still on their way. */
  readonly filesArriving: number;
  readonly lastSeq: number;
}

function readingOf(rows: Rows | undefined): ConversationReading {
  if (rows?.conversation === undefined) {
    throw new ConversationUnknownError('there is no such conversation');
  }
  const { conversation, pending, news } = rows;
  const { candidateId } = conversation;
  return { candidateId, snapshot: snapshotOf(conversation, pending), news };
}

export function snapshotOf(
  conversation: ConversationRow,
  pending: PendingWork | undefined,
): ConversationSnapshot {
  const dueAt = pending?.dueAt ?? null;
  return {
    status: conversation.status,
    owner: conversation.owner,
    interviewStep: conversation.interviewStep,
    progress: progress(conversation.plan, readState(conversation.state)),
    hasBuffer: dueAt !== null,
    dueAt,
    dueInMs: pending?.dueInMs ?? null,
    replying: pending?.isReplying ?? false,
    transcribing: pending?.transcribing ?? 0,
    filesArriving: pending?.filesArriving ?? 0,
    lastSeq: conversation.lastSeq,
  };
}

/** A conversation as its candidate may see it. */
export interface ConversationView extends ConversationSnapshot, InterviewSubject {
  readonly id: string;
  /** The questions that were put to the candidate so far, in order. */
  readonly asked: readonly { readonly id: string; readonly text: string }[];
  readonly reply: PromisedReply;
  /** Its candidate may see which of their words are quoted in the rating (`interview.receipt`). */
  readonly receipt: boolean;
  readonly disclosure: Disclosure;
  readonly consent: ConversationRow['consent'];
  /** The interview takes messages of its candidate. */
  readonly takesMessages: boolean;
  /** The vacancy was closed before the candidate began: they may not agree any more. */
  readonly isTooLate: boolean;
  /** A colleague looks at it as a candidate. */
  readonly isPreview: boolean;
  readonly profile: {
    readonly name: string | null;
    readonly contact: string | null;
    readonly needed: readonly ProfileField[];
  };
  /** Whether voice messages are transcribed here. */
  readonly voice: boolean;
  /** Of the largest file that is taken. */
  readonly maxFileBytes: number;
  /** What a candidate who has withdrawn is told where they wrote; null: they have not. */
  readonly afterWithdrawal: Readonly<Record<Language, string>> | null;
}

/** What an interview is about, how long it is, and what its pages look like. */
export interface InterviewSubject {
  readonly interviewer: Interviewer;
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

/** A part of a transcript as its candidate may see it, in order. */
export interface TranscriptPage {
  readonly lines: readonly MessageRow[];
  /** What to ask for as `before` to get the lines before these; null: there are none. */
  readonly olderCursor: number | null;
}

/** The largest page. */
export const MAX_PAGE: PageSize = { lines: 100, chars: 64_000 };

/** What holds of its vacancy now, whatever it was when the conversation began. */
interface VacancyNow {
  readonly owner: string;
  readonly isClosed: boolean;
  readonly notices: readonly NoticeCode[];
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
    private readonly terms: InterviewTerms,
  ) {}

  /** Who asks those who begin now. */
  get interviewer(): Interviewer {
    return interviewerOf(this.terms);
  }

  async view(tx: Tx, conversationId: string): Promise<ConversationView> {
    const conversation = await this.conversations.get(tx, conversationId);
    const { owner, isClosed, notices, ...subject } = await this.subjectOf(tx, conversation);
    const plan = conversation.plan;
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
      receipt: isCompleted && plan.receipt === true && this.terms.isRated,
      disclosure: disclosureOf(this.terms, conversation.language, { ...subject, notices }),
      consent: conversation.consent,
      takesMessages: conversation.notOpen === null,
      isTooLate: isClosed && !conversation.isPreview && !isBegun(conversation),
      isPreview: conversation.isPreview,
      profile: {
        name: candidate?.name ?? null,
        contact: candidate?.contact ?? null,
        needed,
      },
      voice: this.transcriptions.isOn && subject.interviewer === 'ai',
      maxFileBytes: this.terms.maxFileBytes,
      afterWithdrawal:
        conversation.status === 'withdrawn'
          ? this.wordsAfterWithdrawal({ ...subject, owner }, { isStored: false })
          : null,
    };
  }

  /**
   * What whoever writes after they have withdrawn is told, in the language of the interview; null: they have
   * not. `isStored`: what they write is kept for people.
   */
  async afterWithdrawal(
    tx: Tx,
    conversationId: string,
    { isStored }: { readonly isStored: boolean },
  ): Promise<string | null> {
    const conversation = await this.conversations.get(tx, conversationId);
    if (conversation.status !== 'withdrawn') return null;
    const about = await this.subjectOf(tx, conversation);
    return this.wordsAfterWithdrawal(about, { isStored })[conversation.language];
  }

  private wordsAfterWithdrawal(
    { company, owner }: Pick<InterviewSubject & VacancyNow, 'company' | 'owner'>,
    { isStored }: { readonly isStored: boolean },
  ): Record<Language, string> {
    const about = { company, owner, kept: this.terms.kept, isStored };
    return {
      en: textsOf('en').afterWithdrawal(about),
      ru: textsOf('ru').afterWithdrawal(about),
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

  /** What a visitor may see before it is known whether they are the candidate. */
  async about(tx: Tx, conversationId: string): Promise<InterviewSubject> {
    const {
      owner: _,
      isClosed: __,
      notices: ___,
      ...subject
    } = await this.subjectOf(tx, await this.conversations.get(tx, conversationId));
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
    return this.conversations.get(tx, id);
  }

  /** The last notice of code: an end, a hand-over, an outage. */
  lastNotice(tx: Tx, conversationId: string): Promise<MessageRow | undefined> {
    return this.messages.findLast(tx, conversationId, 'system');
  }

  /** What the interviewer said last. */
  lastSaid(tx: Tx, conversationId: string): Promise<MessageRow | undefined> {
    return this.messages.findLast(tx, conversationId, 'assistant');
  }

  /** Whether an id names a conversation, of any candidate. */
  async exists(tx: Tx, id: string): Promise<boolean> {
    return isUuid(id) && (await this.conversations.find(tx, id)) !== undefined;
  }

  /** Whether an id names an interview for one of these vacancies; null: for any. A preview is none. */
  async isInterview(tx: Tx, id: string, vacancyIds: readonly string[] | null): Promise<boolean> {
    const found = isUuid(id) ? await this.conversations.find(tx, id) : undefined;
    if (found === undefined || found.isPreview) return false;
    return vacancyIds === null || vacancyIds.includes(found.vacancyId);
  }

  /** Whether this link led, or would lead, to this conversation. */
  async isOfInvite(
    tx: Tx,
    conversationId: string,
    invite: Exclude<InviteLookup, { state: 'unknown' }>,
  ): Promise<boolean> {
    const conversation = await this.conversations.get(tx, conversationId);
    if (conversation.vacancyId !== invite.vacancy.id) return false;
    return invite.kind === 'personal'
      ? conversation.candidateId === invite.invitation.candidateId
      : conversation.invitationId === null;
  }

  private async subjectOf(
    tx: Tx,
    { language, vacancyId, plan, consent }: ConversationRow,
  ): Promise<InterviewSubject & VacancyNow> {
    const vacancy = await this.vacancies.find(tx, vacancyId);
    const agreedTo = consent?.accepted === true ? consent.version : null;
    return {
      interviewer: interviewerOf(this.terms, agreedTo),
      language,
      company: vacancy?.company ?? '',
      vacancyTitle: vacancy?.title ?? '',
      owner: vacancy?.owner.name ?? '',
      isClosed: vacancy !== null && vacancy.closedAt !== null,
      notices: vacancy?.notices ?? [],
      brand: vacancy?.brand ?? {},
      questions: plan.questions.length,
      minutes: minutesOf(plan),
    };
  }
}

/** A candidate may ask for a person before giving consent or a profile; no question was asked by then. */
function hasBegun({ status, consent }: ConversationRow, needed: readonly ProfileField[]): boolean {
  return status !== 'new' && consent?.accepted === true && needed.length === 0;
}

function askedOf(plan: InterviewPlan, { asked }: InterviewState): ConversationView['asked'] {
  return plan.questions
    .filter(({ id }) => asked.includes(id))
    .map(({ id, text }) => ({ id, text }));
}
