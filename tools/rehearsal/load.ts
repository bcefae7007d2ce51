import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { TelegramServer } from '../fake-telegram';
import type { TelegramUser } from '../fake-telegram/people/telegram-user';

const ANSWERS = 4;
const LOOK_EVERY_MS = 50;
const LONGEST_WAIT_MS = 90_000;
const AGREE = "I agree, let's start";

/** What became of the requests of all candidates. */
export interface Tally {
  requests: number;
  /** Requests without a 2xx response, as `status method path`. */
  readonly failed: string[];
  /** Event streams that their replica cut, which the candidates opened again. */
  reopened: number;
  /** The text of every message that was sent, each with a token of its own. */
  readonly sent: string[];
  /** Replies that were complete for a web candidate, by the id of their message. */
  readonly read: Map<string, string>;
  answered: number;
}

/** A load that has not begun. */
export function newLoad(): { readonly tally: Tally; readonly stop: AbortController } {
  const tally = { requests: 0, failed: [], reopened: 0, sent: [], read: new Map(), answered: 0 };
  return { tally, stop: new AbortController() };
}

/** Interviews that follow one another until `stop`; each answer is sent when the last reply is complete. */
export interface LoadOptions {
  readonly baseUrl: string;
  readonly openToken: string;
  readonly tally: Tally;
  readonly stop: AbortSignal;
}

/** A candidate on the page: plain requests, and one event stream that is resumed after every cut. */
export async function playOnWeb(options: LoadOptions): Promise<void> {
  while (!options.stop.aborted) await new WebInterview(options).play();
}

/** What is read of a line of the transcript. */
interface Line {
  readonly id: string;
  readonly role: string;
  readonly seq: number;
  readonly text: string;
}

class WebInterview {
  private token = '';
  private lastEventId = '';
  private readonly over = new AbortController();
  private readonly texts = new Map<string, string>();
  /** The place of the last complete reply in the transcript. */
  private lastRead = 0;

  constructor(private readonly options: LoadOptions) {}

  async play(): Promise<void> {
    const { stop, tally, openToken } = this.options;
    const session = await this.call<{ sessionToken: string }>('POST', '/api/v1/sessions', {
      invite: openToken,
    });
    this.token = session?.sessionToken ?? '';
    const view = await this.call<{ disclosure: { version: string } }>(
      'GET',
      '/api/v1/conversation',
    );
    const version = view?.disclosure.version ?? '';
    await this.post('consent', { version, accepted: true });
    await this.post('profile', { name: 'Ada', contact: 'ada@example.org' });
    const following = this.follow();
    try {
      for (let n = 0; n < ANSWERS && !stop.aborted; n += 1) await this.answer(tally);
    } finally {
      this.over.abort();
      await following;
    }
  }

  private async answer(tally: Tally): Promise<void> {
    const text = `An answer with the token ${randomUUID()}.`;
    tally.sent.push(text);
    const stored = await this.post<{ seq: number }>('messages', { id: randomUUID(), text });
    if (stored === null) return;
    await until('a web candidate has a reply', () => this.lastRead > stored.seq);
    tally.answered += 1;
  }

  /** What was stored while no stream was open. */
  private async catchUp(): Promise<void> {
    const view = await this.call<{ messages: Line[] }>('GET', '/api/v1/conversation');
    for (const line of view?.messages ?? []) this.takeLine(line);
  }

  /** Reads the event stream, and opens it again from the last id whenever it is cut. */
  private async follow(): Promise<void> {
    const { tally, baseUrl } = this.options;
    for (let opened = 0; !this.over.signal.aborted; opened += 1) {
      if (opened > 0) tally.reopened += 1;
      tally.requests += 1;
      try {
        const response = await fetch(`${baseUrl}/api/v1/conversation/events`, {
          headers: {
            authorization: `Bearer ${this.token}`,
            ...(this.lastEventId === '' ? {} : { 'last-event-id': this.lastEventId }),
          },
          signal: this.over.signal,
        });
        if (!response.ok) tally.failed.push(`${String(response.status)} GET events`);
        let rest = '';
        const decoder = new TextDecoder();
        for await (const chunk of response.body ?? []) {
          rest += decoder.decode(chunk as Uint8Array, { stream: true });
          const frames = rest.split('\n\n');
          rest = frames.pop() ?? '';
          for (const frame of frames) this.take(frame);
        }
      } catch {
        // The stream was cut, or this candidate has finished.
      }
    }
  }

