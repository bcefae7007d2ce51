import { setTimeout as pause } from 'node:timers/promises';
import type { TelegramServer, TelegramUser } from '../fake-telegram';
import type { Chance } from './chance';
import { EventsClient, type SeenLine } from './events-client';
import type { InvitingProgram } from './inviting-program';
import type { SentToken, TokenJournal } from './tokens';

/** What all candidates of a storm share. */
export interface StormWorld {
  /** The address of all replicas together. */
  readonly baseUrl: string;
  readonly openToken: string;
  /** Invites most candidates of the page; the others, and those in Telegram, come by the open link. */
  readonly program: InvitingProgram;
  readonly tokens: TokenJournal;
  readonly telegram: TelegramServer;
  /** Aborts when candidates begin no further burst. */
  readonly writing: AbortSignal;
  /** Aborts when the storm is over: nobody sends anything any more. */
  readonly present: AbortSignal;
  /** Responses that no client should get. */
  readonly complaints: string[];
}

/** A candidate who writes in bursts. */
export interface StormCandidate {
  readonly number: number;
  /** Consents and gets the first question. */
  enter(): Promise<void>;
  /** Sends a message, until the server has it as far as the client can tell. */
  send(text: string, entry: SentToken): Promise<void>;
  /** Whether this text of the interviewer has reached the candidate. */
  hasSeen(token: string): boolean;
}

/** A candidate on the page. */
export class WebCandidate implements StormCandidate {
  conversationId = '';
  events: EventsClient | null = null;
  private sessionToken = '';
  private sent = 0;
  private isErased = false;

  constructor(
    readonly number: number,
    private readonly world: StormWorld,
    private readonly chance: Chance,
  ) {}

  async enter(): Promise<void> {
    const session = await this.openSession();
    this.sessionToken = session.sessionToken;
    this.conversationId = session.conversationId;
    const view = await this.view();
    const consent = { version: view.disclosure.version, accepted: true };
    await this.call('conversation/consent', consent);
    await this.call('conversation/profile', {
      name: `Storm ${String(this.number)}`,
      contact: 'a@b.example',
    });
    this.events = new EventsClient(this.world.baseUrl, this.sessionToken);
    this.events.open();
  }

  private async openSession(): Promise<Session> {
    const { openToken, program } = this.world;
    const isInvited = this.chance.below(4) > 0;
    const invite = isInvited ? await program.invite(this.number) : openToken;
    try {
      return await this.call<Session>('sessions', { invite }, 'confirmation_needed');
    } catch (error) {
      if (!(error instanceof ExpectedRefusal)) throw error;
    }
    // An earlier try, whose response was lost, has opened it: to the server that is another browser.
    const { disclosure } = await this.call<Pick<WebView, 'disclosure'>>(`invites/${invite}`);
    return this.call('sessions', { invite, mine: { version: disclosure.version } });
  }

  async send(text: string, entry: SentToken): Promise<void> {
    this.sent += 1;
    const id = `message-${String(this.sent)}`;
    await this.call('conversation/messages', { id, text });
    entry.acknowledgedMs ??= performance.now();
    // A client that has lost the response sends the same message again.
    if (this.chance.below(10) === 0) await this.call('conversation/messages', { id, text });
  }

  hasSeen(token: string): boolean {
    const { events } = this;
    if (events === null) return false;
    const lines = [...events.lines.values()].filter(({ role }) => role === 'assistant');
    return [...events.replies.values(), ...lines].some(({ text }) => text.includes(token));
  }

  /** Pauses the interview until a person writes. */
  async askForPerson(): Promise<void> {
    await this.call('conversation/human', {});
  }

  /** From now on nothing that it reads is checked. */
  markErased(): void {
    this.isErased = true;
  }

  view(): Promise<WebView> {
    return this.call<WebView>('conversation');
  }

  /** All lines of the conversation by id, page by page. */
  async transcript(): Promise<Map<string, string>> {
    const view = await this.view();
    const texts = new Map(view.messages.map(({ id, text }) => [id, text]));
    let before = view.olderCursor;
    while (before !== null) {
      const page = await this.call<Pick<WebView, 'messages' | 'olderCursor'>>(
        `conversation/messages?before=${encodeURIComponent(before)}`,
      );
      for (const { id, text } of page.messages) texts.set(id, text);
      before = page.olderCursor;
    }
    return texts;
  }

