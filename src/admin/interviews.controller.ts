import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationUnknownError } from '../buffer';
import { ApiProblems } from '../common/http';
import { isUuid } from '../common/ids';
import { RequestUnit, UnitOfWork } from '../common/uow';
import {
  ConversationRepository,
  InterviewListRepository,
  type InterviewState,
  type ListedInterview,
  MetadataService,
  WaitingListRepository,
  coverageOf,
  hasAnswer,
  progress,
  readState,
  waitingQuestion,
} from '../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import type { Question } from '../vacancies';
import { timesOf } from './query-times';
import { Reach } from './reach';
import {
  InterviewDto,
  InterviewListDto,
  InterviewsQueryDto,
  WaitingInterviewListDto,
  WaitingQueryDto,
  interview,
} from './interviews.dto';

/** The admin API of interviews: which there are, and how far each is. */
@ApiTags('Interviews')
@ApiProblems()
@Controller('api/v1/interviews')
@RequireScope('interviews:read')
@UseInterceptors(ZodSerializerInterceptor)
export class InterviewsController {
  constructor(
    private readonly interviews: InterviewListRepository,
    private readonly waiting: WaitingListRepository,
    private readonly conversations: ConversationRepository,
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
    @Query() { state, ids, vacancy, since, until, text, cursor, limit }: InterviewsQueryDto,
  ) {
    const rows = await uow.commit('interview.list', async (tx) => {
      const vacancyIds = await this.reach.vacancyIds(tx, principal, vacancy);
      const times = timesOf({ since, until });
      const filter = { vacancyIds, stage: state, text, ids: ids?.split(','), ...times };
      return this.interviews.list(tx, filter, { before: cursor, limit: limit + 1 });
    });
    const items = rows.slice(0, limit).map((one) => shown(one, principal));
    return { items, cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }

  @Get('waiting')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'Interviews that wait for a person, the one that waits longest first',
    description: 'Those with an open attention item, and those that a person has taken over.',
  })
  @ZodResponse({ status: 200, type: WaitingInterviewListDto })
  async listWaiting(
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { vacancy, limit }: WaitingQueryDto,
  ) {
    const { rows, count } = await uow.commit('interview.list_waiting', async (tx) => {
      const vacancyIds = await this.reach.vacancyIds(tx, principal, vacancy);
      return this.waiting.list(tx, { vacancyIds, limit });
    });
    return { items: rows.map((one) => shown(one, principal)), count };
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
          ...shown(found, principal),
          completedAt: completedAt ?? null,
          objectedAt: (await this.conversations.objectedAt(tx, id))?.toISOString() ?? null,
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
}

function shown(one: ListedInterview, { scopes }: Principal): z.infer<typeof interview> {
  const { id, stage, vacancy, candidateId, name, contact, externalId, metadata } = one;
  const { language, channel, openedAt, updatedAt, plan, state } = one;
  const { seenAt, itemId, itemKind: kind, itemSince } = one;
  const isItem = itemId !== null && kind !== null && itemSince !== null;
  const mayKnow = scopes.includes('attention:read');
  const { unanswered, ...place } = progress(plan, readState(state));
  return {
    ...{ id, state: stage, vacancy, candidate: { id: candidateId, name, contact } },
    ...{ externalId, metadata, language, channel },
    openedAt: openedAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    seenAt: seenAt?.toISOString() ?? null,
    waits: isItem && mayKnow ? { itemId, kind, since: itemSince.toISOString() } : null,
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
