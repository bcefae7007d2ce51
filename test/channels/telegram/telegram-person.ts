import { randomUUID } from 'node:crypto';
import type { Update } from 'telegraf/types';
import { CandidateRepository } from '../../../src/candidates';
import { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { telegramTextsOf } from '../../../src/channels/telegram/texts/texts';
import {
  InvitationRepository,
  PinHasher,
  shownPin,
  withInvitationSecrets,
} from '../../../src/vacancies';
import type { PersonalDataExport } from '../../../src/privacy';
import type { TelegramUser } from '../../../tools/fake-telegram';
import type { SeenChat } from '../../../tools/fake-telegram/people/seen-chat';
import type { NewUser } from '../../../tools/fake-telegram/people/telegram-user';
import { type TestApp, startTestApp } from '../../support/app';

export const EN = telegramTextsOf('en');
export const RU = telegramTextsOf('ru');

/** Longer than the debounce window. */
export const WINDOW_MS = 10_100;

/** The application with a bot; time moves only by `pass`, `settle` and `until`. */
export const BOT = { clock: 'fake', telegram: true } as const;

/** Starts the application with a bot and a model before the tests, and closes it afterwards. */
export function withBotAndModel(
  give: (app: TestApp) => void,
  env: Record<string, string> = {},
): void {
  let app: TestApp;

  beforeAll(async () => {
    const withModel = { OPENAI_TRANSCRIPTION_MODEL: 'w-1', ...env };
    app = await startTestApp({ ...BOT, model: true, env: withModel });
    give(app);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });
}

/** Gives the bot an update directly: a repeated one, or one that the fake Telegram cannot make. */
export async function takeUpdate(app: TestApp, update: object): Promise<void> {
  await app.units.run('test', (uow) => app.get(UpdateIntake).take(uow, update as Update));
  await app.settle();
}

/** Words that occur nowhere else. */
export function words(): string {
  return `unheard-of-${randomUUID()}-words`;
}

export interface Invited {
  readonly token: string;
  /** The PIN in the form that recruiters see. */
  readonly pin: string;
  readonly candidateId: string;
}

/** Issues a personal invitation, for a new candidate if none is given. */
export function invite(
  app: TestApp,
  given: {
    name?: string;
    telegramUsername?: string;
    candidateId?: string;
    vacancyId?: string;
    expiresAt?: Date;
  } = {},
): Promise<Invited> {
  const { candidateId: known, vacancyId = app.vacancy.id, expiresAt, ...profile } = given;
  return withInvitationSecrets(app.get(PinHasher), (secrets) =>
    app.commit(async (tx) => {
      const candidateId = known ?? (await app.get(CandidateRepository).create(tx, profile)).id;
      const wanted = { vacancyId, candidateId, secrets };
      const expiring = expiresAt === undefined ? wanted : { ...wanted, expiresAt };
      await app.get(InvitationRepository).issue(tx, expiring);
      return { token: secrets.token, pin: shownPin(secrets.pin), candidateId };
    }),
  );
}

export function newPerson(app: TestApp, given: NewUser = {}): Person {
  return new Person(app, app.telegram.user(given));
}

/** A person who came by the vacancy's open link, consented and was asked the first question. */
export async function begunPerson(app: TestApp, given: NewUser = {}): Promise<Person> {
  const person = newPerson(app, given);
  await person.starts(app.vacancy.openToken);
  await person.agrees();
  person.forgetsTheChat();
  return person;
}

/** A line of a transcript. */
interface Line {
  readonly role: string;
  readonly text: string;
  readonly channel: string;
  readonly attachment: { readonly kind: string } | null;
  readonly answerId: string | null;
  readonly isAmendment: boolean;
}

/** A person who writes to the bot; each method waits until the bot has handled the action. */
export class Person {
  private seen = 0;

  constructor(
    private readonly app: TestApp,
    readonly user: TelegramUser,
  ) {}

  get id(): number {
    return this.user.user.id;
  }

  get chat(): SeenChat {
    return this.app.telegram.chat(this.id);
  }

  /** The texts that the bot has sent since `forgetsTheChat`. */
  get heard(): readonly string[] {
    return this.chat.botTexts.slice(this.seen);
  }

  get lastHeard(): string {
    return this.heard.at(-1) ?? '';
  }

  /** Leaves out of `heard` all texts that the bot has sent so far. */
  forgetsTheChat(): void {
    this.seen = this.chat.botTexts.length;
  }

  async starts(payload = ''): Promise<void> {
    this.user.starts(payload);
    await this.app.settle();
  }

  async writes(text: string, replyTo?: number): Promise<number> {
    const { message_id } = this.user.writes(text, replyTo === undefined ? {} : { replyTo });
    await this.app.settle();
    return message_id;
  }

  /** Runs any action of a Telegram client. */
  async does(act: (user: TelegramUser) => unknown): Promise<void> {
    act(this.user);
    await this.app.settle();
  }

  async presses(text: string, messageId?: number): Promise<void> {
    this.user.presses(text, messageId);
    await this.app.settle();
  }

  agrees(): Promise<void> {
    return this.presses(this.button(EN.agreeButton, RU.agreeButton));
  }

  /** Asks for a person and confirms it. */
  async asksForPerson(behind = ''): Promise<void> {
    await this.writes(`/human${behind}`);
    await this.presses(this.button(EN.humanYes, RU.humanYes));
  }

  declines(): Promise<void> {
    return this.presses(this.button(EN.declineButton, RU.declineButton));
  }

  /** The id of the bot's message with this text in it. */
  idOf(text: string): number {
    const found = this.chat.messages.findLast((one) => one.fromBot && one.text.includes(text));
    if (found === undefined) throw new Error(`the bot has not said "${text}"`);
    return found.id;
  }

  async conversationId(): Promise<string | null> {
    const [row] = await this.app.sql<{ id: string | null }>(
      'select conversation_id as id from telegram_account where user_id = $1',
      [this.id],
    );
    return row?.id ?? null;
  }

  async conversation(): Promise<{
    status: string;
    language: string;
    channel: string;
    interviewStep: number;
    metadata: Record<string, unknown>;
  }> {
    return this.app.one(
      `select status, language, channel, interview_step as "interviewStep", metadata
       from conversation where id = $1`,
      [await this.conversationId()],
    );
  }

  /** The transcript, without events. */
  async lines(): Promise<Line[]> {
    return this.app.sql<Line>(
      `select role, text, channel, attachment, answer_id as "answerId",
         amends is not null as "isAmendment"
       from message where conversation_id = $1 and role <> 'event' order by seq`,
      [await this.conversationId()],
    );
  }

  /** The texts of this person's messages in the transcript. */
  async said(): Promise<string[]> {
    return (await this.lines()).filter(({ role }) => role === 'user').map(({ text }) => text);
  }

  /** The answer that is being collected. */
  async buffer(): Promise<{ dueInMs: number; count: number } | undefined> {
    const [row] = await this.app.sql<{ dueInMs: number; count: number }>(
      `select extract(epoch from due_at - $2::timestamptz)::float8 * 1000 as "dueInMs", count
       from job where queue = 'flush' and key = $1 and state = 'open'`,
      [await this.conversationId(), this.app.clock.now()],
    );
    return row;
  }

  /** The file that the bot sent last, after /mydata. */
  sentFile(): PersonalDataExport {
    const { document } = this.chat.messages.findLast(({ fromBot }) => fromBot)?.message ?? {};
    const file = this.app.telegram.file(document?.file_id ?? '');
    if (file === null) throw new Error('no file was sent');
    return JSON.parse(file.bytes.toString()) as PersonalDataExport;
  }

  /** Stores a dead update and an unsent reply that contain this text. */
  async leavesWaiting(said: string): Promise<void> {
    await this.app.sql(
      `with reply as (
         insert into telegram_bot_reply (chat_id, account_id, call, created_at)
         values ($1, $1, jsonb_build_object('text', $2::text), now()))
       insert into telegram_update
         (bot_id, update_id, chat_id, account_id, state, payload, received_at)
       values (1, $1, $1, $1, 'dead', jsonb_build_object('text', $2::text), now())`,
      [this.id, said],
    );
  }

  private button(...texts: string[]): string {
    const shown = this.chat.messages.flatMap(({ buttons }) => buttons.flat());
    const found = texts.find((text) => shown.includes(text));
    if (found === undefined) throw new Error(`none of these buttons is shown: ${texts.join()}`);
    return found;
  }
}
