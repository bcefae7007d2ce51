import { Injectable } from '@nestjs/common';
import type { Claim, JobFlow } from '../jobs';
import { LiveReply, type LiveReplyOrigin } from './live-reply';

/** `text`: a reply in memory grew or ended. `rows`: something was committed; read it again. */
export type StreamSignal = 'text' | 'rows';
export type StreamListener = (signal: StreamSignal) => void;

/** The claim under which a reply is written here. */
export interface ReplyClaim extends Pick<Claim, 'taskId' | 'claimNo'> {
  readonly flow: Pick<JobFlow, 'holdsLease'>;
}

/** Told of what other replicas must learn: replies written here, and commits made here. */
export interface ReplyObserver {
  onBegun(reply: LiveReply, claim: ReplyClaim): void;
  /** Also when it ended. */
  onChanged(reply: LiveReply): void;
  onCommitted(conversationId: string): void;
}

/**
 * The replies that are being written, each at most once per conversation, and the bell that wakes
 * their readers. Written here, or mirrored from another replica: readers do not see a difference.
 * A wake-up carries no content: whoever is woken reads the live text or the rows, so a lost or
 * doubled wake-up changes nothing.
 */
@Injectable()
export class LiveReplies {
  private readonly replies = new Map<string, LiveReply>();
  private readonly listeners = new Map<string, Set<StreamListener>>();
  private readonly observers: ReplyObserver[] = [];

  /** Starts an epoch of a reply that this process writes. */
  begin(origin: LiveReplyOrigin, claim: ReplyClaim): LiveReply {
    const reply = this.put(origin, () => {
      for (const observer of this.observers) observer.onChanged(reply);
    });
    for (const observer of this.observers) observer.onBegun(reply, claim);
    return reply;
  }

  /** Starts an epoch that another replica writes. */
  mirror(origin: LiveReplyOrigin): LiveReply {
    return this.put(origin, () => undefined, true);
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

  /** The conversations that have a reader here. */
  watched(): Iterable<string> {
    return this.listeners.keys();
  }

  isWatched(conversationId: string): boolean {
    return this.listeners.has(conversationId);
  }

  /** Tells the readers of a conversation, here and elsewhere, that rows of it were committed. */
  committed(conversationId: string): void {
    for (const observer of this.observers) observer.onCommitted(conversationId);
    this.wake(conversationId, 'rows');
  }

  /** The same for a commit of another replica: told to nobody else. */
  committedElsewhere(conversationId: string): void {
    this.wake(conversationId, 'rows');
  }

  observe(observer: ReplyObserver): void {
    this.observers.push(observer);
  }

  /** An unfinished earlier epoch of the conversation is broken off. */
  private put(origin: LiveReplyOrigin, onChange: () => void, isMirrored = false): LiveReply {
    const { conversationId } = origin;
    this.replies.get(conversationId)?.breakOff();
    const changed = (): void => {
      if (reply.end !== null && this.replies.get(conversationId) === reply) {
        this.replies.delete(conversationId);
      }
      onChange();
      this.wake(conversationId, 'text');
    };
    const reply = new LiveReply(origin, changed, isMirrored);
    this.replies.set(conversationId, reply);
    this.wake(conversationId, 'text');
    return reply;
  }

  private wake(conversationId: string, signal: StreamSignal): void {
    for (const listener of this.listeners.get(conversationId) ?? []) listener(signal);
  }
}
