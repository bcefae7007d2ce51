import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CurrentPrincipal, type Principal, RequireUser } from '../../../access';
import { ApiProblems } from '../../../common/http';
import { EndedAccess } from '../ended-access';
import { TeamStreams } from './team-streams';

/** What changes on the pages of the hiring team, as it changes. */
@ApiTags('People')
@ApiProblems()
@RequireUser()
@Controller('api/v1/team')
export class TeamEventsController {
  constructor(
    private readonly streams: TeamStreams,
    private readonly endedAccess: EndedAccess,
  ) {}

  @Get('events')
  @ApiOperation({
    summary: 'What changes for the team, by ids, as server-sent events',
    description:
      'Only what the person reaches, and the same thing at most once a second. Read what an id names with the ' +
      'operation that shows it.',
  })
  @ApiOkResponse({
    description:
      'Events: `resync` (first, and whenever something may have been missed: read everything again), ' +
      '`changed` with `kind` (interview, attention, invitation, vacancy or judgement), `id` and `interviewId`, ' +
      '`readers` with `interviewId` and the colleagues who read it now. `ended` is the last one when the session ' +
      'has ended or the rights of the user have changed',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  watch(
    @CurrentPrincipal() principal: Principal,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    this.endedAccess.endWith(this.streams.stream(request, reply, principal), principal);
  }
}
