import { Injectable } from '@nestjs/common';
import { DomainEventHandler, type PayloadOf } from '../common/events';
import { GrowingText } from '../common/text';
import type { Tx } from '../common/uow';
import type { Claim, JobFlow } from '../jobs';

/**
 * The replies that are being written, at most one for each conversation, and their readers, who are
 * woken at each change. A reply is written here or mirrored from another replica; readers see no
 * difference. A wake-up carries no content: a reader reads the live text or the rows, so a lost or
 * repeated wake-up changes nothing.
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

  /** Wakes the readers of the conversation, here and elsewhere, once the change is stored. */
  @DomainEventHandler('conversation.changed')
  onConversationChanged(tx: Tx, { conversationId }: PayloadOf<'conversation.changed'>): void {
    tx.afterCommit(() => {
      this.changed(conversationId);
    }, `conversation.changed:${conversationId}`);
  }

  /** Rows of the conversation were committed: wakes its readers here and on other replicas. */
  changed(conversationId: string): void {
    for (const observer of this.observers) observer.onRowsChanged(conversationId);
    this.wake(conversationId, 'rows');
  }

  /** The same for a commit of another replica: wakes only the readers here. */
  changedElsewhere(conversationId: string): void {
    this.wake(conversationId, 'rows');
  }

  observe(observer: ReplyObserver): void {
    this.observers.push(observer);
  }

  /** Breaks off an earlier epoch of the conversation that has not ended. */
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

/** How a reply ended: with a message of the transcript, or without one. */
type ReplyEnd = StoredReply | 'empty' | 'broken';

/** A piece of the text, with its offset. */
interface Piece {
  readonly at: number;
  readonly text: string;
}

/** How many pieces are kept: one or two seconds of a fast model. */
const RECENT = 32;

/**
 * A reply in memory while it is generated, here or on another replica.
 *
 *   streaming ──close(stored)──> stored  (only after its commit: readers may finish)
 *   streaming ──close(null)────> empty   (stopped before its first word; nothing is stored)
 *   streaming ──breakOff()─────> broken  (this epoch ends without a stored text; another may follow)
 *
 * Readers keep a reference and an offset of their own and read `text` from there on. So a slow
 * reader needs no queue and delays no other reader.
 */
export class LiveReply {
  private readonly whole = new GrowingText();
  /** The last pieces. Reading them avoids a copy of the whole text for each reader and piece. */
  private readonly recent: Piece[] = [];
  private readonly ownParts: ReplyPart[] = [];
  private ending: ReplyEnd | null = null;

  constructor(
    readonly origin: LiveReplyOrigin,
    private readonly onChange: (reply: LiveReply) => void,
    /** Another replica writes it, so parts of it may not have arrived here yet. */
    readonly isMirrored = false,
  ) {}

  /** The text so far, in whole code points. */
  get text(): string {
    return this.whole.toString();
  }

  /** UTF-16 units of the text. */
  get length(): number {
    return this.whole.length;
  }

  /** The text from `offset` on; cheap when the offset is near the end. */
  textFrom(offset: number): string {
    if (offset >= this.whole.length) return '';
    const last = this.recent.at(-1);
    if (last?.at === offset) return last.text;
    const first = this.recent[0];
    if (first === undefined || offset < first.at) return this.text.slice(offset);
    const from = this.recent.findLastIndex(({ at }) => at <= offset);
    const news = this.recent
      .slice(from)
      .map(({ at, text }) => text.slice(Math.max(0, offset - at)));
    return news.join('');
  }

  /** What belongs to it apart from its text, in order; it only grows. */
  get parts(): readonly ReplyPart[] {
    return this.ownParts;
  }

  /** Null while it streams. */
  get end(): ReplyEnd | null {
    return this.ending;
  }

  append(delta: string): void {
    if (this.ending !== null || delta === '') return;
    this.recent.push({ at: this.whole.length, text: delta });
    if (this.recent.length > RECENT) this.recent.shift();
    this.whole.append(delta);
    this.onChange(this);
  }

  addParts(...parts: readonly ReplyPart[]): void {
    if (this.ending !== null || parts.length === 0) return;
    this.ownParts.push(...parts);
    this.onChange(this);
  }

  close(stored: StoredReply | null): void {
    this.finish(stored ?? 'empty');
  }

  breakOff(): void {
    this.finish('broken');
  }

  private finish(end: ReplyEnd): void {
    if (this.ending !== null) return;
    this.ending = end;
    this.onChange(this);
  }
}

/**
 * A part of a reply apart from its text: which agent speaks, a tool call, the call's result, and which
 * part of the text is a question of the plan. Plain data in the order in which it happened, as clients
 * get it.
 */
export type ReplyPart =
  | { readonly type: 'agent'; readonly agent: string }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | { readonly type: 'result'; readonly callId: string; readonly output: unknown }
  | ({ readonly type: 'question'; readonly text: string } & QuestionMark);

/** A text ends with this question of the plan, from `start` (UTF-16 units) on. */
export interface QuestionMark {
  readonly id: string;
  readonly start: number;
}

/** The conversation, turn and epoch that a live reply belongs to. */
export interface LiveReplyOrigin {
  readonly conversationId: string;
  readonly turnId: string;
  /** The answers to which this is the reply; usually one. */
  readonly answerIds: readonly string[];
  readonly messageId: string;
  /** The number of the attempt; each attempt starts the text again. */
  readonly epoch: number;
}

/** The message of the transcript as which a reply was stored. */
export interface StoredReply {
  readonly seq: number;
  readonly createdAt: Date;
  readonly isPartial: boolean;
  /** Null: it asks no question of the plan. */
  readonly question: QuestionMark | null;
}

export type StreamListener = (signal: StreamSignal) => void;

/** `text`: a reply in memory grew or ended. `rows`: something was committed; read it again. */
export type StreamSignal = 'text' | 'rows';

/** Is notified of replies that this process writes and of commits that it makes. */
export interface ReplyObserver {
  onBegun(reply: LiveReply, claim: ReplyClaim): void;
  /** The reply grew or ended. */
  onChanged(reply: LiveReply): void;
  onRowsChanged(conversationId: string): void;
}

/** The claim under which a reply is written here. */
export interface ReplyClaim extends Pick<Claim, 'jobId' | 'claimNo'> {
  readonly flow: Pick<JobFlow, 'holdsLease'>;
}

/** The part that marks the question in a text; none for a text without one. */
export function questionPart(text: string, question: QuestionMark | null): ReplyPart[] {
  return question === null
    ? []
    : [{ type: 'question', ...question, text: text.slice(question.start) }];
}

/**
 * The parts of a reply that `agent` begins (null: unknown). The same agent twice in a row is one
 * part.
 */
export function partsOf(agent: string | null, events: readonly ReplyPart[]): ReplyPart[] {
  const first: ReplyPart[] = agent === null ? [] : [{ type: 'agent', agent }];
  const parts: ReplyPart[] = [];
  let speaking: string | null = null;
  for (const part of [...first, ...events]) {
    if (part.type === 'agent' && part.agent === speaking) continue;
    if (part.type === 'agent') speaking = part.agent;
    parts.push(part);
  }
  return parts;
}
