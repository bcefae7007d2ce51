import { Injectable, Logger } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { WebSessionRepository } from '../../../candidates';
import { Settings } from '../../../common/config';
import { ColloquyError } from '../../../common/errors';
import { Semaphore, UnitOfWorkFactory, closeRequestUnit } from '../../../common/uow';
import { ConversationUnknownError } from '../../../buffer';
import { ConversationReader } from '../../../interview';
import { LiveReplies, ReplyMirrors, TypingSigns } from '../../../streams';
import { endedFrame, parseEventId } from './event-frames';
import { EventReader, type EventsRequest } from './event-reader';
import { OpenStreams, type StreamReaders, type SseResponse } from './sse-response';

/** Responds to a request with a conversation's events: the same frames for every kind of reader. */
@Injectable()
export class EventStreams {
  private readonly logger = new Logger('Events');
  /**
   * At most as many streams of the process read for themselves at a time as the pool has connections.
   * When a replica stops, thousands of its readers reconnect at once, and another request then waits
   * behind a few of them in the pool's queue, not behind all. Fewer would starve the readers: while
   * hundreds of jobs were waiting for the pool, eighty readers, two at a time, took 23 s.
   */
  private readonly ownReads: Semaphore;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly conversations: ConversationReader,
    private readonly sessions: WebSessionRepository,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
    private readonly typing: TypingSigns,
    private readonly streams: OpenStreams,
    { database }: Settings,
  ) {
    this.ownReads = new Semaphore(database.poolSize);
  }

  /** `sessionToken`: the session that reads, if there is one. It is noted as seen. */
  stream(
    request: FastifyRequest,
    reply: FastifyReply,
    of: {
      readonly conversationId: string;
      readonly readers: StreamReaders;
      readonly sessionToken?: string;
    },
  ): SseResponse {
    const { conversationId, readers, sessionToken } = of;
    const lastId = lastIdOf(request);
    const response = this.streams.open(reply, readers);
    // The stream has a unit of its own.
    closeRequestUnit(request);
    const events: EventsRequest = {
      conversationId,
      resumeFrom: lastId === undefined ? null : { id: parseEventId(lastId) },
      noteSession:
        sessionToken === undefined
          ? undefined
          : async (tx) => (await this.sessions.use(tx, sessionToken)) !== null,
    };
    // Not awaited, so that the request and all that the framework holds for it can be freed.
    void this.run(response, events);
    return response;
  }

  /** Produces the stream: opens its unit of work, and closes it when the connection is closed. */
  private async run(response: SseResponse, events: EventsRequest): Promise<void> {
    // One unit for the life of the stream: its first read, its resume and its catching up are
    // commits of this unit. Only reads after a signal are shared (`readShared`), because one signal
    // wakes hundreds of readers at once: together they take a few commits on 2 connections instead
    // of hundreds of commits that would empty the pool for all other requests.
    const uow = this.units.open('stream.events');
    const { ownReads, conversations, live, mirrors, typing } = this;
    const deps = { uow, ownReads, conversations, live, mirrors, typing };
    try {
      await new EventReader(response, events, deps).run();
    } catch (error) {
      this.endAfter(error, response, events);
    } finally {
      uow.close();
    }
  }

  private endAfter(
    error: unknown,
    response: SseResponse,
    { conversationId, noteSession }: EventsRequest,
  ): void {
    // Erased, or given to another candidate: either has ended the sessions.
    if (error instanceof ConversationUnknownError) {
      response.write(endedFrame(noteSession === undefined ? 'erased' : 'session_ended'));
      response.end();
      return;
    }
    // Cut off and not ended, so that the client reconnects and gets the rest.
    response.destroy();
    if (error instanceof ColloquyError && error.retryable) return;
    this.logger.error(
      `could not stream events to conversation ${conversationId}; the connection was closed, and the ` +
        'client reconnects',
      error,
    );
  }
}

/**
 * The id of the last event that the client has got; undefined: it has got none. Clients that replace a
 * dead EventSource by a new one cannot set its header, and send the id in the query.
 */
export function lastIdOf({ headers, query }: FastifyRequest): string | undefined {
  const inHeader = headers['last-event-id'];
  if (typeof inHeader === 'string' && inHeader !== '') return inHeader;
  const { lastEventId } = query as Readonly<Record<string, string | string[] | undefined>>;
  const inQuery = Array.isArray(lastEventId) ? lastEventId.join() : lastEventId;
  return inQuery === '' ? undefined : inQuery;
}
