import type { Tx, UnitOfWorkFactory } from '../../../common/uow';
import {
  type ConversationReader,
  type ConversationSnapshot,
  ConversationUnknownError,
  type ConversationViews,
  type MessageRow,
} from '../../../interview';
import type { LiveReplies, LiveReply, ReplyMirrors, StoredReply } from '../../../streams';
import {
  type EventId,
  type ReplyPlace,
  deltaFrame,
  finishFrame,
  helloFrame,
  messageFrame,
  partFrame,
  startFrame,
  stateFrame,
} from './event-frames';
import type { SseResponse } from './sse-response';

/** How soon rows are read again while something must come and nothing is heard of it. */
const LOOK_AGAIN_MS = 2000;

interface Dependencies {
  readonly units: UnitOfWorkFactory;
  readonly views: ConversationViews;
  readonly looks: ConversationReader;
  readonly live: LiveReplies;
  readonly mirrors: ReplyMirrors;
}

/** The reply in memory that a reader is inside of. */
interface Following {
  readonly reply: LiveReply;
  offset: number;
  /** How many of its parts were sent. */
  parts: number;
  /** Its `start` was sent. */
  isStarted: boolean;
}

/**
 * One reader of `/events`. It watches first and reads then, so nothing falls between; a wake-up
 * says only that there is something to read. Its looks are shared with other readers, and it holds
 * no unit of work while it waits.
 */
export class EventReader {
  /** Whose the conversation was at the start: a reader does not go on into another's. */
  private candidateId = '';
  private lastSeq = 0;
  /** Everything was sent that there was, and the reader waits for its bell. */
  private isResting = false;
  private lastState = '';
  private following: Following | null = null;
  /** The stored line of the followed reply, read before its end was announced. */
  private withheld: MessageRow | null = null;
  /** A reply that broke off: its next epoch is owed to this reader, or its stored line. */
  private unendedId: string | null = null;
  /** Replies that were told to their end and whose lines are still to be read: not sent again. */
  private readonly toldIds = new Set<string>();

  constructor(
    private readonly response: SseResponse,
    private readonly conversationId: string,
    private readonly deps: Dependencies,
  ) {}

  /** Runs until the connection is gone. `from`: where a reader that comes back was. */
  async run(from: { readonly id: EventId | undefined } | null): Promise<void> {
    const { bell } = this.response;
    const unwatch = this.deps.live.watch(this.conversationId, (signal) => {
      // Most wakes of a busy process: not worth a turn of the loop.
      if (signal === 'text' && this.isResting && !this.response.isStalled) this.sendText();
      else bell.ring(signal);
    });
    try {
      await this.hello();
      if (from !== null) await this.resume(from.id);
      while (!this.response.isClosed) {
        this.sendText();
        await this.response.drained();
        this.isResting = true;
        const rang = await bell.wait();
        this.isResting = false;
        this.sendText();
        if (rang.rows) await this.sendRows();
      }
    } finally {
      unwatch();
    }
  }

  private async hello(): Promise<void> {
    const { moment, candidateId } = await this.deps.looks.look(this.conversationId, null);
    this.candidateId = candidateId;
    this.lastSeq = moment.lastSeq;
    this.note(moment);
    this.response.write(helloFrame(this.conversationId, moment));
    // Whoever comes back into a reply of another replica must find it.
    if (moment.replying) await this.follow();
  }

  /**
   * Puts a reader that was cut off back where it was: inside the running reply, or inside a stored
   * one and then through everything after it. An id that says nothing: the last reply's start.
   */
  private async resume(from: EventId | undefined): Promise<void> {
    const reply = this.deps.live.current(this.conversationId);
    if (reply !== undefined && from?.turnId === reply.origin.turnId) {
      // What another replica writes may not be known here that far yet.
      const isReached = from.offset <= reply.length || reply.isMirrored;
      if (from.epoch === reply.origin.epoch && isReached) {
        this.following = { ...followed(reply), offset: from.offset, isStarted: from.offset > 0 };
      }
      return;
    }
    const found = await this.deps.units.run('events', (uow) =>
      uow.commit('events.resume', (tx) => this.findStored(tx, from?.turnId)),
    );
    if (found === undefined) return;
    const { line, place } = found;
    const isSameTurn = from?.turnId === place.turnId;
    if (!isSameTurn && reply !== undefined) return;
    const isInside = isSameTurn && from.epoch === place.epoch && from.offset <= line.text.length;
    const offset = isInside ? from.offset : 0;
    if (offset === 0) this.response.write(startFrame(place));
    this.response.write(deltaFrame(place, offset, line.text.slice(offset)));
    this.response.write(finishFrame(line.id, storedOf(line)));
    this.lastSeq = line.seq;
    this.response.bell.ring('rows');
  }

