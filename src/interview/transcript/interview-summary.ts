import { type InterviewPlan, VacancyRepository } from '../../vacancies';
import {
  type InterviewCoverage,
  type InterviewSummary,
  OnEvent,
  type PayloadOf,
} from '../../common/events';
import { type InterviewState, type Outcome, readState } from '../plan/state';
import { Injectable } from '@nestjs/common';
import { CandidateRepository } from '../../candidates';
import type { Tx } from '../../common/uow';
import { ConversationRepository } from '../conversation.repository';
import { MessageRepository } from './message.repository';
import { MetadataService } from '../metadata/metadata.service';

/** Outcomes of a question with an answer that people can read. */
const READABLE: readonly Outcome[] = ['answered', 'weak', 'unanalysed'];

/** How much of the plan was asked and answered, without any judgement of the answers. */
export function coverageOf(plan: InterviewPlan, state: InterviewState): InterviewCoverage {
  const mustAsk = plan.questions.filter((question) => question.mustAsk);
  const isCountedWhole = mustAsk.length === 0;
  const counted = new Set((isCountedWhole ? plan.questions : mustAsk).map(({ id }) => id));
  const answered = state.settled.filter(({ outcome }) => READABLE.includes(outcome));
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

  @OnEvent('interview.summary')
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
      coverage: coverageOf(plan as InterviewPlan, readState(state)),
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
