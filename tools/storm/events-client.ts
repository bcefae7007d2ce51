import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

/** A line of the transcript, as the API gives it. */
export interface SeenLine {
  readonly id: string;
  readonly role: string;
  readonly text: string;
}

/** One reply as a reader of the stream has put it together. */
interface StreamedReply {
  text: string;
  isFinished: boolean;
}

/** When a reply was complete on the page, and since when the stream was open that brought it. */
export interface Arrival {
  readonly atMs: number;
  readonly openSinceMs: number;
}

/** The fields of all frames that are read. */
interface FrameData extends Partial<SeenLine> {
  readonly messageId?: string;
  readonly offset?: number;
  readonly lastSeq?: number;
}

const RECONNECT_MS = 200;

/**
 * A candidate's page: reads `/events`, reconnects with the last id after every break, and keeps what it
 * was shown.
 */
export class EventsClient {
  /** Replies that came as a stream, by the id of their message. */
  readonly replies = new Map<string, StreamedReply>();
  /** Every text with which a reply has ended, by the id of its message. */
  readonly ended = new Map<string, Set<string>>();
  /** Lines that came whole. */
  readonly lines = new Map<string, SeenLine>();
  /** By the id of the message. */
  readonly arrivals = new Map<string, Arrival>();
  /** Streams that the server ended cleanly in the middle of a reply: a page would take it for the end. */
  endedInside = 0;
  /**
   * The last message at the newest `hello` of a stream that was opened without an id: a page reads the
   * transcript up to it, and the stream owes only what comes after it. Null: there was no such stream.
   */
  readUpToSeq: number | null = null;
  connects = 0;
  private openSinceMs = 0;
  private lastId: string | null = null;
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly baseUrl: string,
    private readonly token: string,
  ) {
    // fetch removes its listener only when a stream that it has given up is collected.
    setMaxListeners(0, this.stopping.signal);
  }

  open(): void {
    this.running = this.run();
  }

  async close(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      const isClean = await this.read(signal).catch(() => false);
      if (isClean && [...this.replies.values()].some(({ isFinished }) => !isFinished)) {
        this.endedInside += 1;
      }
      await pause(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Reads one stream; true when it ended cleanly. */
  private async read(signal: AbortSignal): Promise<boolean> {
    const headers = {
      authorization: `Bearer ${this.token}`,
      ...(this.lastId === null ? {} : { 'last-event-id': this.lastId }),
    };
    const response = await fetch(`${this.baseUrl}/api/v1/conversation/events`, { headers, signal });
    if (!response.ok) {
      await response.arrayBuffer();
      return false;
    }
    this.connects += 1;
    this.openSinceMs = performance.now();
    const decoder = new TextDecoder();
    let rest = '';
    for await (const piece of response.body ?? []) {
      rest += decoder.decode(piece as Uint8Array, { stream: true });
      const frames = rest.split('\n\n');
      rest = frames.pop() ?? '';
      for (const frame of frames) this.take(frame);
    }
    return true;
  }

  private take(frame: string): void {
    const fields = new Map<string, string>();
    for (const line of frame.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    this.lastId = fields.get('id') ?? this.lastId;
    const data = JSON.parse(fields.get('data') ?? '{}') as FrameData;
    const id = data.messageId ?? '';
    switch (fields.get('event') ?? 'comment') {
      case 'hello':
        if (this.lastId === null) this.readUpToSeq = data.lastSeq ?? null;
        return;
      case 'start':
        this.replies.set(id, { text: '', isFinished: false });
        return;
      case 'delta': {
        const reply = this.replies.get(id) ?? { text: '', isFinished: false };
        reply.text = reply.text.slice(0, Number(data.offset)) + (data.text ?? '');
        this.replies.set(id, reply);
        return;
      }
      case 'finish': {
        const reply = this.replies.get(id);
        if (reply !== undefined) {
          reply.isFinished = true;
          this.ended.set(id, (this.ended.get(id) ?? new Set()).add(reply.text));
        }
        this.arrived(id);
        return;
      }
      case 'message': {
        const { id: lineId = '', role = '', text = '' } = data;
        const line: SeenLine = { id: lineId, role, text };
        this.lines.set(line.id, line);
        this.arrived(line.id);
        // The whole line replaces a reply that broke off.
        if (this.replies.get(line.id)?.isFinished === false) this.replies.delete(line.id);
      }
    }
  }

  private arrived(id: string): void {
    if (this.arrivals.has(id)) return;
    this.arrivals.set(id, { atMs: performance.now(), openSinceMs: this.openSinceMs });
  }
}
