import { Controller, Get, Param, Req, Res, UseGuards, applyDecorators } from '@nestjs/common';
import {
  ApiBearerAuth,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiTags,
} from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems, ProblemError, SESSION_SECURITY } from '../../../common/http';
import { RequestUnit, UnitOfWork } from '../../../common/uow';
import { ConversationViews } from '../../../interview';
import { CurrentPrincipal, type Principal, RequireScope } from '../../../access';
import { AuditRepository } from '../../../privacy';
import { EndedAccess } from '../ended-access';
import { EndedSessions } from '../ended-sessions';
import { CurrentConversation, CurrentSession, SessionGuard } from '../session-access';
import { endedFrame } from './event-frames';
import { OpenStreams, type StreamReaders } from './sse-response';
import { EventStreams } from './event-streams';

/** Server-sent events: what changes in a conversation, as it changes. */
@ApiTags('Candidate')
@ApiBearerAuth(SESSION_SECURITY)
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class EventsController {
  constructor(
    private readonly events: EventStreams,
    private readonly ended: EndedSessions,
  ) {}

  @Get('events')
  @ApiOperation({ summary: 'Everything that happens in the interview, as server-sent events' })
  @ApiEventStream()
  read(
    @CurrentConversation() conversationId: string,
    @CurrentSession() sessionToken: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const readers = `candidate of ${conversationId}` as const;
    const of = { conversationId, readers, sessionToken };
    const response = this.events.stream(request, reply, of);
    this.ended.endWithSession(response, { sessionToken, lastFrames: endedFrame('session_ended') });
  }
}

/** Documents an endpoint that responds with a conversation's events. */
export function ApiEventStream(): MethodDecorator {
  return applyDecorators(
    ApiHeader({
      name: 'last-event-id',
      required: false,
      description: 'The id of the last event that the client has got: the stream goes on after it',
    }),
    ApiQuery({
      name: 'lastEventId',
      required: false,
      schema: { type: 'string' },
      description: 'The same, for clients that cannot send the header; the header goes before it',
    }),
    ApiOkResponse({
      description:
        'Events: hello, message, state, part, start, delta, finish, typing; `ended` is the last one when the ' +
        'session or the key has ended, the rights of the user have changed, or the interview was erased, after which the stream closes for good',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
  );
}

/** A recruiter watches an interview live: sees all that its candidate sees, and writes nothing. */
@ApiTags('Admin')
@ApiProblems()
@RequireScope('interviews:read')
@Controller('api/v1/admin/conversations')
export class WatchController {
  constructor(
    private readonly views: ConversationViews,
    private readonly streams: OpenStreams,
    private readonly events: EventStreams,
    private readonly audit: AuditRepository,
    private readonly endedAccess: EndedAccess,
  ) {}

  @Get(':id/events')
  @ApiOperation({ summary: 'Watch an interview: the same events as its candidate reads' })
  @ApiEventStream()
  async watch(
    @Param('id') id: string,
    @CurrentPrincipal() principal: Principal,
    @RequestUnit() uow: UnitOfWork,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    // Ids are lower case; in upper case it would name the same rows, but no live reply.
    const conversationId = id.toLowerCase();
    const readers: StreamReaders = `watchers of ${conversationId}`;
    const { actor, vacancyIds } = principal;
    this.streams.assertFree(reply, readers);
    const isKnown = await uow.commit('admin.watch', async (tx) => {
      if (!(await this.views.isInterview(tx, conversationId, vacancyIds))) return false;
      const subjectId = conversationId;
      await this.audit.note(tx, { actor, action: 'transcript.watch', subjectId });
      return true;
    });
    if (!isKnown) {
      throw new ProblemError(404, 'conversation_unknown', 'There is no such conversation.');
    }
    const response = this.events.stream(request, reply, { conversationId, readers });
    this.endedAccess.endWith(response, principal);
  }
}
