import { Candidates } from '../../../src/accounts';
import {
  Invitations,
  PinKeys,
  shownPin,
  Vacancies,
  type Vacancy,
  type VacancyDraft,
  withInvitationSecrets,
} from '../../../src/hiring';
import type { Update } from 'telegraf/types';
import { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { telegramTextsOf } from '../../../src/channels/telegram/texts';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { FakeClock } from '../../support/clock';
import { TelegramServer, type TelegramUser } from '../../support/telegram';
import type { SeenChat } from '../../support/telegram/people/seen-chat';
import type { NewUser } from '../../support/telegram/people/telegram-user';
import { vacancyDraft } from '../../support/vacancies';

export const EN = telegramTextsOf('en');
export const RU = telegramTextsOf('ru');

/** Longer than the debounce window. */
export const WINDOW_MS = 10_100;
const STEP_MS = 5;
const LOOKS = 4000;

export interface Invited {
  readonly token: string;
  /** As a recruiter reads it out. */
  readonly pin: string;
  readonly candidateId: string;
}

/** A line of a transcript. */
export interface Line {
  readonly role: string;
  readonly text: string;
  readonly channel: string;
  readonly attachment: { readonly kind: string } | null;
  readonly bufferId: string | null;
  readonly isAmendment: boolean;
}

/** The application with a bot, Telegram, and the people who write to it; time moves by `pass`. */
export class TalkStage {
  private replica: TestApp | null = null;

  private constructor(
    readonly telegram: TelegramServer,
    readonly app: TestApp,
    readonly clock: FakeClock,
    private readonly env: Record<string, string>,
  ) {}

  static async open(
    given: { env?: Record<string, string>; vacancy?: VacancyDraft } = {},
  ): Promise<TalkStage> {
    const telegram = await TelegramServer.start();
    const clock = new FakeClock();
    const env = {
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      TELEGRAM_BOT_NAME: 'colloquy_test_bot',
      ...given.env,
    };
    const { vacancy } = given;
    const app = await startTestApp({ env, clock, ...(vacancy === undefined ? {} : { vacancy }) });
    return new TalkStage(telegram, app, clock, env);
  }

  /** A second process on the same database, on the same clock. */
  async another(): Promise<TestApp> {
    this.replica = await startReplica(this.app, { env: this.env, clock: this.clock });
    return this.replica;
  }

  async close(): Promise<void> {
    this.telegram.faults.release();
    await this.replica?.close();
    await this.app.close();
    await this.telegram.close();
  }

  rows<Row>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
    return this.app.commit((tx) => tx.query<Row>(sql, [...values]));
  }

  /** Brings an update in once more, or one that Telegram's people cannot make. */
  async takes(update: object): Promise<void> {
    await this.app.nest.get(UpdateIntake, { strict: false }).take(update as Update);
    await this.settle();
  }

  /**
   * Until everything that was sent is taken in and nothing is due, but for what a test holds up in
   * the lane `held`. Time hardly moves.
   */
  async settle(held = 'none'): Promise<void> {
    let last = '';
    for (let look = 0; look < LOOKS; look += 1) {
      await this.step();
      if (this.telegram.pendingUpdates.length > 0) continue;
      const due = await this.rows<{ lane: string; state: string }>(
        `select lane, state from task
         where lane <> $2 and (state = 'running' or state in ('open', 'retry') and due_at <= $1)`,
        [this.clock.now(), held],
      );
      if (due.length === 0) return;
      last = JSON.stringify(due);
    }
    throw new Error(`it never settled: ${last}, ${this.telegram.pendingUpdates.length} updates`);
  }

  /** Until something has begun. A worker that claims when time is moved looks again a little later. */
  async until(isSo: () => boolean): Promise<void> {
    for (let look = 0; look < LOOKS; look += 1) {
      if (isSo()) return;
      await this.step();
    }
    throw new Error('it never began');
  }

  /** Time passes, and everything that was due by then is done. */
  async pass(ms: number): Promise<void> {
    this.clock.advance(ms);
    await this.settle();
  }

  private async step(): Promise<void> {
    this.clock.advance(STEP_MS);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }

  /** A personal invitation, of a new candidate if none is named. */
  invite(
    given: {
      name?: string;
      telegramUsername?: string;
      candidateId?: string;
      vacancyId?: string;
      expiresAt?: Date;
    } = {},
  ): Promise<Invited> {
    const { nest, vacancy } = this.app;
    const pinKeys = nest.get(PinKeys, { strict: false });
    const { candidateId: known, vacancyId = vacancy.id, expiresAt, ...profile } = given;
    return withInvitationSecrets(pinKeys, (secrets) =>
      this.app.commit(async (tx) => {
        const candidates = nest.get(Candidates, { strict: false });
        const candidateId = known ?? (await candidates.create(tx, profile)).id;
        const wanted = { vacancyId, candidateId, secrets };
        await nest
          .get(Invitations, { strict: false })
          .issue(tx, expiresAt === undefined ? wanted : { ...wanted, expiresAt });
        return { token: secrets.token, pin: shownPin(secrets.pin), candidateId };
      }),
    );
  }

  /** Another vacancy, open to everybody with its link. */
  async vacancy(given: Parameters<typeof vacancyDraft>[0]): Promise<Vacancy> {
    const vacancies = this.app.nest.get(Vacancies, { strict: false });
    const { vacancy } = await this.app.commit((tx) => vacancies.upsert(tx, vacancyDraft(given)));
    return vacancy;
  }

  person(given: NewUser = {}): Person {
    return new Person(this, this.telegram.user(given));
  }

  /** Somebody who came by the vacancy's open link, agreed, and was asked the first question. */
  async begun(given: NewUser = {}): Promise<Person> {
    const person = this.person(given);
    await person.starts(this.app.vacancy.openToken);
    await person.agrees();
    person.forgetsTheChat();
    return person;
  }
}

