import type { CandidateHost, TestCandidate } from '../../support/candidate';
import { ADMIN_TOKEN } from '../../support/secrets';

const COMMENT = ': ok\n';

/** One frame of an event stream. */
export interface Frame {
  readonly id?: string;
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** A reader of an event stream by plain fetch: keeps every frame and comment. */
export class EventSourceReader {
  readonly frames: Frame[] = [];
  comments = 0;
  /** Why it ended: null while it is open, `ended` cleanly, `cut` in the middle. */
  end: 'ended' | 'cut' | null = null;
  private waiters: (() => void)[] = [];

  private constructor(
    readonly response: Response,
    private readonly stop: AbortController,
  ) {
    void this.read();
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventSourceReader> {
    const stop = new AbortController();
    const response = await fetch(url, { headers, signal: stop.signal });
    return new EventSourceReader(response, stop);
  }

  get names(): string[] {
    return this.frames.map(({ event }) => event);
  }

  /** The text of the reply as a reader of the contract puts it together. */
  get text(): string {
    let text = '';
    for (const { event, data } of this.frames) {
      if (event === 'start') text = '';
      if (event === 'delta') text = text.slice(0, Number(data.offset)) + String(data.text);
    }
    return text;
  }

  of(event: string): Frame[] {
    return this.frames.filter((frame) => frame.event === event);
  }

  /** Resolves when `isSo`; rejects when the stream ends first. */
  async until(isSo: (reader: this) => boolean): Promise<this> {
    while (!isSo(this)) {
      if (this.end !== null) throw new Error(`${this.end}: ${JSON.stringify(this.frames)}`);
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
    return this;
  }

  async ended(): Promise<'ended' | 'cut'> {
    for (;;) {
      if (this.end !== null) return this.end;
      await new Promise<void>((resolve) => this.waiters.push(resolve));
    }
  }

  close(): void {
    this.stop.abort();
  }

  private async read(): Promise<void> {
    let rest = '';
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        const text = decoder.decode(chunk as Uint8Array, { stream: true });
        rest += text;
        // A frame of many megabytes comes in many chunks: looked through once, at its end.
        if (!text.includes('\n')) continue;
        const pieces = rest.split(COMMENT);
        this.comments += pieces.length - 1;
        const parts = pieces.join('').split('\n\n');
        rest = parts.pop() ?? '';
        for (const part of parts) this.take(part);
        this.wake();
      }
      this.end = 'ended';
    } catch {
      this.end = 'cut';
    }
    this.wake();
  }

  private take(part: string): void {
    const fields = new Map(part.split('\n').map((line) => splitField(line)));
    const id = fields.get('id');
    this.frames.push({
      event: fields.get('event') ?? 'message',
      data: JSON.parse(fields.get('data') ?? 'null') as Frame['data'],
      ...(id === undefined ? {} : { id }),
    });
  }

  private wake(): void {
    for (const waiter of this.waiters.splice(0)) waiter();
  }
}

function splitField(line: string): [string, string] {
  const colon = line.indexOf(': ');
  return [line.slice(0, colon), line.slice(colon + 2)];
}

const openReaders: EventSourceReader[] = [];

/** A reader of the candidate's events that has got its first frame. */
export function readEvents(
  candidate: TestCandidate,
  lastEventId?: string,
): Promise<EventSourceReader> {
  const { app, token } = candidate;
  return openReader(`${app.url}/api/v1/conversation/events`, token, lastEventId);
}

/** The same with a query, and with headers of its own. */
export function openEvents(
  { app, token }: TestCandidate,
  query: string,
  more: Readonly<Record<string, string>> = {},
): Promise<EventSourceReader> {
  const url = `${app.url}/api/v1/conversation/events${query}`;
  return openWith(url, { authorization: `Bearer ${token}`, ...more });
}

/** The same for a recruiter who watches the conversation. */
export function watchEvents(
  { url }: CandidateHost,
  { conversationId }: Pick<TestCandidate, 'conversationId'>,
  lastEventId?: string,
): Promise<EventSourceReader> {
  const events = `${url}/api/v1/admin/conversations/${conversationId}/events`;
  return openReader(events, ADMIN_TOKEN, lastEventId);
}

/** Closes what `readEvents` and `watchEvents` opened; for the end of a test. */
export function closeReaders(): void {
  for (const reader of openReaders.splice(0)) reader.close();
}

function openReader(
  url: string,
  token: string,
  lastEventId: string | undefined,
): Promise<EventSourceReader> {
  return openWith(url, {
    authorization: `Bearer ${token}`,
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  });
}

async function openWith(url: string, headers: Record<string, string>): Promise<EventSourceReader> {
  const reader = await EventSourceReader.open(url, headers);
  openReaders.push(reader);
  return reader.until(({ frames }) => frames.length > 0);
}
