import { createZodDto, ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Body, Controller, Get, Header, Param, Put, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DomainEvents, type RatedQuestion } from '../common/events';
import { ApiProblems } from '../common/http';
import { isStorable } from '../common/text';
import { RequestUnit, type Tx, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import { reviewerOf } from './own-rating-first';
import { Reach } from './reach';

const MARK = 'From 1 to 5; null: the interview did not ask about it.';
const MAX_NOTE = 2000;
const MAX_CRITERION = 200;
/** As many as a vacancy's file may give a question. */
const MAX_CRITERIA = 6;

const stored = z.object({
  mark: z.int().nullable().describe(MARK),
  note: z.string().nullable(),
  ratedAt: z.iso.datetime(),
});

const question = z.object({
  id: z.string(),
  text: z.string(),
  rubric: z.string().describe('What to look for in the answer.'),
  evidence: z
    .array(z.object({ messageId: z.string(), start: z.int(), end: z.int() }))
    .describe(
      'Where to read, by the id of a line of the transcript, in UTF-16 units: passages that a scoring ' +
        'quotes, without what they support, or else the whole answer. Empty: there is no answer, and nothing to rate.',
    ),
  criteria: z
    .array(
      z.object({
        name: z.string(),
        weight: z.number().describe('Percent of the question.'),
        anchors: z
          .array(z.string())
          .nullable()
          .describe('What each mark from 1 to 5 shows; null: the rubric says it.'),
        own: stored.nullable().describe('Of the answer as it is now.'),
        others: z
          .array(
            stored.extend({
              by: z.string(),
              difference: z
                .int()
                .nullable()
                .describe("Their mark less the user's; null: one of the two has none."),
            }),
          )
          .describe('Of colleagues, by name. Empty until `isRated`.'),
      }),
    )
    .describe('Empty: the question is not rated.'),
  isRated: z.boolean().describe('The user has rated the answer as it is now.'),
  isFixed: z.boolean().describe('Others were shown to the user, who rates the answer no more.'),
});

export class RatingsDto extends createZodDto(
  z.object({ questions: z.array(question).describe('All of the plan, in its order.') }),
) {}

export class RatingsQueryDto extends createZodDto(
  z.object({
    only: z
      .enum(['own'])
      .optional()
      .describe("own: no colleague's rating is shown, so the user's own stay open to changes"),
  }),
) {}

function text(max: number) {
  return z.string().trim().min(1).max(max).refine(isStorable, 'no NUL and no broken characters');
}

export class RatingDto extends createZodDto(
  z.object({
    criteria: z
      .array(
        z.object({
          name: text(MAX_CRITERION),
          mark: z.int().min(1).max(5).nullable().describe(MARK),
          note: text(MAX_NOTE).nullable().default(null),
        }),
      )
      .min(1)
      .max(MAX_CRITERIA)
      .describe('Each criterion of the question, once.'),
  }),
) {}

/** The admin API of what people give the answers. Only users rate: a key is no person. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/interviews/:id/ratings')
@RequireScope('ratings:write')
@UseInterceptors(ZodSerializerInterceptor)
export class RatingsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly reach: Reach,
    private readonly audit: AuditRepository,
  ) {}

  @Get()
  @Header('cache-control', 'private, no-store')
  @ApiOperation({
    summary: "The answers of an interview with the user's ratings, and colleagues' after them",
    description:
      'Before the user has rated a question, nothing of it tells whether anybody else has. Where ' +
      "colleagues' ratings are shown, the user's own are not changed any more.",
  })
  @ZodResponse({ status: 200, type: RatingsDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async read(
    @Param('id') conversationId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Query() { only }: RatingsQueryDto,
  ) {
    return uow.commit('rating.read', async (tx) => {
      await this.reach.candidateOf(tx, principal, conversationId);
      const questions = await this.shown(tx, principal, {
        conversationId,
        isOnlyOwn: only === 'own',
      });
      const { actor } = principal;
      await this.audit.note(tx, { actor, action: 'rating.read', subjectId: conversationId });
      return { questions };
    });
  }

  @Put(':questionId')
  @ApiOperation({
    summary: 'Rate the answer to a question',
    description:
      "Replaces the user's rating of it, until others' ratings or scores of the question were shown to them. " +
      'The same rating again changes nothing. The response shows nothing of others.',
  })
  @ZodResponse({ status: 200, type: RatingsDto })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  @ApiConflictResponse({ description: "Others' ratings of the question were shown to the user" })
  async rate(
    @Param('id') conversationId: string,
    @Param('questionId') questionId: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Body() { criteria }: RatingDto,
  ) {
    return uow.commit('rating.write', async (tx) => {
      await this.reach.candidateOf(tx, principal, conversationId);
      const by = reviewerOf(principal);
      const marks = criteria.map(({ name, mark, note }) => ({ criterion: name, mark, note }));
      const of = { conversationId, questionId, by, marks };
      if (await this.events.ask(tx, 'rating.given', of)) {
        const { actor } = principal;
        await this.audit.note(tx, { actor, action: 'rating.write', subjectId: conversationId });
      }
      return { questions: await this.shown(tx, principal, { conversationId, isOnlyOwn: true }) };
    });
  }

  private async shown(
    tx: Tx,
    principal: Principal,
    of: { readonly conversationId: string; readonly isOnlyOwn: boolean },
  ): Promise<z.infer<typeof question>[]> {
    const by = reviewerOf(principal);
    const found = await this.events.ask(tx, 'ratings.shown', { ...of, by });
    return found.map(({ criteria, evidence, ...one }) => ({
      ...one,
      evidence: [...evidence],
      criteria: criteria.map(({ anchors, own, others, ...each }) => ({
        ...each,
        anchors: anchors && [...anchors],
        own: own && shownMark(own),
        others: others.map((other) => ({ ...other, ...shownMark(other) })),
      })),
    }));
  }
}

function shownMark({
  mark,
  note,
  ratedAt,
}: NonNullable<RatedQuestion['criteria'][number]['own']>): z.infer<typeof stored> {
  return { mark, note, ratedAt: ratedAt.toISOString() };
}
