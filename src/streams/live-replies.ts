import { Injectable } from '@nestjs/common';
import { LiveReply, type LiveReplyOrigin } from './live-reply';

/** `text`: a reply in memory grew or ended. `rows`: something was committed; read it again. */
export type StreamSignal = 'text' | 'rows';
export type StreamListener = (signal: StreamSignal) => void;

/**
 * The replies that this process is generating, and the bell that wakes their readers. A wake-up
 * carries no content: whoever is woken reads the live text or the rows, so a lost or doubled
 * wake-up changes nothing.
 */
@Injectable()
export class LiveReplies {
  private readonly replies = new Map<string, LiveReply>();
  private readonly listeners = new Map<string, Set<StreamListener>>();

  /** Starts an epoch; an unfinished earlier one of the conversation is broken off. */
  begin(origin: LiveReplyOrigin): LiveReply {
    const { conversationId } = origin;
    this.replies.get(conversationId)?.breakOff();
    const reply = new LiveReply(origin, () => {
      if (reply.end !== null && this.replies.get(conversationId) === reply) {
        this.replies.delete(conversationId);
      }
      this.wake(conversationId, 'text');
    });
    this.replies.set(conversationId, reply);
    this.wake(conversationId, 'text');
    return reply;
  }

  /** The reply being generated now, if there is one. A reader keeps the reference it got. */
  current(conversationId: string): LiveReply | undefined {
    return this.replies.get(conversationId);
  }

  /** Calls `listener` at every change until the returned function is called. */
  watch(conversationId: string, listener: StreamListener): () => void {
    const listeners = this.listeners.get(conversationId) ?? new Set();
    this.listeners.set(conversationId, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.listeners.get(conversationId) === listeners) {
        this.listeners.delete(conversationId);
      }
    };
  }

  /** Tells the readers of a conversation that rows of it were committed. */
  committed(conversationId: string): void {
    this.wake(conversationId, 'rows');
  }

  private wake(conversationId: string, signal: StreamSignal): void {
    for (const listener of this.listeners.get(conversationId) ?? []) listener(signal);
  }
}
