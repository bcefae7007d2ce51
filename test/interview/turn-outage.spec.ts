import { DataSource } from 'typeorm';
import { ConversationRepository } from '../../src/interview/conversation.repository';
import { type ModelReply } from '../../tools/fake-model/model-server';
import { startInterviews, closeInterviews, words, pause, work, live } from './interviews';
import { newCandidate } from './interviewee';
import { ConversationViews } from '../../src/interview';
import { LiveReplies } from '../../src/streams';
import { QueueBreakers } from '../../src/jobs';
import { OutageNotifier } from '../../src/interview/turn/turn-ending';
import { ExpirySweep } from '../../src/buffer/flush';
import type { TestApp } from '../support/app';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews({ env: { INTERVIEW_BUFFER_TTL: '600' } });
});

// Time passes until a probe has closed the breaker that a test opened.
afterEach(async () => {
  await live(app, 70_000, 5000);
  expect(app.get(QueueBreakers).state('flush')).toBe('closed');
});

afterAll(() => closeInterviews(app));

async function untilClosed(): Promise<void> {
  for (let step = 0; step < 80 && app.get(QueueBreakers).state('flush') !== 'closed'; step += 1) {
    await live(app, 1000);
  }
}

const OUTAGES: readonly [string, ModelReply][] = [
  ['an internal error', { kind: 'status', status: 500 }],
  ['too many requests', { kind: 'status', status: 429, headers: { 'retry-after': '20' } }],
  ['an overload', { kind: 'status', status: 529 }],
  ['a connection that is dropped before any header', { kind: 'drop' }],
];

test.each(OUTAGES)(
  '%s opens the breaker and counts no failure, and the answer gets its reply later',
  async (_, reply) => {
    const candidate = await newCandidate(app);
    app.model.next(reply);

    await candidate.answer(words());

    expect(app.get(QueueBreakers).state('flush')).toBe('open');
    expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 0 }]);
    expect(await candidate.replies()).toEqual([]);
    await untilClosed();
    expect(await candidate.replies()).toHaveLength(1);
    expect(await candidate.attempts()).toEqual(['unavailable', 'ok']);
    expect(await candidate.requests()).toBe(1);
    expect(await candidate.turns()).toMatchObject([{ state: 'delivered', epoch: 2 }]);
    expect(await candidate.attention()).toEqual([]);
  },
);

test('a prompt that is refused while others succeed uses up its tries; the interview continues, and a person is notified', async () => {
  const candidate = await newCandidate(app);
  const postpone = (hours: number): Promise<unknown> =>
    app.commit((tx) =>
      tx.query(
        `update job set due_at = due_at + $2 * interval '1 hour' where key = $1 and state = 'retry'`,
        [candidate.id, hours],
      ),
    );
  const refusal: ModelReply = { kind: 'status', status: 403 };
  app.model.next(refusal);
  await candidate.answer('<script>alert(1)</script>');
  expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 0 }]);

  for (let failures = 1; failures <= 4; failures += 1) {
    await postpone(1);
    const other = await newCandidate(app);
    await other.answer(words());
    await untilClosed();
    expect(await other.replies()).toHaveLength(1);
    await postpone(-1);
    app.model.next(refusal);
    for (let step = 0; step < 60; step += 1) {
      if ((await candidate.attempts()).length > failures) break;
      await live(app, 1000);
    }
    expect(await candidate.jobs()).toMatchObject([{ failures }]);
    expect(app.get(QueueBreakers).state('flush')).toBe('closed');
  }
  await live(app, 30_000, 5000);

  expect(await candidate.replies()).toHaveLength(1);
  expect(await candidate.attention()).toMatchObject([{ kind: 'unanalysed' }]);
});

test('sends no request before the time in Retry-After', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'status', status: 429, headers: { 'retry-after': '45' } });
  await candidate.answer(words());
  const requestsBefore = app.model.requests.length;

  await live(app, 44_000, 4000);
  expect(app.model.requests).toHaveLength(requestsBefore);

  await untilClosed();
  expect(app.model.requests).toHaveLength(requestsBefore + 1);
});

test('logs the beginning and the end of an outage once, however many probes fail', async () => {
  const candidate = await newCandidate(app);
  const linesBefore = app.log.linesOf('OutageNotifier').length;
  const warningsBefore = app.log.warningsOf('OutageNotifier').length;
  const requestsBefore = app.model.requests.length;
  app.model.always({ kind: 'status', status: 503 });
  await candidate.answer(words());
  await live(app, 20_000);
  expect(app.model.requests.length - requestsBefore).toBeGreaterThan(2);

  app.model.always({ kind: 'completion', content: '{"verdict":"answered","text":"Back."}' });
  await untilClosed();

  expect(app.log.linesOf('OutageNotifier').slice(linesBefore)).toEqual([
    expect.stringContaining('the model cannot be reached'),
    expect.stringContaining('the model responds again'),
  ]);
  expect(app.log.warningsOf('OutageNotifier').slice(warningsBefore)).toEqual([
    expect.stringContaining('the model cannot be reached'),
  ]);
});

