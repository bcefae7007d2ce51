import { Injectable, Logger } from '@nestjs/common';
import { ColloquyError } from '../../../common/errors';
import { UnitOfWorkFactory } from '../../../common/uow';
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

/** How soon a newer request at another replica is noticed when nothing is heard of it. */
const LOOK_AGAIN_MS = 1000;
const UNANSWERED = 'A person will look at your answer.';

/** Streams the one reply to an answer to one request, from memory or from its stored text. */
@Injectable()
export class ReplyStreamer {
  private readonly logger = new Logger('Chat');

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly standings: AnswerStatusReader,
    private readonly views: ConversationViews,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
  ) {}

  /**
   * Holds the response until the reply begins, then streams it to its end. A reply that breaks off
   * destroys the socket: ended without `finish`, half of it would count as whole.
   */
  async stream(response: SseResponse, answer: AwaitedReply, hold?: PendingRequest): Promise<void> {
    const unwatch = this.live.watch(answer.conversationId, (signal) => {
      response.bell.ring(signal);
    });
    try {
      await this.holdAndStream(response, answer, hold);
    } catch (error) {
      response.destroy();
      this.logger.error('a reply was not streamed', error instanceof Error ? error.stack : '');
    } finally {
      unwatch();
      hold?.release();
    }
  }

  private async holdAndStream(
    response: SseResponse,
    answer: AwaitedReply,
    hold?: PendingRequest,
  ): Promise<void> {
    response.bell.lookAgainMs = LOOK_AGAIN_MS;
    for (let mustRead = true; !response.isClosed;) {
      const reply = this.live.current(answer.conversationId);
      if (reply?.origin.bufferIds.includes(answer.bufferId) === true) {
        hold?.release();
        if (await this.follow(response, reply)) return;
      }
      if (hold?.isSuperseded === true) {
        finish(response, superseded());
        return;
      }
      if (mustRead && this.sendStanding(response, await this.standing(answer))) return;
      // Perhaps another replica writes it.
      if (mustRead && reply === undefined) void this.mirrors.follow(answer.conversationId);
      mustRead = (await response.bell.wait()).rows;
    }
  }

  private sendStanding(response: SseResponse, standing: AnswerStatus): boolean {
    switch (standing.kind) {
      case 'pending':
        return false;
      case 'said': {
        const { messageId, text, parts, isPartial } = standing;
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
        finish(response, failed(UNANSWERED));
        return true;
    }
  }

  /** False when the reply broke off before anything of it was shown: hold on. */
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
      await response.bell.wait();
    }
    return true;
  }

  /** A database that is away for a moment says nothing about the answer: it counts as pending. */
  private async standing(answer: AwaitedReply): Promise<AnswerStatus> {
    try {
      const standing = await this.standings.find(answer);
      return standing.kind === 'givenUp' ? await this.noticeOf(answer) : standing;
    } catch (error) {
      if (error instanceof ColloquyError && error.retryable) return { kind: 'pending' };
      throw error;
    }
  }

  /** No reply comes any more: the notice that the candidate got stands for it. */
  private async noticeOf({ conversationId }: AwaitedReply): Promise<AnswerStatus> {
    const { isKnown, notice } = await this.units.run('chat', (uow) =>
      uow.commit('chat.notice', async (tx) => ({
        isKnown: await this.views.exists(tx, conversationId),
        notice: await this.views.lastNotice(tx, conversationId),
      })),
    );
    // Erased: no person will look at it either.
    if (!isKnown) return { kind: 'stopped' };
    if (notice === undefined) return { kind: 'givenUp' };
    const { id: messageId, text } = notice;
    return { kind: 'said', messageId, text, parts: [], isPartial: true };
  }
}

function finish(response: SseResponse, frames: string): void {
  response.write(frames);
  response.end();
}
