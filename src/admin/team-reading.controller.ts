import { createZodDto } from 'nestjs-zod';
import { z } from 'zod';
import { Body, Controller, HttpCode, Put } from '@nestjs/common';
import { ApiNoContentResponse, ApiNotFoundResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal, RequireUser, nameIn } from '../access';
import { ApiProblems } from '../common/http';
import { RequestUnit, UnitOfWork } from '../common/uow';
import { TeamPresence } from '../streams';
import { Reach } from './reach';

export class ReadingDto extends createZodDto(
  z.object({
    tab: z.uuid().describe("The page's own, made when it is opened"),
    interviewId: z.uuid().nullable().describe('Null: the page shows none any more'),
  }),
) {}

/** Which interview a colleague reads now. */
@ApiTags('People')
@ApiProblems()
@RequireUser()
@Controller('api/v1/team/reading')
export class TeamReadingController {
  constructor(
    private readonly reach: Reach,
    private readonly presence: TeamPresence,
  ) {}

  @Put()
  @HttpCode(204)
  @ApiOperation({
    summary: 'Tell colleagues which interview this page shows',
    description:
      'It is not stored, and ends a minute after the last sign: repeat it every 20 seconds. Colleagues who reach ' +
      'the interview get the event `readers` of `GET /api/v1/team/events`.',
  })
  @ApiNoContentResponse({ description: 'Colleagues are told' })
  @ApiNotFoundResponse({ description: 'There is no such interview' })
  async put(
    @Body() { tab, interviewId }: ReadingDto,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
  ): Promise<void> {
    const { userId, actor } = principal;
    if (userId === null) throw new Error('the route has no @RequireUser');
    const by = { tab: tab.toLowerCase(), userId, name: nameIn(actor) };
    if (interviewId === null) {
      this.presence.note({ ...by, interviewId: null, vacancyId: null });
      return;
    }
    const found = await uow.commit('user.reading', (tx) =>
      this.reach.interview(tx, principal, interviewId),
    );
    this.presence.note({ ...by, interviewId: found.id, vacancyId: found.vacancyId });
  }
}
