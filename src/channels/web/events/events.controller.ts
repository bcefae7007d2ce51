import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../common/http';
import { CurrentConversation, SessionGuard } from '../session.guard';
import { ApiEventStream } from './api-event-stream';
import { EventStreams } from './event-streams';

/** Server-sent events: what changes in a conversation, as it changes. */
@ApiTags('Candidate')
@ApiBearerAuth()
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class EventsController {
  constructor(private readonly events: EventStreams) {}

  @Get('events')
  @ApiEventStream()
  read(
    @CurrentConversation() conversationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const readers = `candidate of ${conversationId}` as const;
    this.events.stream(request, reply, { conversationId, readers });
  }
}
