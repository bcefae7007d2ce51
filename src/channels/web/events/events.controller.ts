import { Controller, Get, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../common/http';
import { EndedSessions } from '../ended-sessions';
import { CurrentConversation, CurrentSession, SessionGuard } from '../session.guard';
import { ApiEventStream } from './api-event-stream';
import { endedFrame } from './event-frames';
import { EventStreams } from './event-streams';

/** Server-sent events: what changes in a conversation, as it changes. */
@ApiTags('Candidate')
@ApiBearerAuth()
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class EventsController {
  constructor(
    private readonly events: EventStreams,
    private readonly ended: EndedSessions,
  ) {}

  @Get('events')
  @ApiEventStream()
  read(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const readers = `candidate of ${conversationId}` as const;
    const response = this.events.stream(request, reply, { conversationId, readers });
    this.ended.endWithSession(response, { sessionToken, lastFrames: endedFrame() });
  }
}
