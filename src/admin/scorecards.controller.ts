import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DomainEvents, type ShownScoring } from '../common/events';
import { ApiProblems, ProblemError } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import { reviewerOf } from './own-rating-first';
import { Reach } from './reach';

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

const MAX_NAME = 120;

export class ScorecardQueryDto extends createZodDto(
  z.object({
    reviewer: z
      .string()
      .trim()
      .min(1)
      .max(MAX_NAME)
      .refine(isStorable, 'no NUL and no broken characters')
      .optional()
      .describe('With a key: who looks, a person who has rated the answers'),
  }),
) {}

/** The admin API of scores, which people and programs only read. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/interviews')
@UseInterceptors(ZodSerializerInterceptor)
export class ScorecardsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly reach: Reach,
    private readonly audit: AuditRepository,
  ) {}

  @Get(':id/scorecard')
  @RequireScope('scores:read')
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: 'The scores of an interview, as far as they may be shown',
    description:
      'By the rule for people: scores of certified versions, and only for somebody who has rated the answers ' +
      'before. A user is shown the questions that they have rated, and `unrated` names the others. With a key, ' +
      '`reviewer` has to have rated all. Whoever is shown scores changes their ratings of these questions no ' +
      'more. After an objection to automated processing there are none.',
  })
  @ZodResponse({ status: 200, type: ScorecardDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  @ApiConflictResponse({ description: 'The reviewer is not named, or has not rated yet' })
  async scorecard(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { reviewer: named }: ScorecardQueryDto,
  ) {
    const isPartial = principal.userId !== null;
    if (isPartial && named !== undefined) {
      throw new ProblemError(
        422,
        'invalid_body',
        'A user looks by their own name: leave out `reviewer`.',
      );
    }
    const reviewer = isPartial ? reviewerOf(principal).name : (named ?? null);
    const found = await uow.commit('interview.scorecard', async (tx) => {
      await this.reach.candidateOf(tx, principal, conversationId);
      const of = { conversationId, reviewer, isPartial };
      const scorings = await this.events.collect(tx, 'scores.shown', of);
      const { actor } = principal;
      await this.audit.note(tx, { actor, action: 'scorecard.read', subjectId: conversationId });
      return scorings;
    });
    return { scorings: found.flat().map(shownScoring) };
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
