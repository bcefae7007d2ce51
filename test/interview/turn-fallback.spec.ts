import { TranscriptLineRepository } from '../../src/interview';
import { OutageNotifier } from '../../src/interview/turn/turn-ending';
import { QueueBreakers } from '../../src/jobs';
import { type ModelReply, ModelServer } from '../../tools/fake-model/model-server';
import { probe } from '../health/probe';
import type { TestApp } from '../support/app';
import { newCandidate } from './interviewee';
import { closeInterviews, live, pause, startInterviews, words, work } from './interviews';

/* A second model replies while the first one's server is away. */

const DOWN: ModelReply = { kind: 'status', status: 503 };
const FIRST: ModelReply = { kind: 'completion', content: '{"verdict":"answered","text":"First."}' };
const SECOND: ModelReply = {
  kind: 'completion',
  content: '{"verdict":"answered","text":"Second."}',
};

let app: TestApp;
let second: ModelServer;

beforeEach(async () => {
  second = await ModelServer.start(SECOND);
  app = await startInterviews({
    env: {
      OPENAI_MODEL: 'first-model',
      OPENAI_FALLBACK_BASE_URL: second.baseUrl,
      OPENAI_FALLBACK_API_KEY: 'key-of-the-second',
      OPENAI_FALLBACK_MODEL: 'second-model',
    },
  });
  app.model.always(FIRST);
});

afterEach(async () => {
  await closeInterviews(app);
  await second.close();
});

async function trouble(): Promise<string | undefined> {
  return (await probe(app, 'ready')).body.details?.['model']?.trouble;
}

test('while the first one responds the second gets nothing', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer(words());

  expect(await candidate.replies()).toEqual([expect.stringMatching(/^First\./)]);
  expect(second.requests).toEqual([]);
});

test('an answer goes to the second one at once, as the same request, and the queue is not paused', async () => {
  app.model.always(DOWN);
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 1000, 200);

  expect(await candidate.replies()).toEqual([expect.stringMatching(/^Second\./)]);
  expect(await candidate.attempts()).toEqual(['unavailable', 'ok']);
  expect(await candidate.requests()).toBe(1);
  expect(await candidate.jobs()).toMatchObject([{ failures: 0 }]);
  expect(app.get(QueueBreakers).state('flush')).toBe('closed');
  expect(second.requests[0]?.headers['authorization']).toBe('Bearer key-of-the-second');
  expect(second.requests[0]?.body.model).toBe('second-model');
  await app.get(OutageNotifier).sweep();
  expect(await candidate.notices()).toEqual([]);
  expect(await trouble()).toContain('first-model cannot be reached, and second-model');
  expect(app.log.warningsOf('OutageNotifier')).toHaveLength(1);
});

test('the ledger, the stored request and the transcript name the model that was asked', async () => {
  app.model.always(DOWN);
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 1000, 200);

  const attempts = await app.sql(
    `select a.model, a.is_fallback, a.cost_usd, q.model as stored from llm_attempt a
     join reply_request q on q.attempt_id = a.id order by a.id`,
  );
  expect(attempts).toEqual([
    { model: 'first-model', is_fallback: false, cost_usd: null, stored: 'first-model' },
    { model: 'second-model', is_fallback: true, cost_usd: null, stored: 'second-model' },
  ]);
  const { lines } = await app.commit((tx) =>
    app.get(TranscriptLineRepository).page(tx, candidate.id, null),
  );
  const origins = lines.flatMap(({ origin }) => (origin === null ? [] : [origin]));
  expect(origins).toMatchObject([{ model: 'second-model', isFallback: true }]);
});

test('one answer at a time tries the first one again, and then all go to it', async () => {
  app.model.always(DOWN);
  const candidates = [];
  for (let n = 0; n < 5; n += 1) candidates.push(await newCandidate(app));
  for (const candidate of candidates) await candidate.answer(words());
  await live(app, 1000, 200);
  const tried = app.model.requests.length;

  // The breaker is due: all answers of one pass begin together.
  app.clock.advance(60_000);
  for (const candidate of candidates) await candidate.say(words());
  pause(app);
  await work(app);
  await live(app, 500, 100);
  expect(app.model.requests).toHaveLength(tried + 1);
  for (const candidate of candidates) expect(await candidate.replies()).toHaveLength(2);

  app.model.always(FIRST);
  app.clock.advance(60_000);
  await candidates[0]?.answer(words());
  const before = second.requests.length;
  await candidates[1]?.answer(words());

  expect((await candidates[0]?.replies())?.at(-1)).toMatch(/^First\./);
  expect((await candidates[1]?.replies())?.at(-1)).toMatch(/^First\./);
  expect(second.requests).toHaveLength(before);
  expect(await trouble()).toBeUndefined();
});

test('both down pause the queue as before, and whichever returns first replies', async () => {
  app.model.always(DOWN);
  second.always(DOWN);
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 1000, 200);

  expect(app.get(QueueBreakers).isOpen('flush')).toBe(true);
  expect(await trouble()).toContain('the model cannot be reached');
  await live(app, 120_000, 1000);
  expect(await candidate.jobs()).toMatchObject([{ state: 'retry', failures: 0 }]);
  expect(await candidate.replies()).toEqual([]);
  // Two servers, each probed as often as one.
  expect(app.model.requests.length + second.requests.length).toBeLessThanOrEqual(32);

  second.always(SECOND);
  await live(app, 70_000, 1000);

  expect(await candidate.replies()).toEqual([expect.stringMatching(/^Second\./)]);
  expect(app.get(QueueBreakers).state('flush')).toBe('closed');
});

test('a Retry-After of the first one is kept, and the second replies meanwhile', async () => {
  app.model.always({ kind: 'status', status: 429, headers: { 'retry-after': '45' } });
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 1000, 200);
  expect(await candidate.replies()).toHaveLength(1);

  const other = await newCandidate(app);
  await other.answer(words());

  expect(app.model.requests).toHaveLength(1);
  expect(await other.replies()).toEqual([expect.stringMatching(/^Second\./)]);
});

test('a failure of one reply is no outage: the first one is asked again', async () => {
  app.model.next({ kind: 'refusal', refusal: 'No.' });
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 5000);

  expect(second.requests).toEqual([]);
});

test('what one server does not support is not held against the other', async () => {
  second.next({
    kind: 'status',
    status: 400,
    error: { message: 'response_format json_schema is not supported' },
  });
  app.model.always(DOWN);
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  await live(app, 5000, 200);
  expect(second.requests.at(-1)?.body.response_format).toBeUndefined();

  app.model.always(FIRST);
  app.clock.advance(60_000);
  await candidate.answer(words());

  expect(app.model.requests.at(-1)?.body.response_format).toMatchObject({ type: 'json_schema' });
});
