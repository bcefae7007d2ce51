import type { Update } from '@grammyjs/types';
import { Client } from 'pg';
import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import type { FakeClock } from '../../../tools/support/fake-clock';
import type { TelegramServer, TelegramUser } from '../../../tools/fake-telegram';
import { WEBHOOK_SECRET as SECRET } from '../../support/secrets';
import { WebhookFront } from '../../../tools/fake-network/webhook-front';

export const EN = telegramTextsOf('en');
export { SECRET };
export const MODES = ['polling', 'webhook'] as const;
export type Mode = (typeof MODES)[number];

const CHECK_EVERY_MS = 5;
const MAX_CHECKS = 4000;
/** Milliseconds of fake time for each millisecond of real time. */
const PACE = 20;
/** The pace while the application waits for PostgreSQL, which runs in real time. */
const SLOW_PACE = 4;
/** If the last pass of the workers is older than this, the application waits for PostgreSQL. */
const FRESH_MS = 2000;
/** Shorter than the timeouts, so that a call under way does not time out in one step. */
const LONG_STEP_MS = 10_000;
const LATER_MS = 3000;

export interface InboxRow {
  readonly state: string;
  readonly text: string | null;
}

interface Options {
  readonly mode?: Mode;
  readonly env?: Record<string, string>;
  /** Moves by itself, faster than real time. The locks of PostgreSQL use real time. */
  readonly clock?: FakeClock;
  readonly isWorking?: boolean;
}

/** An update in the form of Telegram that does not come from the fake Telegram server. */
export function textUpdate(
  text: string,
  { chatId = 4_200_000_001, messageId = 1, updateId = 900_000_001 } = {},
): Update {
  const from = { id: chatId, is_bot: false, first_name: 'Eve', language_code: 'en' } as const;
  const chat = { id: chatId, type: 'private', first_name: 'Eve' } as const;
  const entities = [{ type: 'bot_command', offset: 0, length: text.length }] as const;
  const marks = text.startsWith('/') ? { entities: [...entities] } : {};
  const message = { message_id: messageId, date: 1_770_000_000, from, chat, text, ...marks };
  return { update_id: updateId, message };
}

/** The application with a bot, and what it stores of the updates that it takes. */
export class BotIntake {
  private readonly undo: (() => Promise<void> | void)[] = [];
  app!: TestApp;

  private constructor(private readonly front: WebhookFront) {}

  static async start({
    mode = 'polling',
    clock,
    isWorking = true,
    env,
  }: Options = {}): Promise<BotIntake> {
    const intake = new BotIntake(await WebhookFront.open());
    if (clock !== undefined) {
      intake.undo.push(movingOn(clock, () => (intake.isFresh() ? PACE : SLOW_PACE)));
    }
    intake.app = await startTestApp({
      telegram: clock === undefined ? true : { clock },
      env: {
        TELEGRAM_BOT_NAME: '',
        TELEGRAM_MODE: mode,
        TELEGRAM_WEBHOOK_SECRET: SECRET,
        PUBLIC_URL: intake.front.url,
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '600',
        INTERVIEW_BUFFER_MAX_WAIT: '3600',
        ...(clock === undefined ? {} : { JOB_LEASE: '60', TELEGRAM_TIMEOUT: '60' }),
        ...env,
      },
      isWorking,
      ...(clock === undefined ? {} : { clock }),
    });
    intake.lead();
    return intake;
  }

  get telegram(): TelegramServer {
    return this.app.telegram;
  }

  /** Starts another replica on the same database; the database may have another address. */
  async another(databaseUrl = this.app.databaseUrl): Promise<TestApp> {
    const replica = await startReplica(this.app, { databaseUrl });
    this.lead();
    return replica;
  }

  async close(): Promise<void> {
    for (const undo of this.undo.slice(1)) await undo();
    await this.app.close();
    await this.undo[0]?.();
    await this.front.close();
  }

  /** The stored updates of a person, in the order in which they arrived. */
  inbox(person: TelegramUser): Promise<InboxRow[]> {
    return this.app.sql(
      `select state, payload -> 'message' ->> 'text' as text from telegram_update
       where chat_id = $1 order by update_id`,
      [person.user.id],
    );
  }

