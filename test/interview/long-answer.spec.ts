import { textsOf } from '../../src/interview/texts/texts';
import { startInterviews, startOther, closeInterviews, pause, words, work } from './interviews';
import { type Interviewee, newCandidate } from './interviewee';
import { BufferService } from '../../src/buffer';
import { LONG_ANSWER } from '../../src/buffer/answer-pace';
import { randomUUID } from 'node:crypto';
import type { TestApp } from '../support/app';
import { withConstants } from '../support/constants';

const LONG_CHARS = 400;
const LONG_MS = 10_000;
const NOTICE = textsOf('en').readingAlong;

let app: TestApp;
let other: TestApp;

withConstants(LONG_ANSWER, { chars: LONG_CHARS, ms: LONG_MS });

beforeAll(async () => {
  app = await startInterviews();
  other = await startOther(app);
  await other.worker.tick();
});

afterAll(() => closeInterviews(app));

/** Sends a message and leaves its jobs to whoever works next. */
async function write(candidate: Interviewee, chars = 60, by = app): Promise<void> {
  await by.commit((tx) =>
    by.get(BufferService).append(tx, {
      conversationId: candidate.id,
      channel: 'web',
      externalId: randomUUID(),
      text: words().padEnd(chars, '.'),
    }),
  );
}

function type(candidate: Interviewee): Promise<unknown> {
  return app.commit((tx) =>
    app.get(BufferService).noteActivity(tx, { conversationId: candidate.id, kind: 'typing' }),
  );
}

async function countNotices(candidate: Interviewee): Promise<number> {
  const lines = await candidate.lines();
  return lines.filter(({ role, text }) => role === 'system' && text === NOTICE).length;
}

test('a long answer gets one notice that it is being read, asks no model for it, and stays open', async () => {
  const candidate = await newCandidate(app);
  await write(candidate, LONG_CHARS - 1);
  await work(app);
  expect(await countNotices(candidate)).toBe(0);
  const requestsBefore = app.model.requests.length;
  const dueBefore = await app.commit((tx) =>
    app.get(BufferService).dueAt(tx, { conversationId: candidate.id }),
  );

  for (let message = 0; message < 3; message += 1) {
    await write(candidate);
    await work(app);
  }

  expect(await countNotices(candidate)).toBe(1);
  expect(app.model.requests).toHaveLength(requestsBefore);
  expect(await candidate.jobs()).toMatchObject([{ state: 'open', count: 4 }]);
  expect(
    await app.commit((tx) => app.get(BufferService).dueAt(tx, { conversationId: candidate.id })),
  ).toEqual(dueBefore);
  pause(app);
  await work(app);
  expect(await candidate.replies()).toHaveLength(1);
});

test('the next long answer gets a notice of its own', async () => {
  const candidate = await newCandidate(app);
  for (let answer = 0; answer < 2; answer += 1) {
    await write(candidate, LONG_CHARS);
    await work(app);
    pause(app);
    await work(app);
  }

  expect(await candidate.replies()).toHaveLength(2);
  expect(await countNotices(candidate)).toBe(2);
});

test('an answer of many messages or long typing gets the notice too', async () => {
  for (const goOn of [write, type]) {
    const candidate = await newCandidate(app);
    await write(candidate);
    for (let passedMs = 0; passedMs < LONG_MS; passedMs += 2000) {
      await work(app);
      expect(await countNotices(candidate)).toBe(0);
      pause(app, 2000);
      await goOn(candidate);
    }

    await work(app);

    expect(await countNotices(candidate)).toBe(1);
    pause(app, 60_000);
    await work(app);
  }
});

test('another process sends the notice once after the first process is gone', async () => {
  const candidate = await newCandidate(app);
  await write(candidate, LONG_CHARS);

  await work(other);
  await app.sql(
    `insert into job (queue, key, first_at, due_at, payload)
     select queue, key, first_at, $2, payload from job where queue = 'long-answer' and key = $1`,
    [candidate.id, app.clock.now()],
  );
  await work(app);

  expect(
    await app.sql(`select state from job where queue = 'long-answer' and key = $1`, [candidate.id]),
  ).toEqual([{ state: 'done' }, { state: 'done' }]);
  expect(await countNotices(candidate)).toBe(1);
  pause(app);
  await work(app);
});

test('an answer that was claimed first gets only its reply', async () => {
  const candidate = await newCandidate(app);
  await write(candidate, LONG_CHARS);
  await app.sql(
    `update job set due_at = due_at + interval '1 minute'
     where queue = 'long-answer' and key = $1`,
    [candidate.id],
  );
  pause(app);
  await work(app);
  expect(await candidate.replies()).toHaveLength(1);

  pause(app, 60_000);
  await work(app);

  expect(await countNotices(candidate)).toBe(0);
});

test('without the buffer no answer becomes long, by its length or by its time', async () => {
  const without = await startOther(app, { env: { INTERVIEW_BUFFER_ENABLED: 'false' } });
  const candidate = await newCandidate(app);

  await write(candidate, 5 * LONG_CHARS, without);
  pause(app, LONG_MS);
  await write(candidate, 5 * LONG_CHARS, without);

  expect(
    await app.sql(`select from job where queue = 'long-answer' and key = $1`, [candidate.id]),
  ).toEqual([]);
});
