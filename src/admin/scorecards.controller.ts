import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { DomainEvents, type ShownScoring } from '../common/events';
import { ApiProblems, ProblemError } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { CurrentPrincipal, type Principal, RequireScope } from '../access';
import { AuditRepository } from '../privacy';
import { reviewerOf } from './own-rating-first';
import { Reach } from './reach';
import { ScorecardDto, ScorecardQueryDto, scoring } from './scorecards.dto';

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
