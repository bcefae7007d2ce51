import { ZodResponse, ZodSerializerInterceptor } from 'nestjs-zod';
import { z } from 'zod';
import { Controller, Get, Header, Param, Query, UseInterceptors } from '@nestjs/common';
import { ApiConflictResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { ConversationUnknownError } from '../buffer';
import { DomainEvents, type ShownScoring } from '../common/events';
import { ApiProblems } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { ConversationViews } from '../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../keys';
import { ScorecardDto, ScorecardQueryDto, scoring } from './scorecards.dto';

/** The admin API of scores. A key only reads them. */
@ApiTags('Scores and decisions')
@ApiProblems()
@Controller('api/v1/interviews')
@UseInterceptors(ZodSerializerInterceptor)
export class ScorecardsController {
  constructor(
    private readonly events: DomainEvents,
    private readonly views: ConversationViews,
  ) {}

  @Get(':id/scorecard')
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
