import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock';
import { UnitsOfWork } from '../../../common/uow';
import { Answers } from '../../../interview';
import { LiveReplies, type LiveReply } from '../../../streams';
import { Bell, type SseResponse } from '../sse';
import { replyDelta, replyFinish, replyStart, superseded, unanswered } from './ui-message-stream';

/** How an answer stands: being collected or worked on, replied to, or with a person. */
type Standing =
  | { readonly kind: 'pending' }
  | { readonly kind: 'stored'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'with-person' };

/** Rows are read again after this long even if no wake-up came. */
const LOOK_AGAIN_MS = 2000;
const UNANSWERED = 'A person will look at your answer.';

/** Streams the one reply to an answer to one request, from memory or from its stored text. */
@Injectable()
export class ReplyStreamer {
  constructor(
    private readonly units: UnitsOfWork,
    private readonly answers: Answers,
    private readonly live: LiveReplies,
    private readonly clock: Clock,
  ) {}

  /**
   * Holds the response until the reply to `bufferId` begins, then streams it to its end. A reply
   * that breaks off destroys the socket: ended without `finish`, half of it would count as whole.
   */
  async stream(
    response: SseResponse,
    answer: { readonly conversationId: string; readonly bufferId: string },
    isSuperseded?: AbortSignal,
  ): Promise<void> {
    const bell = new Bell(response.closed);
    const ring = (): void => {
      bell.ring('text');
    };
    isSuperseded?.addEventListener('abort', ring, { once: true });
    const unwatch = this.live.watch(answer.conversationId, (signal) => {
      bell.ring(signal);
    });
    try {
      await this.holdAndStream(response, answer, bell, isSuperseded);
    } finally {
      unwatch();
      isSuperseded?.removeEventListener('abort', ring);
    }
  }

  private async holdAndStream(
    response: SseResponse,
    answer: { readonly conversationId: string; readonly bufferId: string },
    bell: Bell,
    isSuperseded?: AbortSignal,
  ): Promise<void> {
    for (let mustRead = true; !response.closed.aborted;) {
      const reply = this.live.current(answer.conversationId);
      if (reply?.origin.bufferIds.includes(answer.bufferId) === true) {
        await this.follow(response, reply, bell);
        return;
      }
      if (isSuperseded?.aborted === true) {
        finish(response, superseded());
        return;
      }
      if (mustRead && this.sendStanding(response, await this.standing(answer))) return;
      mustRead = await this.waitForNews(bell);
    }
  }

  /** True when rows may have changed. */
  private async waitForNews(bell: Bell): Promise<boolean> {
    const patience = new AbortController();
    void this.clock.sleep(LOOK_AGAIN_MS, patience.signal).then(() => {
      bell.ring('rows');
    });
    const rang = await bell.wait();
    patience.abort();
    return rang.rows;
  }

  private sendStanding(response: SseResponse, standing: Standing): boolean {
    switch (standing.kind) {
      case 'pending':
        return false;
      case 'stored':
        finish(
          response,
          replyStart(standing.messageId) + replyDelta(standing.text) + replyFinish(),
        );
        return true;
      case 'with-person':
        finish(response, unanswered(UNANSWERED));
        return true;
    }
  }

  private async follow(response: SseResponse, reply: LiveReply, bell: Bell): Promise<void> {
    response.write(replyStart(reply.origin.messageId));
    for (let offset = 0; !response.closed.aborted;) {
      const { text, end } = reply;
      response.write(replyDelta(text.slice(offset)));
      offset = text.length;
      if (end === 'broken') {
        response.destroy();
        return;
      }
      if (end !== null) {
        finish(response, replyFinish());
        return;
      }
      await response.drained();
      await bell.wait();
    }
  }

  private standing(answer: { conversationId: string; bufferId: string }): Promise<Standing> {
    return this.units.run('chat', (uow) =>
      uow.commit('chat.standing', async (tx): Promise<Standing> => {
        const turn = await this.answers.turnOf(tx, answer.bufferId);
        if (turn !== undefined && turn.replyText !== null) {
          return { kind: 'stored', messageId: turn.replyMessageId, text: turn.replyText };
        }
        const isLive = await this.answers.isLive(tx, answer.bufferId);
        return { kind: isLive ? 'pending' : 'with-person' };
      }),
    );
  }
}

function finish(response: SseResponse, frames: string): void {
  response.write(frames);
  response.end();
}
