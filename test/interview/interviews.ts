import { randomUUID } from 'node:crypto';
import { type Channel, ChannelRegistry } from '../../src/channels';
import { SignalConnection } from '../../src/persistence';
import { LiveReplies } from '../../src/streams';
import type { VacancyDraft } from '../../src/vacancies';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { TestTelegram } from '../support/channels';
import { untilInProcess } from '../support/until';
import { vacancyDraft } from '../support/vacancies';

/** Quiet time after which an answer is due, by default. */
export const WINDOW_MS = 4000;
export const LEASE_MS = 6000;

/** Everything that candidates wrote in this test file. */
const written: string[] = [];

export interface InterviewOptions {
  readonly env?: Record<string, string>;
  readonly vacancy?: Partial<VacancyDraft>;
}

/** An application on fake time with a model server. It does only what a test makes it do. */
export async function startInterviews({ env, vacancy }: InterviewOptions = {}): Promise<TestApp> {
  const app = await startTestApp({
    env: { INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: String(WINDOW_MS / 1000), ...env },
    vacancy: vacancyDraft(vacancy),
    clock: 'fake',
    isWorking: false,
    model: true,
  });
  return hold(app);
}

/** Another replica on the same database, for instance through a proxy. */
export async function startOther(
  app: TestApp,
  { env, ...options }: { databaseUrl?: string; env?: Record<string, string> } = {},
): Promise<TestApp> {
  return hold(await startReplica(app, { ...options, env: { ...app.options.env, ...env } }));
}

/** Stops the timers, which run on real time, and the signals of other replicas. */
async function hold(app: TestApp): Promise<TestApp> {
  await app.stopSweeps();
  await app.get(SignalConnection).close();
  return app;
}

/** The log must never contain this text; `closeInterviews` checks it. */
export function noteWritten(text: string): void {
  written.push(text);
}

/** Closes the application. Fails when the log contains the words of a candidate. */
export async function closeInterviews(app: TestApp): Promise<void> {
  await app.close();
  expect(written.filter((text) => app.log.countWords(text) > 0)).toEqual([]);
}

/** Replaces the channel "telegram", which is off, by one that can do what the test plugs in. */
export function plugTelegram(app: TestApp): TestTelegram {
  const telegram = new TestTelegram();
  const registry = app.get(ChannelRegistry) as unknown as { channels: Map<string, Channel> };
  registry.channels.set(telegram.name, telegram);
  return telegram;
}

/** Words that no log line contains by chance. */
export function words(about = 'bread'): string {
  return `I know ${about} ${randomUUID()}`;
}

/** Advances fake time, by the quiet time unless said otherwise. */
export function pause(app: TestApp, ms = WINDOW_MS): void {
  app.clock.advance(ms);
}

/** Claims the jobs that are due and waits until they are done. Returns how many were claimed. */
export async function work(app: TestApp): Promise<number> {
  const claimed = await app.worker.tick();
  await settled(app);
  return claimed;
}

/** Waits until no job runs in this process. */
export function settled(app: TestApp): Promise<void> {
  return untilInProcess('no job runs', () => app.isIdle());
}

/** Advances fake time step by step, and does all work that becomes due. */
export async function live(app: TestApp, totalMs: number, stepMs = 1000): Promise<void> {
  for (let passedMs = 0; passedMs < totalMs; passedMs += stepMs) {
    app.clock.advance(stepMs);
    await work(app);
  }
}

/** Waits for a promise while fake time passes. */
export async function inTime<T>(app: TestApp, promise: Promise<T>, stepMs = 50): Promise<T> {
  const state = { isOver: false };
  const done = promise.finally(() => (state.isOver = true));
  done.catch(() => undefined);
  while (!state.isOver) {
    app.clock.advance(stepMs);
    // The database runs on real time, so seconds of fake time must not pass within a moment.
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  return done;
}

/** The text of the reply that is being written, as readers of this process see it. */
export function visible(app: TestApp, conversationId: string): string {
  return app.get(LiveReplies).current(conversationId)?.text ?? '';
}
