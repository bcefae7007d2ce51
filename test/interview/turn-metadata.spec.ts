import { MetadataService } from '../../src/interview';
import { TurnFixture, words } from './turn-fixture';

/** What turn.close says in the conversation's metadata, beside other writers of it. */

let fixture: TurnFixture;
beforeAll(async () => {
  fixture = await TurnFixture.open({ env: { OPENAI_API_KEY: '' } });
});
afterAll(() => fixture.close());

test('a turn makes one version, and keeps what others wrote', async () => {
  const candidate = await fixture.candidate();
  const store = fixture.main.get(MetadataService);
  await store.updateConversationMetadata(candidate.id, { pinCode: '••••-••45', other: [1] });

  await candidate.answer(words());

  const { metadata, metadata_version } = await candidate.state();
  expect(metadata_version).toBe(2);
  expect(metadata).toMatchObject({ pinCode: '••••-••45', other: [1], interviewStarted: true });
  expect(metadata['questionAnswers']).toHaveLength(1);
});

test('turns and other writers at the same time lose nothing of each other', async () => {
  const candidate = await fixture.candidate();
  const store = fixture.main.get(MetadataService);
  const questions = fixture.vacancy.plan.questions.length;
  const others: Promise<boolean>[] = [];

  for (let turn = 0; turn < questions; turn += 1) {
    for (let n = 0; n < 8; n += 1) {
      const updates = { [`other ${turn} ${n}`]: n };
      others.push(store.updateConversationMetadata(candidate.id, updates, { maxRetries: 100 }));
    }
    await candidate.answer(words());
  }
  const results = await fixture.inTime(Promise.all(others));

  expect(results).toEqual(others.map(() => true));
  const { status, metadata, metadata_version } = await candidate.state();
  expect(status).toBe('completed');
  expect(metadata_version).toBe(9 * questions);
  expect(metadata['questionAnswers']).toHaveLength(questions);
  expect(Object.keys(metadata).filter((key) => key.startsWith('other'))).toHaveLength(
    8 * questions,
  );
});

test('metadata that cannot be read stops no turn and is kept', async () => {
  const candidate = await fixture.candidate();
  await candidate.answer(words());
  const damaged = { questionAnswers: 'all of them', completedAt: {}, pinCode: '••••-••01' };
  await fixture.sql('update conversation set metadata = $2 where id = $1', [candidate.id, damaged]);

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

test('an interview is completed once: what comes after it does not move the time', async () => {
  const candidate = await fixture.candidate();
  for (const _ of fixture.vacancy.plan.questions) await candidate.answer(words());
  const { metadata } = await candidate.state();
  fixture.pause(60_000);

  await candidate.answer(words('an addition'));

  const after = (await candidate.state()).metadata;
  expect(metadata).toMatchObject({ interviewCompleted: true, lastQuestionAsked: null });
  expect(Date.parse(String(metadata['completedAt']))).not.toBeNaN();
  expect(after['completedAt']).toBe(metadata['completedAt']);
});
