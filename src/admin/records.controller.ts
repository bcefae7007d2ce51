import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationUnknownError } from '../buffer';
import { DomainEvents, type ListedDecision, type ShownScoring } from '../common/events';
import { ApiProblems } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { ConversationViews } from '../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../keys';

const quotes = z
  .array(z.object({ messageId: z.string(), start: z.int(), end: z.int() }))
  .describe('Passages of the candidate, by the id of a line of the transcript, in UTF-16 units.');

const scoring = z.object({
  id: z.string(),
  state: z.enum(['running', 'done', 'failed']),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime().nullable(),
  questions: z
    .array(
      z.object({
        id: z.string(),
        criteria: z.array(
          z.object({
            name: z.string(),
            weight: z.number().describe('Percent of the question.'),
            result: z.enum(['supported', 'absent', 'unscorable']),
            mark: z.number().nullable().describe('From 1 to 5; null: there is none.'),
            quotes,
            isDisputed: z.boolean().describe('The samples differ: a person reads the answer.'),
          }),
        ),
        facts: z.array(
          z.object({
            name: z.string(),
            value: z.enum(['yes', 'no', 'with_conditions', 'unclear']),
            quotes,
          }),
        ),
      }),
    )
    .describe('Those whose scores may be shown.'),
  inShadow: z.array(z.string()).describe('Questions whose scores nobody may see yet.'),
  unrated: z.array(z.string()).describe('Questions that the reviewer has not rated.'),
  overall: z.number().nullable().describe('From 1 to 5; null while anything is missing.'),
});

export class ScorecardDto extends createZodDto(
  z.object({ scorings: z.array(scoring).describe('Oldest first.') }),
) {}

const decision = z.object({
  id: z.string(),
  candidateId: z.string(),
  decidedBy: z.string(),
  reason: z.string(),
  decidedAt: z.iso.datetime(),
  isAdverse: z.boolean().describe('It is against the candidate.'),
  letterBy: z.string().nullable().describe('Who wrote the letter about it; null: nobody has.'),
  letterAt: z.iso.datetime().nullable(),
});

export class DecisionListDto extends createZodDto(
  z.object({
    items: z.array(decision),
    cursor: z.string().nullable().describe('For the next page; null: this is the last one.'),
  }),
) {}

const MAX_NAME = 120;
const MAX_PAGE = 100;

export class ScorecardQueryDto extends createZodDto(
  z.object({
    reviewer: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('Who looks: a person who has rated the answers'),
  }),
) {}

export class DecisionsQueryDto extends createZodDto(
  z.object({
    cursor: z
      .string()
      .regex(/^\d{1,18}$/)
      .optional(),
    limit: z.coerce.number().int().min(1).max(MAX_PAGE).default(50),
  }),
) {}

/** The admin API of scores and decisions, which people make. A key only reads them. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1')
@UseInterceptors(ZodSerializerInterceptor)
export class RecordsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly views: ConversationViews,
  ) {}

  @Get('interviews/:id/scorecard')
  @RequireScope('scores:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'The scores of an interview, as far as they may be shown',
    description:
      'By the rule for people: scores of certified versions, and only for a `reviewer` who has rated the ' +
      'answers before. After an objection to automated processing there are none.',
  })
  @ZodResponse({ status: 200, type: ScorecardDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  @ApiConflictResponse({ description: 'The reviewer is not named, or has not rated yet' })
  async scorecard(
    @Param('id') conversationId: string,
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { reviewer }: ScorecardQueryDto,
  ) {
    const found = await uow.commit('interview.scorecard', async (tx) => {
      if (!(await this.views.exists(tx, conversationId, vacancyIds))) {
        throw new ConversationUnknownError('There is no such interview.');
      }
      const of = { conversationId, reviewer: reviewer ?? null };
      return this.events.collect(tx, 'scores.shown', of);
    });
    return { scorings: found.flat().map(shownScoring) };
  }

  @Get('decisions')
  @RequireScope('decisions:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'What people decided about candidates, the newest first',
    description: 'With a key that is limited to vacancies: about whom no other vacancy knows.',
  })
  @ZodResponse({ status: 200, type: DecisionListDto })
  async decisions(
    @CurrentPrincipal() { vacancyIds }: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { cursor, limit }: DecisionsQueryDto,
  ) {
    const page = { vacancyIds, before: cursor, limit: limit + 1 };
    const found = await uow.commit('admin.decisions', (tx) =>
      this.events.collect(tx, 'decisions.listed', page),
    );
    const rows = found.flat();
    const items = rows.slice(0, limit).map(shownDecision);
    return { items, cursor: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
  }
}

function shownScoring(one: ShownScoring): z.infer<typeof scoring> {
  return {
    ...one,
    startedAt: one.startedAt.toISOString(),
    endedAt: one.endedAt?.toISOString() ?? null,
    questions: one.questions.map(({ id, criteria, facts }) => ({
      id,
      criteria: criteria.map((each) => ({ ...each, quotes: [...each.quotes] })),
      facts: facts.map((each) => ({ ...each, quotes: [...each.quotes] })),
    })),
    inShadow: [...one.inShadow],
    unrated: [...one.unrated],
  };
}

function shownDecision({ decidedAt, letterAt, ...one }: ListedDecision): z.infer<typeof decision> {
  return {
    ...one,
    decidedAt: decidedAt.toISOString(),
    letterAt: letterAt?.toISOString() ?? null,
  };
}
