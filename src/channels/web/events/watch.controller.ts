import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AdminName, AdminTokenGuard, ApiProblems, ProblemError } from '../../../common/http';
import { UnitOfWorkFactory } from '../../../common/uow';
import { ConversationViews } from '../../../interview';
import { AuditRepository } from '../../../persistence';
import { OpenStreams, type StreamReaders } from '../sse/open-streams';
import { ApiEventStream } from './api-event-stream';
import { EventStreams } from './event-streams';

/** A recruiter watches an interview as it is held: reads all that its candidate reads, writes nothing. */
@ApiTags('admin')
@ApiBearerAuth()
@ApiProblems()
@UseGuards(AdminTokenGuard)
@Controller('api/v1/admin/conversations')
export class WatchController {
  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly views: ConversationViews,
    private readonly streams: OpenStreams,
    private readonly events: EventStreams,
    private readonly audit: AuditRepository,
  ) {}

  @Get(':id/events')
  @ApiOperation({ summary: "Watch an interview: the very events of its candidate's own stream" })
  @ApiEventStream()
  async watch(
    @Param('id') id: string,
    @AdminName() actor: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // As ids are made: in other letters it would name the same rows, but no live reply.
    const conversationId = id.toLowerCase();
    const readers: StreamReaders = `watchers of ${conversationId}`;
    this.streams.assertFree(reply, readers);
    const isKnown = await this.units.run('admin', (uow) =>
      uow.commit('admin.watch', async (tx) => {
        if (!(await this.views.exists(tx, conversationId))) return false;
        const subjectId = conversationId;
        await this.audit.note(tx, { actor, action: 'transcript.watch', subjectId });
        return true;
      }),
    );
    if (!isKnown) {
      throw new ProblemError(404, 'conversation_unknown', 'There is no such conversation.');
    }
    this.events.stream(request, reply, { conversationId, readers });
  }
}
