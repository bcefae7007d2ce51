import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationUnknownError } from '../buffer';
import { ApiProblems } from '../common/http';
import { isUuid } from '../common/ids';
import { isStorable } from '../common/text';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import {
  INTERVIEW_STAGES,
  InterviewListRepository,
  type InterviewState,
  type ListedInterview,
  MetadataService,
  coverageOf,
  hasAnswer,
  progress,
  readState,
  waitingQuestion,
} from '../interview';
import { CurrentPrincipal, type Principal, RequireScope, reaches } from '../access';
import { type Question, VacancyRepository } from '../vacancies';
import { Reach } from './reach';

const interview = z.object({
  id: z.string().describe('Also of its transcript, files, recordings and events.'),
  state: z
    .enum(INTERVIEW_STAGES)
    .describe(
      'started: it waits for the candidate; waiting_for_us: an answer waits for its reply.',
    ),
  vacancy: z.string().describe('The slug.'),
  candidate: z.object({
    id: z.string(),
    name: z.string().nullable(),
    contact: z.string().nullable(),
  }),
  externalId: z.string().nullable().describe('Of the invitation; null: it has none.'),
  metadata: z.record(z.string(), z.unknown()).describe('Of the invitation, as it was given.'),
  language: z.enum(['ru', 'en']),
  channel: z.string().describe('The name of a channel, such as web or telegram.'),
  openedAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  progress: z.object({
    question: z.int().describe('The number of the question that it is at.'),
    of: z.int(),
    unanswered: z.array(z.int()).describe('Numbers of the questions without an answer so far.'),
  }),
});

export class InterviewListDto extends createZodDto(
  z.object({
    items: z.array(interview),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

export class InterviewDto extends createZodDto(
  interview.extend({
    completedAt: z.iso.datetime().nullable(),
    coverage: z.object({
      counted: z.enum(['must-ask', 'all']),
      of: z.int(),
      asked: z.int(),
      answered: z.int(),
    }),
    questions: z
      .array(
        z.object({
          id: z.string(),
          text: z.string(),
          kind: z.enum(['open', 'knockout']),
          mustAsk: z.boolean(),
          state: z.enum(['not_asked', 'waiting', 'answered', 'unanswered']),
        }),
      )
      .describe('The plan with which it began. People judge the answers.'),
  }),
) {}

const MAX_PAGE = 100;
const MAX_TEXT = 200;

export class InterviewsQueryDto extends createZodDto(
  z.object({
    state: z.enum(INTERVIEW_STAGES).optional(),
    vacancy: z.string().min(1).max(100).refine(isStorable).optional().describe('A slug'),
    since: z.iso.datetime().optional().describe('Opened from this time on'),
    until: z.iso.datetime().optional().describe('Opened before this time'),
    text: z
      .string()
      .trim()
      .min(1)
      .max(MAX_TEXT)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('How words of the name begin, or an external id'),
    cursor: z.uuid().optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}

/** The admin API of interviews: which there are, and how far each is. */
@ApiTags('Interviews')
@ApiProblems()
@Controller('api/v1/interviews')
@RequireScope('interviews:read')
@UseInterceptors(ZodSerializerInterceptor)
export class InterviewsController {
  constructor(
    private readonly interviews: InterviewListRepository,
    private readonly vacancies: VacancyRepository,
    private readonly metadata: MetadataService,
    private readonly reach: Reach,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'Interviews by state, vacancy, time and text, the newest first',
    description: 'Who was invited and has not opened the link yet is in `GET /api/v1/invitations`.',
  })
  @ZodResponse({ status: 200, type: InterviewListDto })
  async list(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { state, vacancy, since, until, text, cursor, limit }: InterviewsQueryDto,
  ) {
    const rows = await uow.commit('interview.list', async (tx) => {
      const vacancyIds = await this.vacancyIds(tx, principal, vacancy);
      const times = { since: dateOf(since), until: dateOf(until) };
      const filter = { vacancyIds, stage: state, text, ...times };
      return this.interviews.list(tx, filter, { before: cursor, limit: limit + 1 });
    });
    const items = rows.slice(0, limit).map(shown);
    return { items, cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Get(':id')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({ summary: 'One interview: how far it is, and which questions have an answer' })
  @ZodResponse({ status: 200, type: InterviewDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async read(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ) {
    return uow.commit('interview.read', async (tx) => {
      const of = { principal, conversationId: id, action: 'interview.read' } as const;
      return this.reach.read(tx, of, async () => {
        const found = isUuid(id) ? await this.interviews.find(tx, id) : undefined;
        if (found === undefined) throw new ConversationUnknownError('There is no such interview.');
        const { completedAt } = await this.metadata.read(tx, id);
        const state = readState(found.state);
        return {
          ...shown(found),
          completedAt: completedAt ?? null,
          coverage: coverageOf(found.plan, state),
          questions: found.plan.questions.map((question) => ({
            ...{ id: question.id, text: question.text, kind: question.kind },
            mustAsk: question.mustAsk,
            state: stateOf(question, found, state),
          })),
        };
      });
    });
  }

  /** Null: all. A vacancy that the key does not reach has no interviews. */
  private async vacancyIds(
    tx: Tx,
    principal: Principal,
    slug: string | undefined,
  ): Promise<readonly string[] | null> {
    if (slug === undefined) return principal.vacancyIds;
    const vacancy = await this.vacancies.findBySlug(tx, slug);
    return vacancy !== null && reaches(principal, vacancy.id) ? [vacancy.id] : [];
  }
}

function shown(one: ListedInterview): z.infer<typeof interview> {
  const { id, stage, vacancy, candidateId, name, contact, externalId, metadata } = one;
  const { language, channel, openedAt, updatedAt, plan, state } = one;
  const { unanswered, ...place } = progress(plan, readState(state));
  return {
    ...{ id, state: stage, vacancy, candidate: { id: candidateId, name, contact } },
    ...{ externalId, metadata, language, channel },
    openedAt: openedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    progress: { ...place, unanswered: [...unanswered] },
  };
}

function stateOf(
  { id }: Question,
  { plan, stage }: ListedInterview,
  state: InterviewState,
): 'not_asked' | 'waiting' | 'answered' | 'unanswered' {
  // The plan has its first question before the candidate has begun.
  if (stage === 'opened') return 'not_asked';
  if (waitingQuestion(plan, state)?.id === id && state.asked.includes(id)) return 'waiting';
  const settled = state.settled.find((one) => one.id === id);
  if (settled !== undefined) return hasAnswer(settled.outcome) ? 'answered' : 'unanswered';
  return state.asked.includes(id) ? 'unanswered' : 'not_asked';
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
