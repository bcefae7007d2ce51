import { ConversationUnknownError } from '../../../buffer';
import type { Label, Semaphore, Tx, UnitOfWork } from '../../../common/uow';
import type {
  ConversationReader,
  ConversationReading,
  ConversationSnapshot,
  MessageRow,
} from '../../../interview';
import type {
  LiveReplies,
  LiveReply,
  ReplyMirrors,
  ReplyPart,
  StoredReply,
  TypingSigns,
} from '../../../streams';
import {
  type EventId,
  type ReplyPlace,
  deltaFrame,
  endedFrame,
  finishFrame,
  helloFrame,
  messageFrame,
  partFrame,
  startFrame,
  stateFrame,
  typingFrame,
} from './event-frames';
import type { SseResponse } from './sse-response';

/** How soon rows are read again while a change is expected and no signal of it comes. */
const REREAD_AFTER_MS = 2000;

/** Whose events are read, and where a reader that comes back was. */
export interface EventsRequest {
  readonly conversationId: string;
  /** Null: the reader is new. `id` undefined: its id says nothing. */
  readonly resumeFrom: { readonly id: EventId | undefined } | null;
  /** Notes the reader's session as seen; false when it has ended. Undefined: there is no session. */
  readonly noteSession?: ((tx: Tx) => Promise<boolean>) | undefined;
}

/** A candidate reads by a session, and need not be told that they type themselves. */
function isOfCandidate({ noteSession }: EventsRequest): boolean {
  return noteSession !== undefined;
}

interface Dependencies {
  /** The stream's own unit of work. */
  readonly uow: UnitOfWork;
  /** Bounds how many streams of the process use a connection for their own reads. */
  readonly ownReads: Semaphore;
  readonly conversations: ConversationReader;
  readonly live: LiveReplies;
  readonly mirrors: ReplyMirrors;
  readonly typing: TypingSigns;
}

/** The reply in memory that a reader is following. */
interface Following {
  readonly reply: LiveReply;
  offset: number;
  /** How many of its parts were sent. */
  parts: number;
  /** Its `start` was sent. */
  isStarted: boolean;
}

/**
 * One reader of `/events`. It registers for signals before it reads, so it misses nothing in
 * between; a signal says only that there is something to read.
 *
 * Its first read, its resume and its catching up are commits of the stream's unit, one after the
 * other; between them the unit holds no connection. Reads after a signal are shared with the other
 * readers of the process (see EventStreams.run).
 */
export class EventReader {
  /** Whose the conversation was at the start. The reader stops when it becomes another candidate's. */
  private candidateId = '';
  private lastSeq = 0;
  /** Everything there was has been sent, and the reader waits for a signal. */
  private isWaiting = false;
  private lastState = '';
  private following: Following | null = null;
  /** The stored line of the followed reply, which was read before the reply ended. */
  private heldBackLine: MessageRow | null = null;
  /** A reply that broke off after its `start`: the reader still needs its next epoch or its line. */
  private unfinishedId: string | null = null;
  /** Replies whose `finish` was sent and whose lines are still to be read: not sent again. */
  private readonly finishedIds = new Set<string>();
  /** The newest reply whose line was sent whole: an attempt at it that still runs is not sent. */
  private wholeId: string | null = null;

  constructor(
    private readonly response: SseResponse,
    private readonly request: EventsRequest,
    private readonly deps: Dependencies,
  ) {}

  /** Runs until the connection is closed. */
  async run(): Promise<void> {
    const { wakeSignal } = this.response;
    const unwatch = this.deps.live.watch(this.request.conversationId, (signal) => {
      // Most signals of a busy process are text: sent at once, without a turn of the event loop.
      if (signal === 'text' && this.isWaiting && !this.response.isStalled) this.sendText();
      else wakeSignal.wake(signal);
    });
    let unwatchTyping = (): void => undefined;
    try {
      await this.open();
      unwatchTyping = this.deps.typing.watch(this.request.conversationId, (from) => {
        const isShown = from === 'team' || !isOfCandidate(this.request);
        if (isShown && !this.response.isStalled) this.response.write(typingFrame(from));
      });
      if (this.request.resumeFrom !== null) await this.resume(this.request.resumeFrom.id);
      while (!this.response.isClosed) {
        this.sendText();
        await this.response.drained();
        this.isWaiting = true;
        const reasons = await wakeSignal.wait();
        this.isWaiting = false;
        this.sendText();
        if (reasons.rows) await this.sendRows();
      }
    } finally {
      unwatch();
      unwatchTyping();
    }
  }

  /** A commit of the stream's own unit. */
  private commit<T>(label: Label, work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.deps.ownReads.within(() => this.deps.uow.commit(label, work));
  }

