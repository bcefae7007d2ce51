import { Injectable, Logger } from '@nestjs/common';
import { ColloquyError } from '../../../common/errors';
import { type UnitOfWork, UnitOfWorkClosedError } from '../../../common/uow';
import {
  type AnswerStatus,
  AnswerStatusReader,
  ConversationViews,
  type AwaitedReply,
} from '../../../interview';
import { LiveReplies, type LiveReply, ReplyMirrors } from '../../../streams';
import type { SseResponse } from '../events/sse-response';
import type { PendingRequest } from './chat-intake';
import { ReplyFrames, failed, stopped, superseded, whole } from './ui-message-stream';

/** How soon the status is read again, so that a newer request at another replica is noticed. */
const REREAD_AFTER_MS = 1000;
const NO_REPLY = 'A person will look at your answer.';

interface Request {
  readonly answer: AwaitedReply;
  /** Undefined for a request that resumes: it supersedes no other. */
  readonly pending?: PendingRequest;
}

/** Streams the one reply to an answer to one request, from memory or from its stored text. */
@Injectable()
export class ReplyStreamer {
  private readonly logger = new Logger('Chat');

  constructor(
    private readonly statuses: AnswerStatusReader,
    private readonly views: ConversationViews,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
  ) {}

  /**
   * Holds the response until the reply begins, then streams it to its end. A reply that breaks off
   * destroys the socket: after a clean end the client would take half of it as complete. `uow`: the
   * request's unit; it closes with the response.
   */
  async stream(uow: UnitOfWork, response: SseResponse, request: Request): Promise<void> {
    const unwatch = this.live.watch(request.answer.conversationId, (signal) => {
      response.wakeSignal.wake(signal);
    });
    try {
      await this.holdAndStream(uow, response, request);
    } catch (error) {
      // The client left between two commits.
      if (response.isClosed && error instanceof UnitOfWorkClosedError) return;
      response.destroy();
      this.logger.error(
        `could not stream a reply to conversation ${request.answer.conversationId}; the connection was ` +
          'closed, and the client can reconnect',
        error,
      );
    } finally {
      unwatch();
      request.pending?.release();
    }
  }

  private async holdAndStream(
    uow: UnitOfWork,
    response: SseResponse,
    { answer, pending }: Request,
  ): Promise<void> {
    const { wakeSignal } = response;
    wakeSignal.rereadAfterMs = REREAD_AFTER_MS;
    // The first read is a commit of the request's unit. The later ones follow a signal, which wakes
    // many requests at once: they share a commit.
    let read = (): Promise<AnswerStatus> =>
      uow.commitOne('chat.status', (tx) => this.statuses.read(tx, answer));
    for (let mustRead = true; !response.isClosed;) {
      const reply = this.live.current(answer.conversationId);
      if (reply?.origin.answerIds.includes(answer.answerId) === true) {
        pending?.release();
        if (await this.follow(response, reply)) return;
      }
      if (pending?.isSuperseded === true) {
        finish(response, superseded());
        return;
      }
      if (mustRead && this.sendStatus(response, await this.statusOf(uow, answer, read))) return;
      read = () => this.statuses.readShared(answer);
      // Perhaps another replica writes it.
      if (mustRead && reply === undefined) void this.mirrors.follow(answer.conversationId);
      mustRead = (await wakeSignal.wait()).rows;
    }
  }

  /** True when the response has ended: the status is final. */
  private sendStatus(response: SseResponse, status: AnswerStatus): boolean {
    switch (status.kind) {
      case 'pending':
        return false;
      case 'replied': {
        const { messageId, text, parts, isPartial } = status;
        const frames = new ReplyFrames(messageId);
        finish(response, frames.grow(whole(text, parts)) + frames.end(isPartial));
        return true;
      }
      case 'stopped':
        finish(response, stopped());
        return true;
      case 'superseded':
        finish(response, superseded());
        return true;
      case 'givenUp':
        finish(response, failed(NO_REPLY));
        return true;
    }
  }

  /** False when the reply broke off before anything of it was sent: the request goes on waiting. */
  private async follow(response: SseResponse, reply: LiveReply): Promise<boolean> {
    const frames = new ReplyFrames(reply.origin.messageId);
    while (!response.isClosed) {
      const { end } = reply;
      if (end === 'empty') {
        finish(response, stopped());
        return true;
      }
      if (end === 'broken' && !frames.hasBegun) return false;
      response.write(frames.grow(reply));
      if (end === 'broken') {
        response.destroy();
        return true;
      }
      if (end !== null) {
        finish(response, frames.end(end.isPartial));
        return true;
      }
      await response.drained();
      await response.wakeSignal.wait();
    }
    return true;
  }

  /** While the database cannot be reached the status is unknown: the answer counts as pending. */
  private async statusOf(
    uow: UnitOfWork,
    answer: AwaitedReply,
    read: () => Promise<AnswerStatus>,
  ): Promise<AnswerStatus> {
    try {
      const status = await read();
      return status.kind === 'givenUp' ? await this.noticeOf(uow, answer) : status;
    } catch (error) {
      if (error instanceof ColloquyError && error.retryable) return { kind: 'pending' };
      throw error;
    }
  }

  /** No reply will come: the candidate gets the notice that was sent instead of it. */
  private async noticeOf(uow: UnitOfWork, { conversationId }: AwaitedReply): Promise<AnswerStatus> {
    const { isKnown, notice } = await uow.commit('chat.notice', async (tx) => ({
      isKnown: await this.views.exists(tx, conversationId),
      notice: await this.views.lastNotice(tx, conversationId),
    }));
    // Erased: no person will look at it either.
    if (!isKnown) return { kind: 'stopped' };
    if (notice === undefined) return { kind: 'givenUp' };
    const { id: messageId, text } = notice;
    return { kind: 'replied', messageId, text, parts: [], isPartial: true };
  }
}

function finish(response: SseResponse, frames: string): void {
  response.write(frames);
  response.end();
}
