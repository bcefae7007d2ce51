import { Injectable } from '@nestjs/common';
import { OnEvent, type PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import type { Claim, JobFlow } from '../jobs';

/**
 * What belongs to a reply beside its text, in the order in which it happened: who speaks, a tool
 * that is called, and what it gave. Plain data, as clients get it.
 */
export type ReplyPart =
  | { readonly type: 'agent'; readonly agent: string }
  | {
      readonly type: 'call';
      readonly callId: string;
      readonly tool: string;
      readonly input: unknown;
    }
  | { readonly type: 'result'; readonly callId: string; readonly output: unknown };

/** The parts of a reply that `agent` begins (null: unknown); an agent who goes on is told once. */
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

/** As SQL, the events of a turn as clients get them; `turnId` names its id in the statement. */
export function eventsOfTurn(turnId: string): string {
  return `coalesce((
    select json_agg(e.event - 'passages' order by e.seq)
    from message e where e.turn_id = ${turnId} and e.role = 'event'), '[]')`;
}

/** Who and what a reply that is being generated belongs to. */
export interface LiveReplyOrigin {
  readonly conversationId: string;
  readonly turnId: string;
  /** The answers that this reply is to: usually one. */
  readonly bufferIds: readonly string[];
  readonly messageId: string;
  /** One generation of the reply's text; a new attempt starts the text again. */
  readonly epoch: number;
}

/** How a reply ended: its line of the transcript, or without one. */
type ReplyEnd = StoredReply | 'empty' | 'broken';

/** A piece of the text, as it was appended. */
interface Piece {
  readonly at: number;
  readonly text: string;
}

/** A second or two of a fast model. */
const RECENT = 32;

/** How a reply was stored: the line of the transcript it became. */
export interface StoredReply {
  readonly seq: number;
  readonly createdAt: Date;
  readonly isPartial: boolean;
}

/**
 * A reply in memory while it is generated, here or on another replica.
 *
 *   streaming ──close()──> stored   (only after its commit: readers may now end well)
 *   streaming ──close(null)──> empty  (stopped before its first word: over, and nothing stored)
 *   streaming ──breakOff()──> broken  (this epoch ends without a stored text; another may follow)
 *
 * Readers keep a reference and a cursor of their own and read `text` beyond it, so a slow reader
 * costs no queue and holds up nobody.
 */
export class LiveReply {
  private current = '';
  /** The end of the text in its pieces: reading news from `current` would copy all of it each time. */
  private readonly recent: Piece[] = [];
  private readonly told: ReplyPart[] = [];
  private ending: ReplyEnd | null = null;

  constructor(
    readonly origin: LiveReplyOrigin,
    private readonly onChange: (reply: LiveReply) => void,
    /** Another replica writes it: what it has said there may not be known here yet. */
    readonly isMirrored = false,
  ) {}

  /** All that was generated so far, in whole code points. */
  get text(): string {
    return this.current;
  }

  /** UTF-16 units of the text. */
  get length(): number {
    return this.current.length;
  }

  /** The text from there on; costs next to nothing for whoever has kept up. */
  textFrom(offset: number): string {
    if (offset >= this.current.length) return '';
    const last = this.recent.at(-1);
    if (last?.at === offset) return last.text;
    const first = this.recent[0];
    if (first === undefined || offset < first.at) return this.current.slice(offset);
    const from = this.recent.findLastIndex(({ at }) => at <= offset);
    const news = this.recent
      .slice(from)
      .map(({ at, text }) => text.slice(Math.max(0, offset - at)));
    return news.join('');
  }

  /** What belongs to it beside its text, in its order; only ever grows. */
  get parts(): readonly ReplyPart[] {
    return this.told;
  }

  /** Null while it streams. */
  get end(): ReplyEnd | null {
    return this.ending;
  }

  append(delta: string): void {
    if (this.ending !== null || delta === '') return;
    this.recent.push({ at: this.current.length, text: delta });
    if (this.recent.length > RECENT) this.recent.shift();
    this.current += delta;
    this.onChange(this);
  }

  tell(...parts: readonly ReplyPart[]): void {
    if (this.ending !== null || parts.length === 0) return;
    this.told.push(...parts);
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

/** `text`: a reply in memory grew or ended. `rows`: something was committed; read it again. */
export type StreamSignal = 'text' | 'rows';
export type StreamListener = (signal: StreamSignal) => void;

/** The claim under which a reply is written here. */
export interface ReplyClaim extends Pick<Claim, 'jobId' | 'claimNo'> {
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

  /** Wakes the readers of the conversation, here and elsewhere, once the change is stored. */
  @OnEvent('conversation.changed')
  onConversationChanged(tx: Tx, { conversationId }: PayloadOf<'conversation.changed'>): void {
    tx.afterCommit(() => {
      this.committed(conversationId);
    }, `conversation.changed:${conversationId}`);
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
