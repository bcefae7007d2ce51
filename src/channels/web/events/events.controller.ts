import {
  Injectable,
  Logger,
  applyDecorators,
  Controller,
  Get,
  Req,
  Res,
  UseGuards,
  Param,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ColloquyError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import {
  ConversationReader,
  ConversationUnknownError,
  ConversationViews,
} from '../../../interview';
import { LiveReplies, ReplyMirrors } from '../../../streams';
import { OpenStreams, type StreamReaders } from './open-streams';
import { parseEventId, endedFrame } from './event-frames';
import type { SseResponse } from './sse-response';
import { EventReader } from './event-reader';
import { ApiHeader, ApiOkResponse, ApiBearerAuth, ApiTags, ApiOperation } from '@nestjs/swagger';
import { ApiProblems, AdminName, AdminTokenGuard, ProblemError } from '../../../common/http';
import { EndedSessions } from '../ended-sessions';
import { CurrentConversation, CurrentSession, SessionGuard } from '../session-access';
import { AuditRepository } from '../../../privacy';

/** Answers a request with a conversation's events: the same frames, whoever reads them. */
@Injectable()
export class EventStreams {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly views: ConversationViews,
    private readonly looks: ConversationReader,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
    private readonly streams: OpenStreams,
  ) {}

  stream(
    request: FastifyRequest,
    reply: FastifyReply,
    of: { readonly conversationId: string; readonly readers: StreamReaders },
  ): SseResponse {
    const lastId = request.headers['last-event-id'];
    const response = this.streams.open(reply, of.readers);
    const isResuming = typeof lastId === 'string' && lastId !== '';
    // Not awaited: the request and all that the framework holds for it are free to go.
    void this.read(response, of.conversationId, isResuming ? { id: parseEventId(lastId) } : null);
    return response;
  }

  private async read(
    response: SseResponse,
    conversationId: string,
    from: Parameters<EventReader['run']>[0],
  ): Promise<void> {
    const { units, views, looks, live, mirrors } = this;
    try {
      const deps = { units, views, looks, live, mirrors };
      await new EventReader(response, conversationId, deps).run(from);
    } catch (error) {
      // Erased: nothing follows, and whoever asks again is told so.
      if (error instanceof ConversationUnknownError) {
        response.end();
        return;
      }
      // Cut, never ended: the reader comes back and is told again.
      response.destroy();
      if (error instanceof ColloquyError && error.retryable) return;
      this.logger.error('a reader of events failed', error instanceof Error ? error.stack : '');
    }
  }
}

/** Documents an endpoint that answers with a conversation's events. */
export function ApiEventStream(): MethodDecorator {
  return applyDecorators(
    ApiHeader({ name: 'last-event-id', required: false }),
    ApiOkResponse({
      description:
        'Events: hello, message, state, part, start, delta, finish; for a candidate `ended` as the ' +
        'last one when their session has ended, after which the stream closes for good',
      content: { 'text/event-stream': { schema: { type: 'string' } } },
    }),
  );
}

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
