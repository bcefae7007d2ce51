import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import type { TelegramServer } from '../fake-telegram';
import type { TelegramUser } from '../fake-telegram/people/telegram-user';
import { ANSWERS, QUESTIONS, WISHES } from './answers';
import type { DemoVacancy } from './running-colloquy';

export type Language = 'en' | 'ru';

/** Somebody who is interviewed and played by a program. */
export interface Role {
  readonly name: string;
  readonly language: Language;
  readonly gender: 'm' | 'f';
  /** What the candidate does besides answering, at the `at`-th question (from 1). */
  readonly habit?: {
    readonly at: number;
    readonly does:
      'asks' | 'says little' | 'calls a person' | 'stops' | 'falls silent' | 'declines';
  };
}

export type Ending = 'finished' | 'with a person' | 'stopped' | 'silent' | 'declined';

/** A candidate's way to talk to Colloquy. */
export interface Talk {
  /** Comes in and agrees; false: the candidate declines. */
  enter(role: Role, agrees: boolean): Promise<void>;
  say(text: string): Promise<void>;
  /** What the interviewer has said since the candidate's last words, once it has ended. */
  hear(): Promise<string>;
}

/** How fast candidates think and write. 1: as people who write fast; more: faster than that. */
export interface Pace {
  readonly speed: number;
  readonly signal: AbortSignal;
}

interface PlannedQuestion {
  readonly id: string;
  readonly text: string;
}

const ROOT = path.resolve(__dirname, '../..');
const EXAMPLES = { en: 'backend-engineer.en.yaml', ru: 'support-lead.ru.yaml' };
const MS_A_CHARACTER = 35;
const LOOK_EVERY_MS = 250;
/** A server that is busy asks its clients to come back. */
const BUSY = 503;
const ASKED_AGAIN_MS = 500;
/** Telegram's interviewer may send several messages: this long after the last one it has ended. */
const QUIET_MS = 1500;
const LONGEST_WAIT_MS = 180_000;

/** Plays an interview until it has ended or the candidate says no more. */
export class PlayedCandidate {
  private readonly questions: readonly PlannedQuestion[];
  private answered = 0;
  private hasHabit = true;

  constructor(
    private readonly role: Role,
    private readonly talk: Talk,
    private readonly pace: Pace,
    /** Makes candidates differ: which of the answers this one gives. */
    private readonly seed: number,
  ) {
    this.questions = questionsOf(role.language);
  }

  /** How many questions are answered, of how many. */
  get progress(): { readonly question: number; readonly of: number } {
    return { question: this.answered, of: this.questions.length };
  }

  async play(): Promise<Ending> {
    const { role, talk } = this;
    const declines = role.habit?.does === 'declines';
    await talk.enter(role, !declines);
    if (declines) return 'declined';
    let asked: PlannedQuestion | undefined;
    for (;;) {
      const heard = await talk.hear();
      const now = this.questions.findLast(({ text }) => heard.includes(text));
      if (now !== undefined) {
        this.answered = this.questions.indexOf(now);
        asked = now;
      } else if (this.isEnd(asked, heard)) {
        this.answered = this.questions.length;
        return 'finished';
      }
      if (asked === undefined) continue;
      const end = await this.answer(asked);
      if (end !== null) return end;
    }
  }

  /** After the last question's answer, words without a question close the interview. */
  private isEnd(asked: PlannedQuestion | undefined, heard: string): boolean {
    return asked === this.questions.at(-1) && !heard.trim().endsWith('?');
  }

  private async answer({ id }: PlannedQuestion): Promise<Ending | null> {
    const { habit, language } = this.role;
    const wishes = WISHES[language];
    const isNow = this.hasHabit && habit !== undefined && this.answered + 1 >= habit.at;
    if (isNow) this.hasHabit = false;
    switch (isNow ? habit.does : 'declines') {
      case 'falls silent':
        return 'silent';
      case 'asks':
        await this.say(QUESTIONS[language][this.seed % QUESTIONS[language].length] ?? '');
        return null;
      case 'says little':
        await this.say(wishes.short);
        return null;
      case 'calls a person':
        await this.confirm(wishes.person, wishes.yes);
        return 'with a person';
      case 'stops':
        await this.confirm(wishes.stop, wishes.yes);
        return 'stopped';
      case 'declines':
        await this.giveAnswer(id);
        return null;
    }
  }

  private async confirm(wish: string, yes: string): Promise<void> {
    await this.say(wish);
    await this.talk.hear();
    await this.say(yes);
    await this.talk.hear();
  }

  private async giveAnswer(id: string): Promise<void> {
    const { language, gender } = this.role;
    const all = ANSWERS[language === 'ru' && id === 'terms' ? 'terms-ru' : id] ?? [];
    const text = all[(this.seed + this.answered) % all.length] ?? '…';
    for (const part of inGender(text, gender).split('\n\n')) await this.say(part);
  }

  /** Takes as long as it takes to think and to type. */
  private async say(text: string): Promise<void> {
    const { speed, signal } = this.pace;
    const ms = (1500 + text.length * MS_A_CHARACTER) / speed;
    await pause(ms, undefined, { signal });
    await this.talk.say(text);
  }
}

function inGender(text: string, gender: 'm' | 'f'): string {
  return text.replace(/\{([^|}]*)\|([^}]*)\}/gu, gender === 'm' ? '$1' : '$2');
}

