import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ColloquyError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
import {
  ConversationReader,
  ConversationUnknownError,
  ConversationViews,
} from '../../../interview';
import { LiveReplies, ReplyMirrors } from '../../../streams';
import { OpenStreams, type StreamReaders } from '../sse/open-streams';
import { parseEventId } from '../sse/event-id';
import type { SseResponse } from '../sse/sse-response';
import { EventReader } from './event-reader';

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
