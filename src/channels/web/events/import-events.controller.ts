import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { ApiHeader, ApiOkResponse, ApiOperation, ApiQuery, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../common/http';
import { RequestUnit, UnitOfWork } from '../../../common/uow';
import { InvitationImports } from '../../../invitations';
import { CurrentPrincipal, type Principal, RequireScope } from '../../../access';
import { EndedAccess } from '../ended-access';
import { OpenStreams } from './sse-response';
import { ImportStreams, readersOf } from './import-streams';

/** The rows of an import as they get their fates. */
@ApiTags('Admin')
@ApiProblems()
@RequireScope('invitations:read')
@Controller('api/v1/invitation-imports')
export class ImportEventsController {
  constructor(
    private readonly imports: InvitationImports,
    private readonly open: OpenStreams,
    private readonly streams: ImportStreams,
    private readonly endedAccess: EndedAccess,
  ) {}

  @Get(':id/events')
  @ApiOperation({ summary: 'Watch an import of invitations, row by row, as server-sent events' })
  @ApiHeader({
    name: 'last-event-id',
    required: false,
    description: 'The number of the last row that the client has got: the stream goes on after it',
  })
  @ApiQuery({
    name: 'lastEventId',
    required: false,
    schema: { type: 'string' },
    description: 'The same, for clients that cannot send the header; the header goes before it',
  })
  @ApiOkResponse({
    description:
      'Events: progress, row, finish; `finish` is the last one, after which the stream closes for good. ' +
      '`ended`: the import was deleted',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  async watch(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const importId = id.toLowerCase();
    this.open.assertFree(reply, readersOf(importId));
    await uow.commit('invitation_import.show', (tx) =>
      this.imports.get(tx, importId, principal.vacancyIds),
    );
    const response = this.streams.stream(request, reply, importId);
    this.endedAccess.endWith(response, principal);
  }
}