  private take(frame: string): void {
    const fields = new Map(
      frame.split('\n').map((line) => line.split(/: (.*)/s, 2) as [string, string]),
    );
    this.lastEventId = fields.get('id') ?? this.lastEventId;
    const event = fields.get('event');
    const data = JSON.parse(fields.get('data') ?? '{}') as Partial<Line> & {
      messageId?: string;
      offset?: number;
    };
    const { messageId = '', offset = 0, text = '', seq = 0 } = data;
    const written = this.texts.get(messageId) ?? '';
    if (event === 'hello') void this.catchUp();
    if (event === 'start') this.texts.set(messageId, '');
    if (event === 'delta') this.texts.set(messageId, written.slice(0, offset) + text);
    if (event === 'finish') this.finish(messageId, seq, written);
    if (event === 'message') this.takeLine({ id: '', role: '', text, ...data, seq });
  }

  private takeLine({ id, role, seq, text }: Line): void {
    if (role === 'assistant') this.finish(id, seq, text);
  }

  private finish(id: string, seq: number, text: string): void {
    this.options.tally.read.set(id, text);
    this.lastRead = Math.max(this.lastRead, seq);
  }

  private post<T>(action: string, body: object): Promise<T | null> {
    return this.call<T>('POST', `/api/v1/conversation/${action}`, body);
  }

  private async call<T>(method: string, place: string, body?: object): Promise<T | null> {
    const { baseUrl, tally } = this.options;
    tally.requests += 1;
    try {
      const response = await fetch(`${baseUrl}${place}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) tally.failed.push(`${String(response.status)} ${method} ${place}`);
      return text === '' ? null : (JSON.parse(text) as T);
    } catch (error) {
      tally.failed.push(`no response ${method} ${place}: ${String(error)}`);
      return null;
    }
  }
}

/** A candidate in a chat with the bot, whose updates Telegram pushes to the balancer. */
export async function playOnTelegram(
  telegram: TelegramServer,
  { openToken, tally, stop }: Omit<LoadOptions, 'baseUrl'>,
): Promise<void> {
  const isOver = (): boolean => stop.aborted;
  while (!isOver()) {
    const user = telegram.user({ first_name: 'Ada' });
    const chat = telegram.chat(user.user.id);
    user.starts(openToken);
    await until('the disclosure is shown', () =>
      chat.messages.some(({ buttons }) => buttons.flat().includes(AGREE)),
    );
    const shown = chat.botTexts.length;
    user.presses(AGREE);
    await until('the first question is asked', () => chat.botTexts.length > shown);
    await quiet(telegram, user);
    for (let n = 0; n < ANSWERS && !isOver(); n += 1) {
      const before = chat.botTexts.length;
      const text = `An answer with the token ${randomUUID()}.`;
      tally.sent.push(text);
      user.writes(text);
      await until('a Telegram candidate has a reply', () => chat.botTexts.length > before);
      await quiet(telegram, user);
      tally.answered += 1;
    }
  }
}

/** Until the bot has sent nothing for a second: a reply may have several parts. */
async function quiet(telegram: TelegramServer, user: TelegramUser): Promise<void> {
  const count = (): number => telegram.chat(user.user.id).botTexts.length;
  for (let seen = -1; seen !== count();) {
    seen = count();
    await pause(1000);
  }
}

export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error(`timed out while waiting until ${what}`);
    await pause(LOOK_EVERY_MS);
  }
}
