import { Injectable, Logger } from '@nestjs/common';
import { ColloquyError } from '../../../common/errors';
import { type Tx, UnitsOfWork } from '../../../common/uow';
import { Answers, ConversationViews } from '../../../interview';
import { LiveReplies, type LiveReply, ReplyMirrors, type ReplyPart } from '../../../streams';
import type { MessageRow } from '../../../persistence';
import type { SseResponse } from '../sse';
import type { AwaitedAnswer } from './chat-intake';
import type { Hold } from './held-posts';
import { ReplyFrames, stopped, superseded, unanswered } from './ui-message-stream';

/** The answer whose reply is streamed; a resuming client is no chat request of its own. */
type Awaited = Pick<AwaitedAnswer, 'conversationId' | 'bufferId'> & Partial<AwaitedAnswer>;

/**
 * How an answer stands. `pending`: being collected or worked on. `said`: replied to, or what code
 * said instead. `stopped`: by the candidate, before the first word. `silent`: given up.
 * `superseded`: a newer request of the same chat, on whatever replica, waits for the reply.
 */
type Standing =
  | { readonly kind: 'pending' | 'stopped' | 'silent' | 'superseded' }
  | {
      readonly kind: 'said';
      readonly messageId: string;
      readonly text: string;
      readonly parts: readonly ReplyPart[];
      readonly isPartial: boolean;
    };

/** How soon a newer request at another replica is noticed when nothing is heard of it. */
const LOOK_AGAIN_MS = 1000;
const UNANSWERED = 'A person will look at your answer.';

/** Streams the one reply to an answer to one request, from memory or from its stored text. */
@Injectable()
export class ReplyStreamer {
  private readonly logger = new Logger('Chat');

  constructor(
    private readonly units: UnitsOfWork,
    private readonly answers: Answers,
    private readonly views: ConversationViews,
    private readonly live: LiveReplies,
    private readonly mirrors: ReplyMirrors,
  ) {}

  /**
   * Holds the response until the reply begins, then streams it to its end. A reply that breaks off
   * destroys the socket: ended without `finish`, half of it would count as whole.
   */
  async stream(response: SseResponse, answer: Awaited, hold?: Hold): Promise<void> {
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

  private async holdAndStream(response: SseResponse, answer: Awaited, hold?: Hold): Promise<void> {
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

  private sendStanding(response: SseResponse, standing: Standing): boolean {
    switch (standing.kind) {
      case 'pending':
        return false;
      case 'said': {
        const frames = new ReplyFrames(standing.messageId);
        finish(response, frames.grow(standing) + frames.end(standing.isPartial));
        return true;
      }
      case 'stopped':
        finish(response, stopped());
        return true;
      case 'superseded':
        finish(response, superseded());
        return true;
      case 'silent':
        finish(response, unanswered(UNANSWERED));
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

  private async isSuperseded(tx: Tx, answer: Awaited): Promise<boolean> {
    const { conversationId, bufferId, chatId, requestId } = answer;
    if (chatId === undefined) return false;
    const newest = await this.answers.newestRequest(tx, { conversationId, bufferId, chatId });
    return newest !== requestId;
  }

  /** A database that is away for a moment says nothing about the answer: it counts as pending. */
  private async standing(answer: Awaited): Promise<Standing> {
    try {
      return await this.units.run('chat', (uow) =>
        uow.commit('chat.standing', async (tx): Promise<Standing> => {
          const turn = await this.answers.turnOf(tx, answer.bufferId);
          if (turn !== undefined && turn.replyText !== null) {
            const line = await this.views.findLine(tx, turn.replyMessageId);
            if (line === undefined) return { kind: 'stopped' };
            const parts = await this.answers.partsOf(tx, turn);
            return saidBy(line, parts, line.partial);
          }
          if (await this.isSuperseded(tx, answer)) return { kind: 'superseded' };
          if (await this.answers.isLive(tx, answer.bufferId)) return { kind: 'pending' };
          // No reply comes any more: the notice that the candidate got stands for it.
          const notice = await this.views.lastNotice(tx, answer.conversationId);
          if (notice === undefined) return { kind: 'silent' };
          return saidBy(notice, [], true);
        }),
      );
    } catch (error) {
      if (error instanceof ColloquyError && error.retryable) return { kind: 'pending' };
      throw error;
    }
  }
}

function saidBy(
  { id: messageId, text }: MessageRow,
  parts: readonly ReplyPart[],
  isPartial: boolean,
): Standing {
  return { kind: 'said', messageId, text, parts, isPartial };
}

function finish(response: SseResponse, frames: string): void {
  response.write(frames);
  response.end();
}