function questionsOf(language: Language): readonly PlannedQuestion[] {
  const yaml = readFileSync(path.join(ROOT, 'examples', EXAMPLES[language]), 'utf8');
  return (parse(yaml) as { questions: PlannedQuestion[] }).questions;
}

/** The owners of the example vacancies, on whose boards finished interviews appear. */
export function vacancyOwners(): { name: string; id: string }[] {
  return Object.values(EXAMPLES).map((file) => {
    const yaml = readFileSync(path.join(ROOT, 'examples', file), 'utf8');
    const { owner } = parse(yaml) as { owner: { name: string; notionUserId: string } };
    return { name: owner.name, id: owner.notionUserId };
  });
}

interface WebView {
  readonly disclosure: { readonly version: string };
  readonly hasBuffer: boolean;
  readonly replying: boolean;
  readonly messages: readonly { readonly role: string; readonly text: string }[];
}

/** A candidate on the page, as its API sees one. */
export class WebTalk implements Talk {
  private token = '';
  private sent = 0;

  constructor(
    private readonly baseUrl: string,
    private readonly vacancy: DemoVacancy,
    private readonly pace: Pace,
  ) {}

  async enter({ name }: Role, agrees: boolean): Promise<void> {
    const session = await this.call<{ sessionToken: string }>('POST', '/api/v1/sessions', {
      invite: this.vacancy.openToken,
    });
    this.token = session.sessionToken;
    const { disclosure } = await this.view();
    const consent = { version: disclosure.version, accepted: agrees };
    await this.post('consent', consent);
    if (agrees) await this.post('profile', { name, contact: contactOf(name) });
  }

  async say(text: string): Promise<void> {
    this.sent += 1;
    await this.post('messages', { id: `message-${String(this.sent)}`, text });
  }

  async hear(): Promise<string> {
    return waitFor(this.pace, async () => {
      const { hasBuffer, replying, messages } = await this.view();
      const last = messages.findLastIndex(({ role }) => role === 'user');
      const said = messages.slice(last + 1).filter(({ role }) => role === 'assistant');
      const isOver = !hasBuffer && !replying && said.length > 0;
      return isOver ? said.map(({ text }) => text).join('\n\n') : null;
    });
  }

  private view(): Promise<WebView> {
    return this.call<WebView>('GET', '/api/v1/conversation');
  }

  private post(action: string, body: object): Promise<unknown> {
    return this.call('POST', `/api/v1/conversation/${action}`, body);
  }

  private async call<T>(method: string, place: string, body?: object): Promise<T> {
    const response = await fetch(`${this.baseUrl}${place}`, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(this.token === '' ? {} : { authorization: `Bearer ${this.token}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: this.pace.signal,
    });
    if (response.status === BUSY) {
      await response.arrayBuffer();
      await pause(ASKED_AGAIN_MS, undefined, { signal: this.pace.signal });
      return this.call(method, place, body);
    }
    if (!response.ok) throw new Error(`${method} ${place}: ${String(response.status)}`);
    return (await response.json()) as T;
  }
}

/** A candidate in a chat with the bot. */
export class TelegramTalk implements Talk {
  /** The message after which the bot's next words come: the candidate's last one, or the disclosure. */
  private last = 0;

  constructor(
    private readonly telegram: TelegramServer,
    private readonly user: TelegramUser,
    private readonly vacancy: DemoVacancy,
    private readonly pace: Pace,
  ) {}

  async enter(_role: Role, agrees: boolean): Promise<void> {
    this.user.starts(this.vacancy.openToken);
    const asked = await waitFor(this.pace, () =>
      Promise.resolve(this.chat.messages.findLast(({ buttons }) => buttons.length > 0) ?? null),
    );
    await pause(2500 / this.pace.speed, undefined, { signal: this.pace.signal });
    this.last = asked.id;
    // Agree comes first, decline last.
    const buttons = asked.buttons.flat();
    this.user.presses((agrees ? buttons[0] : buttons.at(-1)) ?? '');
  }

  say(text: string): Promise<void> {
    this.last = this.user.writes(text).message_id;
    return Promise.resolve();
  }

  hear(): Promise<string> {
    let heard = '';
    let since = performance.now();
    return waitFor(this.pace, () => {
      const { messages, draft, action } = this.chat;
      const said = messages.filter(({ id, fromBot }) => fromBot && id > this.last);
      const now = said.map(({ text }) => text).join('\n\n');
      if (now !== heard || draft !== null || action !== null) since = performance.now();
      heard = now;
      const isOver = now !== '' && performance.now() - since >= QUIET_MS;
      return Promise.resolve(isOver ? now : null);
    });
  }

  private get chat() {
    return this.telegram.chat(this.user.user.id);
  }
}

/** An address that belongs to nobody. */
function contactOf(name: string): string {
  const latin = name
    .toLowerCase()
    .replace(/[а-яё]/g, (letter) => LETTERS[letter] ?? '')
    .normalize('NFD')
    .replace(/[^a-z ]/g, '');
  return `${latin.trim().replaceAll(' ', '.')}@example.org`;
}

const LETTERS: Readonly<Record<string, string>> = Object.fromEntries(
  'а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh щ sch ъ  ы y ь  э e ю yu я ya'
    .split(/ (?=[а-яё])/)
    .map((pair) => [pair[0] ?? '', pair.slice(2)]),
);

async function waitFor<T>(pace: Pace, look: () => Promise<T | null>): Promise<T> {
  const deadline = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error('the interviewer does not reply');
    await pause(LOOK_EVERY_MS, undefined, { signal: pace.signal });
  }
}
