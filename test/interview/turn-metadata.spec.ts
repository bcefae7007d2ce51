import { MetadataService } from '../../src/interview';
import { startInterviews, closeInterviews, words, pause, inTime } from './interviews';
import { newCandidate } from './interviewee';
import type { TestApp } from '../support/app';

/** The metadata that turn.close writes while others write it too. */

let app: TestApp;
beforeAll(async () => {
  app = await startInterviews({ env: { OPENAI_API_KEY: '' } });
});
afterAll(() => closeInterviews(app));

test('a turn raises the version by one and keeps the fields of other writers', async () => {
  const candidate = await newCandidate(app);
  const store = app.get(MetadataService);
  await store.updateConversationMetadata(candidate.id, { pinCode: '••••-••45', other: [1] });

  await candidate.answer(words());

  const { metadata, metadata_version } = await candidate.state();
  expect(metadata_version).toBe(2);
  expect(metadata).toMatchObject({ pinCode: '••••-••45', other: [1], interviewStarted: true });
  expect(metadata['questionAnswers']).toHaveLength(1);
});

test('concurrent turns and other writers lose no update', async () => {
  const candidate = await newCandidate(app);
  const store = app.get(MetadataService);
  const questions = app.vacancy.plan.questions.length;
  const others: Promise<boolean>[] = [];

  for (let turn = 0; turn < questions; turn += 1) {
    for (let n = 0; n < 8; n += 1) {
      const updates = { [`other ${turn} ${n}`]: n };
      others.push(store.updateConversationMetadata(candidate.id, updates, { maxRetries: 100 }));
    }
    await candidate.answer(words());
  }
  const results = await inTime(app, Promise.all(others));

  expect(results).toEqual(others.map(() => true));
  const { status, metadata, metadata_version } = await candidate.state();
  expect(status).toBe('completed');
  expect(metadata_version).toBe(9 * questions);
  expect(metadata['questionAnswers']).toHaveLength(questions);
  expect(Object.keys(metadata).filter((key) => key.startsWith('other'))).toHaveLength(
    8 * questions,
  );
});

test('unreadable metadata does not stop a turn and is kept', async () => {
  const candidate = await newCandidate(app);
  await candidate.answer(words());
  const damaged = { questionAnswers: 'all of them', completedAt: {}, pinCode: '••••-••01' };
  await app.sql('update conversation set metadata = $2 where id = $1', [candidate.id, damaged]);

  await candidate.answer(words());

  expect(await candidate.turns()).toMatchObject([{ state: 'delivered' }, { state: 'delivered' }]);
  const { metadata } = await candidate.state();
  expect(metadata['pinCode']).toBe('••••-••01');
  expect(metadata['questionAnswers']).toHaveLength(1);
  expect(metadata['unreadable']).toEqual(
    expect.arrayContaining([
      { field: 'questionAnswers', value: 'all of them' },
      { field: 'completedAt', value: {} },
    ]),
  );
});

test('a message after the end does not change the time of completion', async () => {
  const candidate = await newCandidate(app);
  for (const _ of app.vacancy.plan.questions) await candidate.answer(words());
  const { metadata } = await candidate.state();
  pause(app, 60_000);

  await candidate.answer(words('an addition'));

  const after = (await candidate.state()).metadata;
  expect(metadata).toMatchObject({ interviewCompleted: true, lastQuestionAsked: null });
  expect(Date.parse(String(metadata['completedAt']))).not.toBeNaN();
  expect(after['completedAt']).toBe(metadata['completedAt']);
});