  private async open(): Promise<void> {
    const { conversationId, noteSession } = this.request;
    const opened = await this.commit('events.open', async (tx) => {
      // First, because it may lock the session's row.
      if (noteSession !== undefined && !(await noteSession(tx))) return null;
      return this.deps.conversations.read(tx, conversationId, null);
    });
    if (opened === null) {
      this.response.write(endedFrame('session_ended'));
      this.response.end();
      return;
    }
    const { snapshot, candidateId } = opened;
    this.candidateId = candidateId;
    this.lastSeq = snapshot.lastSeq;
    this.rememberState(snapshot);
    this.response.write(helloFrame(conversationId, snapshot));
    // The resume that may follow needs a reply that another replica writes.
    if (snapshot.replying) await this.followMirror();
  }

  /**
   * Puts a reader that was cut off back where it was: inside the running reply, or inside a stored
   * one; and sends every message after the last one that was sent before the cut. With an id that
   * says nothing: to the start of the last reply.
   */
  private async resume(from: EventId | undefined): Promise<void> {
    if (this.response.isClosed) return;
    const newestSeq = this.lastSeq;
    const reply = this.deps.live.current(this.request.conversationId);
    if (reply !== undefined && from?.turnId === reply.origin.turnId) {
      this.lastSeq = Math.min(newestSeq, from.lastSeq);
      this.resumeRunning(reply, from);
    } else {
      await this.resumeStored(from, reply !== undefined);
    }
    // Before the messages, so that the line of a reply that runs now is recognised as its own.
    this.sendText();
    if (this.lastSeq < newestSeq) await this.catchUp();
  }

  private resumeRunning(reply: LiveReply, { epoch, offset }: EventId): void {
    // A mirrored reply may not have reached the reader's offset in this process yet.
    const isReached = offset <= reply.length || reply.isMirrored;
    if (epoch !== reply.origin.epoch || !isReached) return;
    this.following = { ...followed(reply), offset, isStarted: offset > 0 };
  }

  private async resumeStored(from: EventId | undefined, isReplyRunning: boolean): Promise<void> {
    const newestSeq = this.lastSeq;
    const found = await this.commit('events.resume', (tx) => this.findStored(tx, from?.turnId));
    this.lastSeq = Math.min(newestSeq, from?.lastSeq ?? newestSeq);
    if (found === undefined) return;
    const { line, place } = found;
    const isSameTurn = from?.turnId === place.turnId;
    if (!isSameTurn && isReplyRunning) return;
    this.lastSeq = Math.min(newestSeq, from?.lastSeq ?? line.seq);
    if (line.seq > this.lastSeq) this.finishedIds.add(line.id);
    const isInside = isSameTurn && from.epoch === place.epoch && from.offset <= line.text.length;
    const offset = isInside ? from.offset : 0;
    if (offset === 0) this.response.write(startFrame(place, this.lastSeq));
    this.response.write(deltaFrame(place, offset, line.text.slice(offset), this.lastSeq));
    this.response.write(finishFrame(line.id, storedOf(line)));
  }

  private async findStored(
    tx: Tx,
    turnId: string | undefined,
  ): Promise<{ line: MessageRow; place: ReplyPlace } | undefined> {
    const { conversations } = this.deps;
    const found = await conversations.findReply(tx, this.request.conversationId, turnId);
    if (found === undefined) return undefined;
    const { turn, line } = found;
    return { line, place: { messageId: line.id, turnId: turn.id, epoch: turn.epoch } };
  }

  private sendText(): void {
    if (this.following === null) this.followCurrent();
    while (this.following !== null && !this.response.isClosed) {
      const { following } = this;
      const { reply } = following;
      const { end, origin } = reply;
      const parts = sendableParts(reply);
      if (end !== null && following.offset > reply.length) sendAgain(following);
      for (const part of parts.slice(following.parts)) {
        if (part.type === 'question') this.start(following);
        this.response.write(partFrame(origin, part));
      }
      following.parts = parts.length;
      if (reply.length > 0) this.start(following);
      const news = reply.textFrom(following.offset);
      this.response.write(deltaFrame(origin, following.offset, news, this.sentSeq));
      following.offset = Math.max(following.offset, reply.length);
      if (end === null) return;
      this.following = null;
      this.response.wakeSignal.rereadAfterMs = REREAD_AFTER_MS;
      if (end === 'broken' || end === 'empty') this.breakOff(following);
      else this.finish(following, end);
      this.followCurrent(reply);
    }
  }

  /** `ended`: the reply that was followed until now. */
  private followCurrent(ended?: LiveReply): void {
    const current = this.deps.live.current(this.request.conversationId);
    if (current === undefined || current === ended) return;
    if (current.origin.messageId !== this.wholeId) this.following = followed(current);
  }

  /** Sent with the first word: of a reply that is stopped before its first word nothing is shown. */
  private start(following: Following): void {
    if (following.isStarted) return;
    const { origin } = following.reply;
    if (this.unfinishedId !== null && this.unfinishedId !== origin.messageId) {
      // Ids are of the newest reply, so only a reader that comes back now gets the rest of the other one.
      this.response.destroy();
      return;
    }
    following.isStarted = true;
    this.unfinishedId = null;
    this.response.write(startFrame(origin, this.sentSeq));
  }

