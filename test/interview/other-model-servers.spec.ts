import type { TestApp } from '../support/app';
import { replyWith } from '../../tools/fake-model/model-server';
import { newCandidate } from './interviewee';
import { closeInterviews, live, startInterviews, words } from './interviews';

let app: TestApp;

beforeAll(async () => {
  app = await startInterviews();
});

afterAll(() => closeInterviews(app));

test('a rejection of one answer changes no request of another candidate', async () => {
  const [first, second] = [await newCandidate(app), await newCandidate(app)];
  app.model.next({ kind: 'status', status: 400 });
  await first.answer(words());
  await second.answer(words());

  const [rejected, other] = app.model.requests.slice(-2).map(({ body }) => Object.keys(body));
  expect(other).toEqual(rejected);
  await live(app, 2000);
  expect(await first.attempts()).toEqual(['bad_request', 'ok']);
  expect(await second.attempts()).toEqual(['ok']);
});

test('reasoning that used up the output gets more room, and the job names the setting', async () => {
  const candidate = await newCandidate(app);
  const thought = 'data: {"choices":[{"delta":{"reasoning_content":"Weak."}}]}';
  const over = 'data: {"choices":[{"delta":{},"finish_reason":"length"}]}';
  app.model.next(
    { kind: 'lines', lines: [thought, over, 'data: [DONE]'] },
    replyWith('answered', 'Whole.'),
  );

  await candidate.answer(words());

  const [job] = await app.sql<{ last_error: string }>(
    `select j.last_error from job j where j.last_error like '%OPENAI_MAX_OUTPUT_TOKENS%'`,
  );
  expect(job).toBeDefined();
  const before = app.model.requests.at(-1)?.body.max_tokens ?? Infinity;
  await live(app, 2000);
  expect(app.model.requests.at(-1)?.body.max_tokens).toBeGreaterThan(before);
  expect(await candidate.attempts()).toEqual(['length', 'ok']);
});

test('the finish reason of another server ends a reply as "stop" does', async () => {
  const candidate = await newCandidate(app);
  const content = JSON.stringify({ verdict: 'answered', sources: '', text: 'Whole.' });
  const piece = `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: 'eos_token' }] })}`;
  app.model.next({ kind: 'lines', lines: [piece, 'data: [DONE]'] });

  await candidate.answer(words());

  expect(await candidate.attempts()).toEqual(['ok']);
  expect(await candidate.replies()).toEqual([expect.stringMatching(/^Whole\./)]);
});
