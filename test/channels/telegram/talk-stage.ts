import { CandidateRepository } from '../../../src/candidates';
import {
  InvitationRepository,
  PinHasher,
  shownPin,
  VacancyRepository,
  type Vacancy,
  type VacancyDraft,
  withInvitationSecrets,
} from '../../../src/vacancies';
import type { Update } from 'telegraf/types';
import { UpdateIntake } from '../../../src/channels/telegram/intake/update-intake';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { FakeClock } from '../../support/clock';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { TelegramServer } from '../../../tools/fake-telegram';
import type { NewUser } from '../../../tools/fake-telegram/people/telegram-user';
import { vacancyDraft } from '../../support/vacancies';
import { Person } from './talk-person';

export { EN, type Person, RU } from './talk-person';

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
    return this.app.read<Row>(sql, values);
  }

  /** Brings an update in once more, or one that Telegram's people cannot make. */
  async takes(update: object): Promise<void> {
    await this.app.nest.get(UpdateIntake, { strict: false }).take(update as Update);
    await this.settle();
  }

  /**
   * Until everything that was sent is taken in and nothing is due, but for what a test holds up in
   * the queue `held`. Time hardly moves.
   */
  async settle(held = 'none'): Promise<void> {
    let last = '';
    for (let look = 0; look < LOOKS; look += 1) {
      await this.step();
      if (this.telegram.pendingUpdates.length > 0 || !this.app.isIdle(held)) continue;
      if (this.replica?.isIdle(held) === false) continue;
      const due = await this.rows<{ queue: string; state: string }>(
        `select queue, state from job
         where queue <> $2 and (state = 'running' or state in ('open', 'retry') and due_at <= $1)`,
        [this.clock.now(), held],
      );
      const [first] = due;
      if (first === undefined) return;
      this.app.worker.wake(first.queue);
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
    const pinKeys = nest.get(PinHasher, { strict: false });
    const { candidateId: known, vacancyId = vacancy.id, expiresAt, ...profile } = given;
    return withInvitationSecrets(pinKeys, (secrets) =>
      this.app.commit(async (tx) => {
        const candidates = nest.get(CandidateRepository, { strict: false });
        const candidateId = known ?? (await candidates.create(tx, profile)).id;
        const wanted = { vacancyId, candidateId, secrets };
        await nest
          .get(InvitationRepository, { strict: false })
          .issue(tx, expiresAt === undefined ? wanted : { ...wanted, expiresAt });
        return { token: secrets.token, pin: shownPin(secrets.pin), candidateId };
      }),
    );
  }

  /** Another vacancy, open to everybody with its link. */
  async vacancy(given: Parameters<typeof vacancyDraft>[0]): Promise<Vacancy> {
    const vacancies = this.app.nest.get(VacancyRepository, { strict: false });
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

/**
 * Registers the hooks of a stage whose application asks a model for replies and transcripts; gives
 * both to the tests before the first one.
 */
export function talkWithModel(
  give: (opened: { stage: TalkStage; model: ModelServer }) => void,
  env: Record<string, string> = {},
): void {
  let opened: { stage: TalkStage; model: ModelServer };

  beforeAll(async () => {
    const model = await ModelServer.start();
    const stage = await TalkStage.open({
      env: {
        OPENAI_API_KEY: 'test',
        OPENAI_BASE_URL: model.baseUrl,
        OPENAI_TRANSCRIPTION_MODEL: 'w-1',
        ...env,
      },
    });
    opened = { stage, model };
    give(opened);
  });

  afterAll(async () => {
    const { stage, model } = opened;
    expect(stage.telegram.journal.violations).toEqual([]);
    model.release();
    await stage.close();
    await model.close();
  });
}