  /**
   * Repeats a request until there is a response that is neither lost nor "come back later". Throws
   * ExpectedRefusal for a problem of the code `expected`; any other refusal is a complaint.
   */
  private async call<T>(place: string, body?: object, expected?: string): Promise<T> {
    for (;;) {
      const response = await fetch(`${this.world.baseUrl}/api/v1/${place}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.sessionToken === '' ? {} : { authorization: `Bearer ${this.sessionToken}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      }).catch(() => null);
      const text = await response?.text().catch(() => null);
      if (response?.ok === true && typeof text === 'string') return JSON.parse(text) as T;
      const status = response?.status ?? 0;
      if (status >= 400 && expected !== undefined && text?.includes(expected) === true) {
        throw new ExpectedRefusal(expected);
      }
      if (status >= 400 && status < 500 && !this.isErased) {
        this.world.complaints.push(`${place} responded with ${String(status)}: ${text ?? ''}`);
        throw new Error(`${place}: ${String(status)}`);
      }
      if (status === 500) this.world.complaints.push(`${place} responded with 500: ${text ?? ''}`);
      await pause(RETRY_MS);
      if (isOver(this.world.present)) throw new Error(`${place} had no response until the end`);
    }
  }
}

class ExpectedRefusal extends Error {}

const REQUEST_TIMEOUT_MS = 5000;
const RETRY_MS = 300;

interface Session {
  readonly conversationId: string;
  readonly sessionToken: string;
}

/** The parts of the view that are read. */
export interface WebView {
  readonly id: string;
  readonly disclosure: { readonly version: string };
  readonly messages: readonly SeenLine[];
  readonly olderCursor: string | null;
}

/** A candidate in a chat with the bot. */
export class TelegramCandidate implements StormCandidate {
  readonly user: TelegramUser;

  constructor(
    readonly number: number,
    private readonly world: StormWorld,
  ) {
    this.user = world.telegram.user({ first_name: `Storm${String(number)}` });
  }

  get chatId(): number {
    return this.user.user.id;
  }

  async enter(): Promise<void> {
    const agree = await this.readDisclosure();
    this.user.presses(agree.buttons.flat()[0] ?? '', agree.id);
    // The disclosure may come again, when its response was lost.
    await this.until('the first question', () =>
      this.chat.messages.find(
        ({ id, fromBot, text }) => fromBot && id > agree.id && text !== agree.text,
      ),
    );
  }

  /** Returns the message with the button that consents. */
  readDisclosure() {
    this.user.starts(this.world.openToken);
    return this.until('the disclosure', () =>
      this.chat.messages.findLast(({ buttons }) => buttons.length > 0),
    );
  }

  send(text: string): Promise<void> {
    this.user.writes(text);
    return Promise.resolve();
  }

  hasSeen(token: string): boolean {
    return this.chat.messages.some(({ fromBot, text }) => fromBot && text.includes(token));
  }

  private get chat() {
    return this.world.telegram.chat(this.chatId);
  }

  private async until<T>(what: string, look: () => T | undefined): Promise<T> {
    const untilMs = performance.now() + ENTER_WITHIN_MS;
    for (;;) {
      const found = look();
      if (found !== undefined) return found;
      if (performance.now() > untilMs) {
        throw new Error(`candidate ${String(this.number)} on Telegram never got ${what}`);
      }
      await pause(LOOK_EVERY_MS);
    }
  }
}

const ENTER_WITHIN_MS = 60_000;

/** The interview has 30 questions, and a message is at most one answer. */
const MOST_MESSAGES = 26;

/** The model server refuses every prompt with an answer of this candidate. */
const REFUSED_CANDIDATE = 0;
export const REFUSED_WORD = 'unspeakable';

/** Writes bursts until the storm ends or the interview is nearly over. Returns how many it wrote. */
export async function write(
  candidate: StormCandidate,
  { tokens, writing }: StormWorld,
  { chance, thinkMs, channel }: { chance: Chance; thinkMs: number; channel: SentToken['channel'] },
): Promise<number> {
  const { number } = candidate;
  let written = 0;
  while (written < MOST_MESSAGES && !isOver(writing)) {
    await pause(chance.between(0.3, 1.7) * thinkMs, undefined, { signal: writing }).catch(() => 0);
    if (isOver(writing)) break;
    const burst = Math.min(1 + chance.below(4), MOST_MESSAGES - written);
    let last = '';
    for (let n = 0; n < burst; n += 1) {
      const entry = tokens.add(channel, number);
      last = entry.token;
      const word = number === REFUSED_CANDIDATE ? `${REFUSED_WORD} ` : '';
      await candidate.send(`My answer is ${word}${entry.token}`, entry);
      written += 1;
      await pause(chance.between(30, 350));
    }
    // Now and then somebody does not wait for the reply.
    const isPatient = chance.below(4) > 0;
    const patienceMs = isPatient ? chance.between(8000, 40_000) : chance.between(200, 1500);
    await waitUntil(() => candidate.hasSeen(last), patienceMs, writing);
  }
  return written;
}

/** Read anew at each call. */
export function isOver(signal: AbortSignal): boolean {
  return signal.aborted;
}

async function waitUntil(isSo: () => boolean, forMs: number, signal: AbortSignal): Promise<void> {
  const untilMs = performance.now() + forMs;
  while (!isSo() && performance.now() < untilMs && !signal.aborted) await pause(LOOK_EVERY_MS);
}

const LOOK_EVERY_MS = 150;