  /** The messages of a person in the interview, in the order of the transcript. */
  async said(person: TelegramUser): Promise<string[]> {
    const rows = await this.app.sql<{ text: string }>(
      `select text from message join telegram_account using (conversation_id)
       where user_id = $1 and role = 'user' order by seq`,
      [person.user.id],
    );
    return rows.map(({ text }) => text);
  }

  /**
   * Moves the time in long steps, for work that only waits for time. After each step the work that
   * it has woken runs, and the workers make a pass, so that nothing under way times out.
   */
  async passes(ms: number): Promise<void> {
    const { clock } = this.app;
    const endMs = clock.monotonicMs() + ms;
    for (let leftMs = ms; leftMs > 0; leftMs = endMs - clock.monotonicMs()) {
      clock.advance(Math.min(LONG_STEP_MS, leftMs));
      await nextCheck();
      await this.app.until('the workers have made their pass', () => this.isFresh());
    }
  }

  /** Like `until`, but in long steps: for what happens after a wait. */
  async untilLater(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (let check = 0; check < MAX_CHECKS; check += 1) {
      if (await isSo()) return;
      await this.passes(LATER_MS);
    }
    throw new Error(`timed out: ${what}`);
  }

  /** How often the bot has sent this text to a person. */
  told(person: TelegramUser, text: string): number {
    return this.telegram.chat(person.user.id).botTexts.filter((told) => told === text).length;
  }

  /** Resolves when the bot has sent this text to a person `times` times. */
  untilTold(person: TelegramUser, text: string, times = 1): Promise<void> {
    return this.app.until(`the bot sends ${text}`, () => this.told(person, text) >= times);
  }

  /** A person who has consented and was asked the first question. */
  async candidate(): Promise<TelegramUser> {
    const person = this.telegram.user();
    const chat = this.telegram.chat(person.user.id);
    person.starts(this.app.vacancy.openToken);
    await this.app.until('the disclosure', () => chat.botTexts.length > 0);
    person.presses(EN.agreeButton);
    const [question] = this.app.vacancy.plan.questions;
    const isAsked = (text: string): boolean => text.includes(question?.text ?? '');
    await this.app.until('the first question', () => chat.botTexts.some(isAsked));
    return person;
  }

  /** Pushes an update as Telegram does, but to one replica and without a retry. */
  push(
    update: unknown,
    given: { app?: TestApp; headers?: Record<string, string>; signal?: AbortSignal } = {},
  ) {
    const {
      app = this.app,
      signal = null,
      headers = { 'x-telegram-bot-api-secret-token': SECRET },
    } = given;
    return fetch(`${app.url}/webhooks/telegram`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof update === 'string' ? update : JSON.stringify(update),
      signal,
    });
  }

  /** Locks the rows of this statement from outside until the returned function is called. */
  async lock(text: string, values: readonly unknown[]): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: this.app.databaseUrl });
    await client.connect();
    await client.query('begin');
    await client.query(`${text} for no key update`, [...values]);
    let isHeld = true;
    const release = async (): Promise<void> => {
      if (isHeld) await client.end();
      isHeld = false;
    };
    this.undo.push(release);
    return release;
  }

  /** The status of the readiness probe, and what it reports about the bot. */
  async ready(): Promise<{ status: number; condition: string; trouble: string }> {
    const response = await fetch(`${this.app.url}/health/ready`);
    const { details } = (await response.json()) as {
      details: { telegram: { condition: string; trouble?: string } };
    };
    const { condition, trouble = '' } = details.telegram;
    return { status: response.status, condition, trouble };
  }

  /** Whether the worker of a replica has made a pass recently. */
  private isFresh(): boolean {
    return this.replicas().some(({ worker }) => worker.lastTickAgeMs() < FRESH_MS);
  }

  private replicas(): readonly TestApp[] {
    const app = this.app as TestApp | undefined;
    return app === undefined ? [] : [app, ...app.replicas];
  }

  private lead(): void {
    this.front.leadTo(...this.replicas().map(({ url }) => url));
  }
}

function nextCheck(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS));
}

/** Moves the clock by `pace` for each real millisecond until the returned function is called. */
function movingOn(clock: FakeClock, pace: () => number): () => void {
  const timer = setInterval(() => {
    clock.advance(pace());
  }, 1);
  return () => {
    clearInterval(timer);
  };
}
