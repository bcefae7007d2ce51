import { Controller, Get, Logger, Req, Res, UseGuards } from '@nestjs/common';
import { ApiBearerAuth, ApiHeader, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiProblems } from '../../../common/http';
import { ColloquyError } from '../../../common/errors';
import { UnitsOfWork } from '../../../common/uow';
import { ConversationViews } from '../../../interview';
import { LiveReplies, ReplyMirrors } from '../../../streams';
import { CurrentConversation, SessionGuard } from '../session.guard';
import { OpenStreams, parseEventId, type SseResponse } from '../sse';
import { EventReader } from './event-reader';

/** Server-sent events: what changes in a conversation, as it changes. */
@ApiTags('Candidate')
@ApiBearerAuth()
@ApiProblems()
@UseGuards(SessionGuard)
@Controller('api/v1/conversation')
export class EventsController {
  private readonly logger = new Logger('Events');

  constructor(
    private readonly units: UnitsOfWork,
    private readonly views: ConversationViews,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
    private readonly streams: OpenStreams,
  ) {}

  @Get('events')
  @ApiHeader({ name: 'last-event-id', required: false })
  @ApiOkResponse({
    description: 'Events: hello, message, state, start, delta, finish',
    content: { 'text/event-stream': { schema: { type: 'string' } } },
  })
  events(
    @CurrentConversation() conversationId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): void {
    const lastId = request.headers['last-event-id'];
    const response = this.streams.open(reply, conversationId);
    const isResuming = typeof lastId === 'string' && lastId !== '';
    // Not awaited: the request and all that the framework holds for it are free to go.
    void this.read(response, conversationId, isResuming ? { id: parseEventId(lastId) } : null);
  }

  private async read(
    response: SseResponse,
    conversationId: string,
    from: Parameters<EventReader['run']>[0],
  ): Promise<void> {
    const { units, views, live, mirrors } = this;
    try {
      await new EventReader(response, conversationId, { units, views, live, mirrors }).run(from);
    } catch (error) {
      // Cut, never ended: the reader comes back and is told again.
      response.destroy();
      if (error instanceof ColloquyError && error.retryable) return;
      this.logger.error('a reader of events failed', error instanceof Error ? error.stack : '');
    }
  }
}
