import { isUuid } from '../../common/ids';
import { ConversationUnknownError } from '../../buffer';
import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { ConversationRepository } from '../conversation.repository';
import { CandidateRepository } from '../../candidates';
import {
  type CallersFields,
  type InterviewPlan,
  InvitationRepository,
  type Language,
  VacancyRepository,
} from '../../vacancies';
import {
  type InterviewCoverage,
  type InterviewSummary,
  DomainEventHandler,
  type PayloadOf,
} from '../../common/events';
import { MetadataService } from '../metadata/metadata.service';
import type { ConversationStatus } from '../plan/verdicts';
import { hasAnswer, readState, type InterviewState } from '../plan/state';
import { TranscriptLineRepository, type TranscriptLinesPage } from './transcript-line.repository';
import { MessageRepository } from './message.repository';

/** An interview as the hiring team reads it, with a page of its lines and what its invitation is known by. */
export interface InterviewTranscript extends TranscriptLinesPage, CallersFields {
  readonly conversationId: string;
  /** Of the plan; code may have spoken another. */
  readonly language: Language;
  readonly company: string;
  readonly vacancy: string;
  readonly candidate: { readonly name: string | null; readonly contact: string | null };
  readonly status: ConversationStatus;
  readonly beganAt: Date | null;
  /** ISO 8601. */
  readonly completedAt: string | null;
  readonly coverage: InterviewCoverage;
}

/** Interviews for the people who read them. Writes nothing. */
@Injectable()
export class TranscriptService {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly metadata: MetadataService,
    private readonly candidates: CandidateRepository,
    private readonly vacancies: VacancyRepository,
    private readonly invitations: InvitationRepository,
    private readonly lines: TranscriptLineRepository,
  ) {}

  /**
   * With the newest lines, or the newest of those before `before`, an `olderCursor`. Throws
   * ConversationUnknownError, also for what is no id, and once it is erased.
   */
  async read(tx: Tx, id: string, before: number | null): Promise<InterviewTranscript> {
    const conversation = isUuid(id) ? await this.conversations.find(tx, id) : undefined;
    if (conversation === undefined) {
      throw new ConversationUnknownError('there is no such conversation');
    }
    const { candidateId, vacancyId, plan, state, status, language } = conversation;
    const candidate = await this.candidates.find(tx, candidateId);
    const vacancy = await this.vacancies.find(tx, vacancyId);
    const { completedAt } = await this.metadata.read(tx, id);
    return {
      conversationId: conversation.id,
      language: vacancy?.language ?? language,
      company: vacancy?.company ?? '',
      vacancy: vacancy?.title ?? '',
      candidate: { name: candidate?.name ?? null, contact: candidate?.contact ?? null },
      ...(await this.invitations.callersFieldsOf(tx, { candidateId, vacancyId })),
      status,
      beganAt: await this.lines.beganAt(tx, id),
      completedAt: completedAt ?? null,
      coverage: coverageOf(plan, readState(state)),
      ...(await this.lines.page(tx, id, before)),
    };
  }
}

/** How much of the plan was asked and answered, without any judgement of the answers. */
export function coverageOf(plan: InterviewPlan, state: InterviewState): InterviewCoverage {
  const mustAsk = plan.questions.filter((question) => question.mustAsk);
  const isCountedWhole = mustAsk.length === 0;
  const counted = new Set((isCountedWhole ? plan.questions : mustAsk).map(({ id }) => id));
  const answered = state.settled.filter(({ outcome }) => hasAnswer(outcome));
  return {
    counted: isCountedWhole ? 'all' : 'must-ask',
    of: counted.size,
    asked: state.asked.filter((id) => counted.has(id)).length,
    answered: answered.filter(({ id }) => counted.has(id)).length,
  };
}

/** Summaries of finished interviews, for the reviews on Notion's boards. */
@Injectable()
export class InterviewSummaries {
  constructor(
    private readonly conversations: ConversationRepository,
    private readonly messages: MessageRepository,
    private readonly metadata: MetadataService,
    private readonly candidates: CandidateRepository,
    private readonly vacancies: VacancyRepository,
  ) {}

  @DomainEventHandler('interview.summary')
  async find(
    tx: Tx,
    { conversationId }: PayloadOf<'interview.summary'>,
  ): Promise<InterviewSummary | null> {
    const conversation = await this.conversations.find(tx, conversationId);
    if (conversation === undefined) return null;
    const { candidateId, vacancyId, plan, state, status } = conversation;
    const candidate = await this.candidates.find(tx, candidateId);
    const vacancy = await this.vacancies.find(tx, vacancyId);
    if (vacancy === null) return null;
    const { notionUserId } = vacancy.owner;
    return {
      language: vacancy.language,
      candidate: candidate?.name ?? null,
      vacancy: vacancy.title,
      ownerId: notionUserId === undefined ? null : asNotionWrites(notionUserId),
      coverage: coverageOf(plan, readState(state)),
      after: {
        messages: await this.messagesAfterEnd(tx, conversationId),
        end: status === 'withdrawn' || status === 'handed_over' ? status : null,
      },
    };
  }

  private async messagesAfterEnd(tx: Tx, conversationId: string): Promise<number> {
    const { completedAt } = await this.metadata.read(tx, conversationId);
    if (completedAt == null) return 0;
    return this.messages.countAfter(tx, conversationId, new Date(completedAt));
  }
}

/** A vacancy's file may write it without dashes, or in capitals. */
function asNotionWrites(id: string): string {
  return id
    .toLowerCase()
    .replaceAll('-', '')
    .replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
