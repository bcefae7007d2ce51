import { LEARNED } from '../../src/buffer/answer-pace';
import type { TestApp } from '../support/app';
import { withConstants } from '../support/constants';
import { newCandidate } from './interviewee';
import { closeInterviews, startInterviews } from './interviews';

/** The quiet time of a candidate in the running application; the rules are in test/buffer. */

let app: TestApp;

withConstants(LEARNED, { enough: 2 });
beforeAll(async () => {
  app = await startInterviews({
    env: { INTERVIEW_BUFFER_LEARNING: 'true' },
  });
});
afterAll(() => closeInterviews(app));

test('is learned when an answer is claimed, once for each message', async () => {
  const candidate = await newCandidate(app);
  const learned = () =>
    app.one<{ messages: number; seq: number | null; quietMs: number[] | null }>(
      `select paced_messages as messages, paced_seq as seq, quiet_ms as "quietMs"
       from conversation where id = $1`,
      [candidate.id],
    );
  expect(await learned()).toEqual({ messages: 0, seq: null, quietMs: null });

  await candidate.answer('I build chat systems.');
  expect(await learned()).toMatchObject({ messages: 1, quietMs: null });
  await candidate.answer('And I keep them running.');

  const { messages, seq, quietMs } = await learned();
  const { last } = await app.one<{ last: number }>(
    `select max(seq) as last from message where conversation_id = $1 and role = 'user'`,
    [candidate.id],
  );
  expect(messages).toBe(2);
  expect(seq).toBe(last);
  expect(quietMs).toEqual([expect.any(Number), expect.any(Number), expect.any(Number)]);
});
