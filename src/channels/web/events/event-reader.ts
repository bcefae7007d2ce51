import type { UnitsOfWork } from '../../../common/uow';
import type { ConversationMoment, ConversationViews } from '../../../interview';
import type { LiveReplies, LiveReply, StoredReply } from '../../../streams';
import { Bell, type EventId, type SseResponse, formatEventId } from '../sse';
import { messageJson } from './message-json';

interface Dependencies {
  readonly units: UnitsOfWork;
  readonly views: ConversationViews;
  readonly live: LiveReplies;
}

/**
 * One reader of `/events`. It watches first and reads then, so nothing falls between; a wake-up
 * says only that there is something to read. It opens a unit of work for each look and holds none
 * while it waits.
 */
export class EventReader {
  private readonly bell: Bell;
  private lastSeq = 0;
  private lastState = '';
  private following: { readonly reply: LiveReply; offset: number } | null = null;
  /** The reply that this reader saw to its end: its line is not sent again. */
  private finishedId: string | null = null;

  constructor(
    private readonly response: SseResponse,
    private readonly conversationId: string,
    private readonly deps: Dependencies,
  ) {
    this.bell = new Bell(response.closed);
  }

  async run(resumeFrom: EventId | undefined, isResuming: boolean): Promise<void> {
    const unwatch = this.deps.live.watch(this.conversationId, (signal) => {
      this.bell.ring(signal);
    });
    try {
      await this.hello();
      await this.resume(resumeFrom, isResuming);
      while (!this.response.closed.aborted) {
        this.sendText();
        await this.response.drained();
        const rang = await this.bell.wait();
        this.sendText();
        if (rang.rows) await this.sendRows();
      }
    } finally {
      unwatch();
    }
  }

  private async hello(): Promise<void> {
    const moment = await this.read((tx) => this.deps.views.moment(tx, this.conversationId));
    this.lastSeq = moment.lastSeq;
    this.lastState = stateJson(moment);
    this.send('hello', JSON.stringify({ lastSeq: moment.lastSeq, ...stateOf(moment) }));
  }

  /** Puts a reader that was cut off back where it was, or at the start of the last reply. */
  private async resume(from: EventId | undefined, isResuming: boolean): Promise<void> {
    const reply = this.deps.live.current(this.conversationId);
    if (reply !== undefined) {
      const { ordinal, epoch } = reply.origin;
      const isSame = from?.ordinal === ordinal && from.epoch === epoch;
      if (isSame && from.offset <= reply.text.length) {
        this.following = { reply, offset: from.offset };
      }
      return;
    }
    if (!isResuming) return;
    const found = await this.read(async (tx) => {
      const turn = await this.deps.views.turnForResume(tx, this.conversationId, from?.ordinal);
      if (turn?.replyText == null) return undefined;
      const line = await this.deps.views.findLine(tx, turn.replyMessageId);
      return line === undefined ? undefined : { turn, line };
    });
    if (found === undefined) return;
    const { turn, line } = found;
    const place = { ordinal: turn.interviewStep, epoch: turn.epoch };
    const isKnown = from?.ordinal === place.ordinal && from.epoch === place.epoch;
    const offset = isKnown && from.offset <= line.text.length ? from.offset : 0;
    if (offset === 0) this.sendStart(line.id, place);
    this.sendDelta(line.id, place, offset, line.text.slice(offset));
    this.sendFinish(line.id, {
      seq: line.seq,
      createdAt: line.receivedAt,
      isPartial: line.partial,
    });
  }

  private sendText(): void {
    const current = this.deps.live.current(this.conversationId);
    if (this.following === null && current !== undefined) this.follow(current);
    while (this.following !== null) {
      const { reply, offset } = this.following;
      const { text, end, origin } = reply;
      this.following.offset = text.length;
      this.sendDelta(origin.messageId, origin, offset, text.slice(offset));
      if (end === null) return;
      this.following = null;
      if (end !== 'broken') this.sendFinish(origin.messageId, end);
      const next = this.deps.live.current(this.conversationId);
      if (next !== undefined && next !== reply) this.follow(next);
    }
  }

  private follow(reply: LiveReply): void {
    this.following = { reply, offset: 0 };
    this.sendStart(reply.origin.messageId, reply.origin);
  }

  private async sendRows(): Promise<void> {
    const { views } = this.deps;
    const { lines, moment } = await this.read(async (tx) => ({
      lines: await views.linesAfter(tx, this.conversationId, this.lastSeq),
      moment: await views.moment(tx, this.conversationId),
    }));
    for (const line of lines) {
      this.lastSeq = Math.max(this.lastSeq, line.seq);
      const isShown = line.id === this.finishedId || line.id === this.followedId;
      if (!isShown) this.send('message', JSON.stringify(messageJson(line)));
    }
    const state = stateJson(moment);
    if (state !== this.lastState) this.send('state', state);
    this.lastState = state;
  }

  private get followedId(): string | undefined {
    return this.following?.reply.origin.messageId;
  }

  private read<T>(look: Parameters<typeof readOnce<T>>[1]): Promise<T> {
    return readOnce(this.deps.units, look);
  }

  private sendStart(messageId: string, at: { ordinal: number; epoch: number }): void {
    const id = formatEventId({ ordinal: at.ordinal, epoch: at.epoch, offset: 0 });
    const data = JSON.stringify({ messageId, turnSeq: at.ordinal, epoch: at.epoch });
    this.send('start', data, id);
  }

  private sendDelta(
    messageId: string,
    at: { ordinal: number; epoch: number },
    offset: number,
    text: string,
  ): void {
    if (text === '') return;
    const { ordinal, epoch } = at;
    const id = formatEventId({ ordinal, epoch, offset: offset + text.length });
    this.send('delta', JSON.stringify({ messageId, offset, text }), id);
  }

  private sendFinish(messageId: string, stored: StoredReply): void {
    this.finishedId = messageId;
    const { seq, createdAt, isPartial } = stored;
    const partial = isPartial ? { partial: true } : {};
    this.send('finish', JSON.stringify({ messageId, seq, createdAt, ...partial }));
  }

  private send(event: string, data: string, id?: string): void {
    const idLine = id === undefined ? '' : `id: ${id}\n`;
    this.response.write(`${idLine}event: ${event}\ndata: ${data}\n\n`);
  }
}

function readOnce<T>(
  units: UnitsOfWork,
  look: (tx: Parameters<ConversationViews['moment']>[0]) => Promise<T>,
): Promise<T> {
  return units.run('events', (uow) => uow.commit('events.read', look));
}

function stateOf({
  status,
  hasBuffer,
  dueAt,
  replying,
  interviewStep,
  progress,
}: ConversationMoment) {
  return { status, hasBuffer, dueAt, replying, interviewStep, progress };
}

function stateJson(moment: ConversationMoment): string {
  return JSON.stringify(stateOf(moment));
}
