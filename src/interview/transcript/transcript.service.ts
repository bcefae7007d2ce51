import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import { ConversationRepository, type ConversationStatus } from '../conversation.repository';
import { CandidateRepository } from '../../candidates';
import { type InterviewPlan, type Language, VacancyRepository } from '../../vacancies';
import type { InterviewCoverage } from '../../common/events';
import { ConversationUnknownError } from '../conversation-rules';
import { MetadataService } from '../metadata/metadata.service';
import { readState } from '../plan/state';
import { coverageOf } from './interview-summary';
import { TranscriptLineRepository, type TranscriptLinesPage } from './transcript-line.repository';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** An interview as the hiring team reads it, with a page of its lines. */
export interface InterviewTranscript extends TranscriptLinesPage {
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
    private readonly lines: TranscriptLineRepository,
  ) {}

  /**
   * With the newest lines, or the newest of those before `before`, an `olderCursor`. Throws
   * ConversationUnknownError, also for what is no id, and once it is erased.
   */
  async read(tx: Tx, id: string, before: number | null): Promise<InterviewTranscript> {
    const conversation = UUID.test(id) ? await this.conversations.find(tx, id) : undefined;
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
      status,
      beganAt: await this.lines.beganAt(tx, id),
      completedAt: completedAt ?? null,
      coverage: coverageOf(plan as InterviewPlan, readState(state)),
      ...(await this.lines.page(tx, id, before)),
    };
  }
}
