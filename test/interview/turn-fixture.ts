import { randomUUID } from 'node:crypto';
import type { LoggerService } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { ExpirySweep } from '../../src/buffer/expiry-sweep';
import { VacancyRepository, type Vacancy, type VacancyDraft } from '../../src/vacancies';
import { DISCLOSURE_VERSION } from '../../src/interview/interview-start';
import { FakeClock } from '../support/clock';
import { turnOfLoop } from '../support/model-calls';
import { ModelServer } from '../../tools/fake-model/model-server';
import { createTestDatabase } from '../support/postgres';
import { settingsForTests } from '../support/settings';
import { vacancyDraft } from '../support/vacancies';
import { InterviewProcess } from './interview-process';
import { TurnCandidate } from './turn-candidate';

/** Quiet time after which an answer is due, by default. */
export const WINDOW_MS = 4000;
export const LEASE_MS = 6000;

export interface TurnFixtureOptions {
  readonly env?: Record<string, string>;
  readonly vacancy?: Partial<VacancyDraft>;
}

/**
 * Interviews on a database of their own, on fake time, with a real model server; one process, and
 * others when a test wants some. At its end nothing that a candidate wrote may stand in the log.
 */
export class TurnFixture {
  private readonly others: InterviewProcess[] = [];
  private readonly said: string[] = [];

  private constructor(
    private readonly database: Awaited<ReturnType<typeof createTestDatabase>>,
    private readonly env: Record<string, string>,
    readonly model: ModelServer,
    readonly clock: FakeClock,
    readonly main: InterviewProcess,
    readonly vacancy: Vacancy,
    readonly log: CapturedLog,
  ) {}

  static async open(options: TurnFixtureOptions = {}): Promise<TurnFixture> {
    const database = await createTestDatabase();
    const model = await ModelServer.start();
    const clock = new FakeClock();
    const log = new CapturedLog();
    const env = {
      OPENAI_API_KEY: 'sk-test',
      OPENAI_BASE_URL: model.baseUrl,
      INTERVIEW_SCRIPTED_PACE: '0',
      ...options.env,
    };
    const settings = settingsForTests(env);
    const main = await InterviewProcess.start({ url: database.url, settings, clock, logger: log });
    const { vacancy } = await main.commit((tx) =>
      main.get(VacancyRepository).upsert(tx, vacancyDraft(options.vacancy)),
    );
    return new TurnFixture(database, env, model, clock, main, vacancy, log);
  }

  /** Another process on the same database, for instance through a proxy. */
  async another(
    options: { url?: string; poolSize?: number; env?: Record<string, string> } = {},
  ): Promise<InterviewProcess> {
    const { clock, log: logger } = this;
    const { url = this.database.url, poolSize = 5, env } = options;
    const settings = settingsForTests({ ...this.env, ...env });
    const process = await InterviewProcess.start({ url, settings, clock, logger, poolSize });
    this.others.push(process);
    return process;
  }

  get databaseUrl(): string {
    return this.database.url;
  }

  /** A candidate who has agreed, is known, and was asked the first question. */
  async candidate(): Promise<TurnCandidate> {
    const candidate = await this.stranger();
    const { interviews } = this.main;
    const consent = { version: DISCLOSURE_VERSION, accepted: true };
    await this.main.commit((tx) => interviews.consent(tx, candidate.id, consent));
    const profile = { name: 'Ada', contact: 'ada@example.org' };
    await this.main.commit((tx) => interviews.profile(tx, candidate.id, profile));
    return candidate;
  }

  /** A candidate who has not agreed to anything. */
  async stranger(): Promise<TurnCandidate> {
    const conversation = await this.main.commit((tx) =>
      this.main.interviews.begin(tx, { state: 'ok', kind: 'open', vacancy: this.vacancy }),
    );
    return new TurnCandidate(this, conversation.id, (text) => this.said.push(text));
  }

  /** The quiet time passes. */
  pause(ms = WINDOW_MS): void {
    this.clock.advance(ms);
  }

  /** Time passes step by step, and all work that becomes due is done. */
  async live(totalMs: number, stepMs = 1000): Promise<void> {
    for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
      this.clock.advance(stepMs);
      await this.main.work();
    }
  }

  /** Waits for a promise that sleeps on the fake clock now and then. */
  async inTime<T>(promise: Promise<T>, stepMs = 50): Promise<T> {
    const state = { isOver: false };
    const done = promise.finally(() => (state.isOver = true));
    done.catch(() => undefined);
    while (!state.isOver) {
      this.clock.advance(stepMs);
      // The database works on real time: it must not see seconds pass within a moment.
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    return done;
  }

  /** Lets everything run that is ready to run. */
  aMoment(): Promise<void> {
    return turnOfLoop();
  }

  expireOld(): Promise<number> {
    return this.main.get(ExpirySweep).run();
  }

  sql<Row>(text: string, values: unknown[] = []): Promise<Row[]> {
    return this.main.get(DataSource).query<Row[]>(text, values);
  }

  async close(): Promise<void> {
    this.model.release();
    for (const process of [this.main, ...this.others]) await process.close();
    await this.model.close();
    await this.database.drop();
    const leaked = this.said.filter((text) => this.log.text.includes(text));
    if (leaked.length > 0) throw new Error(`a candidate's words were logged: ${leaked.join(', ')}`);
  }
}

/** Words that nobody would log by chance. */
export function words(about = 'bread'): string {
  return `I know ${about} ${randomUUID()}`;
}

/** Keeps what is logged, at every level. */
export class CapturedLog implements LoggerService {
  text = '';
  readonly log = this.keep.bind(this);
  readonly warn = this.keep.bind(this);
  readonly error = this.keep.bind(this);
  readonly debug = this.keep.bind(this);
  readonly verbose = this.keep.bind(this);
  readonly fatal = this.keep.bind(this);

  private keep(...parts: unknown[]): void {
    for (const part of parts) {
      const text = part instanceof Error ? `${part.message} ${part.stack ?? ''}` : String(part);
      this.text += `${text}\n`;
    }
  }
}