/** Somebody who writes to the bot; each method waits until the bot has done what follows from it. */
export class Person {
  private seen = 0;

  constructor(
    private readonly stage: TalkStage,
    readonly user: TelegramUser,
  ) {}

  get id(): number {
    return this.user.user.id;
  }

  get chat(): SeenChat {
    return this.stage.telegram.chat(this.id);
  }

  /** What the bot has said since `forgetsTheChat`. */
  get heard(): readonly string[] {
    return this.chat.botTexts.slice(this.seen);
  }

  get lastHeard(): string {
    return this.heard.at(-1) ?? '';
  }

  /** What is on view so far is of no interest to the test. */
  forgetsTheChat(): void {
    this.seen = this.chat.botTexts.length;
  }

  async starts(payload = ''): Promise<void> {
    this.user.starts(payload);
    await this.stage.settle();
  }

  async writes(text: string, replyTo?: number): Promise<number> {
    const { message_id } = this.user.writes(text, replyTo === undefined ? {} : { replyTo });
    await this.stage.settle();
    return message_id;
  }

  /** Whatever a client can do. */
  async does(act: (user: TelegramUser) => unknown): Promise<void> {
    act(this.user);
    await this.stage.settle();
  }

  async presses(text: string, messageId?: number): Promise<void> {
    this.user.presses(text, messageId);
    await this.stage.settle();
  }

  agrees(): Promise<void> {
    return this.presses(this.button(EN.agreeButton, RU.agreeButton));
  }

  /** Asks for a person, and means it. */
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
    const [row] = await this.stage.rows<{ id: string | null }>(
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
    const [row] = await this.stage.rows<Awaited<ReturnType<Person['conversation']>>>(
      `select status, language, channel, interview_step as "interviewStep", metadata
       from conversation where id = $1`,
      [await this.conversationId()],
    );
    if (row === undefined) throw new Error('this person is in no interview');
    return row;
  }

  /** The transcript, without events. */
  async lines(): Promise<Line[]> {
    return this.stage.rows<Line>(
      `select role, text, channel, attachment, buffer_id as "bufferId",
         amends is not null as "isAmendment"
       from message where conversation_id = $1 and role <> 'event' order by seq`,
      [await this.conversationId()],
    );
  }

  /** What this person is on record with. */
  async said(): Promise<string[]> {
    return (await this.lines()).filter(({ role }) => role === 'user').map(({ text }) => text);
  }

  /** The answer that is being collected. */
  async buffer(): Promise<{ dueInMs: number; count: number } | undefined> {
    const [row] = await this.stage.rows<{ dueInMs: number; count: number }>(
      `select extract(epoch from due_at - $2::timestamptz)::float8 * 1000 as "dueInMs", count
       from task where lane = 'flush' and key = $1 and state = 'open'`,
      [await this.conversationId(), this.stage.clock.now()],
    );
    return row;
  }

  private button(...texts: string[]): string {
    const shown = this.chat.messages.flatMap(({ buttons }) => buttons.flat());
    const found = texts.find((text) => shown.includes(text));
    if (found === undefined) throw new Error(`none of these buttons is shown: ${texts.join()}`);
    return found;
  }
}