  private async findStored(
    tx: Tx,
    turnId: string | undefined,
  ): Promise<{ line: MessageRow; place: ReplyPlace } | undefined> {
    const { views } = this.deps;
    const turn = await views.turnForResume(tx, this.conversationId, turnId);
    const line = turn && (await views.findLine(tx, turn.replyMessageId));
    if (turn === undefined || line === undefined) return undefined;
    return { line, place: { messageId: line.id, turnId: turn.id, epoch: turn.epoch } };
  }

  private sendText(): void {
    const current = this.deps.live.current(this.conversationId);
    if (this.following === null && current !== undefined) this.following = followed(current);
    while (this.following !== null) {
      const { following } = this;
      const { reply } = following;
      const { end, origin, parts } = reply;
      for (const part of parts.slice(following.parts)) this.response.write(partFrame(origin, part));
      following.parts = parts.length;
      if (end !== null && following.offset > reply.length) tellAnew(following);
      if (reply.length > 0) this.start(following);
      const news = reply.textFrom(following.offset);
      this.response.write(deltaFrame(origin, following.offset, news));
      following.offset = Math.max(following.offset, reply.length);
      if (end === null) return;
      this.following = null;
      this.response.bell.lookAgainMs = LOOK_AGAIN_MS;
      if (end === 'broken') this.breakOff(following);
      else if (end !== 'empty') this.finish(following, end);
      const next = this.deps.live.current(this.conversationId);
      if (next !== undefined && next !== following.reply) this.following = followed(next);
    }
  }

  /** With the first word: a reply that is stopped before it was never there. */
  private start(following: Following): void {
    if (following.isStarted) return;
    following.isStarted = true;
    this.unendedId = null;
    this.response.write(startFrame(following.reply.origin));
  }

  private finish(following: Following, stored: StoredReply): void {
    this.start(following);
    const { messageId } = following.reply.origin;
    if (this.withheld === null) this.toldIds.add(messageId);
    this.withheld = null;
    this.response.write(finishFrame(messageId, stored));
  }

  /** Broken off for this process; it may be stored all the same, or be written again. */
  private breakOff({ reply, isStarted }: Following): void {
    if (this.withheld === null) this.unendedId = isStarted ? reply.origin.messageId : null;
    else this.response.write(messageFrame(this.withheld));
    this.withheld = null;
  }

  private async sendRows(): Promise<void> {
    let look;
    do {
      await this.response.drained();
      if (this.response.isClosed) return;
      look = await this.deps.looks.look(this.conversationId, this.lastSeq);
      if (look.candidateId !== this.candidateId) {
        throw new ConversationUnknownError('the conversation is another candidate’s now');
      }
      for (const line of look.news.lines) this.sendLine(line);
    } while (look.news.isMore);
    const { moment } = look;
    if (this.note(moment)) this.response.write(stateFrame(moment));
    if (moment.replying) void this.follow();
    // Nothing will end that text any more: the reader comes back and reads the conversation.
    if (this.unendedId !== null && !moment.replying) this.response.destroy();
  }

  private sendLine(line: MessageRow): void {
    this.lastSeq = Math.max(this.lastSeq, line.seq);
    if (this.toldIds.delete(line.id)) return;
    if (line.id === this.following?.reply.origin.messageId) {
      this.withheld = line;
      return;
    }
    if (line.id === this.unendedId) this.unendedId = null;
    this.response.write(messageFrame(line));
  }

  /** True when the state differs from what the reader was told. */
  private note(moment: ConversationSnapshot): boolean {
    const { lastSeq: _, ...state } = moment;
    const json = JSON.stringify(state);
    const isChanged = json !== this.lastState;
    this.lastState = json;
    // A reply that is followed tells its end itself.
    const { replying, hasBuffer, transcribing, filesArriving } = moment;
    const isWaitedFor = replying || hasBuffer || transcribing > 0 || filesArriving > 0;
    const isExpectant = isWaitedFor && this.following === null;
    this.response.bell.lookAgainMs = isExpectant ? LOOK_AGAIN_MS : null;
    return isChanged;
  }

  /** The reply that is being written, if another replica writes it. */
  private async follow(): Promise<void> {
    const { live, mirrors } = this.deps;
    if (live.current(this.conversationId) === undefined) await mirrors.follow(this.conversationId);
  }
}

function followed(reply: LiveReply): Following {
  return { reply, offset: 0, parts: 0, isStarted: false };
}

/** The reader was further than the reply has ever got. */
function tellAnew(following: Following): void {
  following.offset = 0;
  following.isStarted = false;
}

function storedOf(line: MessageRow): StoredReply {
  return { seq: line.seq, createdAt: line.receivedAt, isPartial: line.partial };
}