  /** The last message up to which the reader has all: a line that is held back was not sent. */
  private get sentSeq(): number {
    return Math.min(this.lastSeq, (this.heldBackLine?.seq ?? Infinity) - 1);
  }

  private finish(following: Following, stored: StoredReply): void {
    this.start(following);
    const { messageId } = following.reply.origin;
    if (this.heldBackLine === null) this.finishedIds.add(messageId);
    this.heldBackLine = null;
    this.response.write(finishFrame(messageId, stored));
  }

  /**
   * The reply broke off in this process; it may be stored all the same, or be written again. One that is
   * dropped, because a person has taken over or another claim has the answer, ends like this too.
   */
  private breakOff({ reply, isStarted }: Following): void {
    const line = this.heldBackLine;
    this.heldBackLine = null;
    if (line === null) {
      if (isStarted) this.unfinishedId = reply.origin.messageId;
      return;
    }
    this.sendWhole(line);
  }

  private sendWhole(line: MessageRow): void {
    if (line.id === this.unfinishedId) this.unfinishedId = null;
    if (line.role === 'assistant') this.wholeId = line.id;
    this.response.write(messageFrame(line));
  }

  /** After a signal: the first page in the shared read, what does not fit by the stream's unit. */
  private async sendRows(): Promise<void> {
    await this.response.drained();
    if (this.response.isClosed) return;
    const { conversationId } = this.request;
    const reading = await this.deps.conversations.readShared(conversationId, this.lastSeq);
    this.sendReading(reading);
    if (reading.news.isMore) await this.catchUp();
  }

  /** Sends everything after `lastSeq`, page by page, as fast as the client reads. */
  private async catchUp(): Promise<void> {
    let isMore = true;
    while (isMore) {
      await this.response.drained();
      if (this.response.isClosed) return;
      const reading = await this.commit('events.catch_up', (tx) =>
        this.deps.conversations.read(tx, this.request.conversationId, this.lastSeq),
      );
      this.sendReading(reading);
      ({ isMore } = reading.news);
    }
  }

  private sendReading({ candidateId, snapshot, news }: ConversationReading): void {
    if (candidateId !== this.candidateId) {
      throw new ConversationUnknownError('the conversation belongs to another candidate now');
    }
    for (const line of news.lines) this.sendLine(line);
    // The state comes after the last line that it counts.
    if (news.isMore) return;
    if (this.rememberState(snapshot)) this.response.write(stateFrame(snapshot));
    if (snapshot.replying) void this.followMirror();
    // Nothing will end that text any more: the client reconnects and reads the conversation. The next epoch
    // ends it while it is followed, also when its rows are read before its text.
    const isFollowed = this.following?.reply.origin.messageId === this.unfinishedId;
    if (this.unfinishedId !== null && !isFollowed && !snapshot.replying) this.response.destroy();
  }

  private sendLine(line: MessageRow): void {
    this.lastSeq = Math.max(this.lastSeq, line.seq);
    if (this.finishedIds.delete(line.id)) return;
    if (line.id === this.following?.reply.origin.messageId) {
      this.heldBackLine = line;
      return;
    }
    this.sendWhole(line);
  }

  /** True when the state differs from the one that was sent last. */
  private rememberState(snapshot: ConversationSnapshot): boolean {
    const { lastSeq: _, dueInMs: __, ...state } = snapshot;
    const json = JSON.stringify(state);
    const isChanged = json !== this.lastState;
    this.lastState = json;
    const { replying, hasBuffer, transcribing, filesArriving } = snapshot;
    const isChangeExpected = replying || hasBuffer || transcribing > 0 || filesArriving > 0;
    // A reply that is followed signals its own end.
    const mustReread = isChangeExpected && this.following === null;
    this.response.wakeSignal.rereadAfterMs = mustReread ? REREAD_AFTER_MS : null;
    return isChanged;
  }

  /** Follows the running reply, if another replica writes it. */
  private async followMirror(): Promise<void> {
    const { live, mirrors } = this.deps;
    const { conversationId } = this.request;
    if (live.current(conversationId) === undefined) await mirrors.follow(conversationId);
  }
}

function followed(reply: LiveReply): Following {
  return { reply, offset: 0, parts: 0, isStarted: false };
}

/** The mark of a question belongs to the text, so it is sent after the reply's `start`. */
function sendableParts({ length, parts }: LiveReply): readonly ReplyPart[] {
  return length > 0 ? parts : parts.filter(({ type }) => type !== 'question');
}

/** The reader's offset is past the reply's end, so the whole reply is sent again. */
function sendAgain(following: Following): void {
  following.offset = 0;
  following.isStarted = false;
}

function storedOf(line: MessageRow): StoredReply {
  const { seq, receivedAt: createdAt, partial: isPartial, question } = line;
  return { seq, createdAt, isPartial, question };
}