test('sends one probe at a time while the model is down', async () => {
  const candidates = [];
  for (let n = 0; n < 5; n += 1) candidates.push(await newCandidate(app));
  app.model.always({ kind: 'status', status: 503 });
  for (const candidate of candidates) await candidate.say(words());
  pause(app);
  await work(app);
  const first = app.model.requests.length;

  // Probes after 1, 2, 4, 8, 16 and then 30 s, each with jitter.
  await live(app, 120_000, 500);

  expect(app.model.requests.length - first).toBeLessThanOrEqual(14);
  app.model.always({ kind: 'completion', content: '{"verdict":"answered","text":"Back."}' });
  await untilClosed();
  await work(app);
  for (const candidate of candidates) expect(await candidate.replies()).toHaveLength(1);
});

test('an outage of an hour loses no answer, and each candidate gets one notice', async () => {
  const candidates = [];
  for (let n = 0; n < 3; n += 1) candidates.push(await newCandidate(app));
  await app.model.goDown();
  for (const candidate of candidates) await candidate.say(words());
  pause(app);

  for (let tenMinutes = 0; tenMinutes < 6; tenMinutes += 1) {
    await live(app, 600_000, 40_000);
    await app.get(OutageNotifier).notifyWaiting();
    await app.get(ExpirySweep).run();
    // One candidate writes a second answer, which waits behind the first.
    if (tenMinutes === 1) await candidates[0]?.say(words('more'));
  }

  for (const candidate of candidates) {
    expect(await candidate.notices()).toHaveLength(1);
    const { lines } = await app.commit((tx) => app.get(ConversationViews).page(tx, candidate.id));
    const marked = lines.filter(({ isOutageNotice }) => isOutageNotice);
    expect(marked.map(({ text }) => text)).toEqual(await candidate.notices());
    expect((await candidate.jobs())[0]).toMatchObject({ state: 'retry', failures: 0 });
    expect(await candidate.attention()).toEqual([]);
    expect(await candidate.replies()).toEqual([]);
  }
  await app.model.comeUp();
  await untilClosed();
  // The last job whose probe failed may wait for 30 s.
  await live(app, 30_000);
  for (const candidate of candidates) {
    const jobs = await candidate.jobs();
    expect(jobs.map(({ state }) => state)).toEqual(jobs.map(() => 'done'));
    expect(await candidate.notices()).toHaveLength(1);
    expect((await candidate.replies()).length).toBe(jobs.length);
  }
});

test('sends no notice of an outage after the reply is delivered', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'status', status: 503 });
  await candidate.answer(words());
  await untilClosed();

  app.clock.advance(60_000);
  expect(await app.get(OutageNotifier).notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([]);
});

test('sends no notice of an outage after a withdrawal', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'status', status: 503 });
  await candidate.answer(words());
  // By the reply to an earlier answer: this one was written meanwhile.
  const become = 'update conversation set status = $2 where id = $1';
  await app.sql(become, [candidate.id, 'withdrawn']);
  app.clock.advance(10_000);

  expect(await app.get(OutageNotifier).notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([]);
  await app.sql(become, [candidate.id, 'active']);
  await untilClosed();
});

test('sends no notice when the turn begins while the notice waits for the lock', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'status', status: 503 });
  const answerId = await candidate.answer(words());
  app.clock.advance(10_000);
  const conversations = app.get(ConversationRepository);
  const lock = conversations.lock.bind(conversations);
  const become = (state: string) =>
    app.get(DataSource).query('update job set state = $2 where id = $1', [answerId, state]);
  jest.spyOn(conversations, 'lock').mockImplementationOnce(async (tx, id) => {
    const conversation = await lock(tx, id);
    await become('running');
    return conversation;
  });

  expect(await app.get(OutageNotifier).notifyWaiting()).toBe(0);

  expect(await candidate.notices()).toEqual([]);
  await become('retry');
});

test('sends no notice of a short outage', async () => {
  const candidate = await newCandidate(app);
  app.model.next({ kind: 'status', status: 503 });
  await candidate.answer(words());

  expect(await app.get(OutageNotifier).notifyWaiting()).toBe(0);

  await untilClosed();
  expect(await candidate.notices()).toEqual([]);
});

test('an outage in the middle of a reply removes the shown text', async () => {
  const candidate = await newCandidate(app);
  app.model.next({
    kind: 'error_event',
    content: '{"verdict":"answered","text":"Half a',
    error: { code: 'rate_limit_exceeded' },
  });
  const requestsBefore = app.model.requests.length;

  await candidate.answer(words());

  expect(app.model.requests).toHaveLength(requestsBefore + 1);
  expect(app.get(LiveReplies).current(candidate.id)).toBeUndefined();
  expect(await candidate.replies()).toEqual([]);
  await untilClosed();
  const [reply] = await candidate.replies();
  expect(reply).not.toContain('Half a');
});
