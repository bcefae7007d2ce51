import { textsOf } from '../../../src/interview/texts/texts';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

const KEPT = { answers: 180, media: 30 };
const ABOUT = { company: 'Crumb', owner: 'Ada', kept: KEPT, isStored: false };
const WORDS = textsOf('en').afterWithdrawal(ABOUT);

describe('a candidate who writes after they have withdrawn', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      env: { RETENTION_PRESET: 'de-agg', RETENTION_MEDIA_DAYS: '30' },
      isWorking: false,
    });
  });

  afterAll(() => app.close());

  async function withdrawn(): Promise<TestCandidate> {
    const candidate = await TestCandidate.begin(app);
    expect((await candidate.post('withdraw')).status).toBe(202);
    return candidate;
  }

  test('hears that it has ended, that no model reads on, how to reach a person, and what is kept', () => {
    for (const part of [
      'This interview has ended',
      'No AI model reads what you write here now, and it is not stored',
      'To reach a person',
      'at Crumb, Ada is responsible',
      'for 180 days after the last message, recordings and files for 30 days',
    ]) {
      expect(WORDS).toContain(part);
    }
    const russian = textsOf('ru').afterWithdrawal(ABOUT);
    expect(russian).toContain(
      'хранятся 180 дней после последнего сообщения, записи и файлы 30 дней',
    );
  });

  test('is refused with 409, for programs, with these words as its detail', async () => {
    const candidate = await withdrawn();

    const response = await candidate.send('m1', 'Wait.');

    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({
      status: 409,
      code: 'conversation_closed',
      detail: WORDS,
    });
  });

  test('is refused with the same words by the API of the AI SDK', async () => {
    const candidate = await withdrawn();

    const response = await fetch(`${app.url}/api/chat`, {
      method: 'POST',
      headers: candidate.headers,
      body: JSON.stringify({
        id: candidate.conversationId,
        messages: [{ role: 'user', id: 'm1', parts: [{ type: 'text', text: 'Wait.' }] }],
      }),
    });

    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ code: 'conversation_closed', detail: WORDS });
  });

  test('finds them on the page in both of its languages, and nothing of the message is stored', async () => {
    const candidate = await withdrawn();
    const before = await candidate.view();
    await candidate.send('m1', 'Wait.');

    const view = await candidate.view();

    expect(view).toMatchObject({
      status: 'withdrawn',
      afterWithdrawal: { en: WORDS, ru: textsOf('ru').afterWithdrawal(ABOUT) },
    });
    expect(view.messages).toEqual(before.messages);
  });

  test('is told nothing of it while the interview runs, or after the disclosure was declined', async () => {
    const candidate = await TestCandidate.arrive(app);
    expect(await candidate.view()).toMatchObject({ afterWithdrawal: null });
    const { version } = (await candidate.view()).disclosure;
    await candidate.post('consent', { version, accepted: false });

    const refused = (await (await candidate.send('m1', 'Rye.')).json()) as { detail?: string };

    expect(refused).toMatchObject({ code: 'conversation_closed' });
    expect(refused.detail).toBeUndefined();
  });
});

test.each([
  [1, '1 day after', '1 день после'],
  [2, '2 days after', '2 дня после'],
  [5, '5 days after', '5 дней после'],
  [21, '21 days after', '21 день после'],
  [180, '180 days after', '180 дней после'],
])('%d days are said in words', (days, english, russian) => {
  const about = { ...ABOUT, kept: { answers: days, media: days } };
  expect(textsOf('en').afterWithdrawal(about)).toContain(`for ${english} the last message.`);
  expect(textsOf('ru').afterWithdrawal(about)).toContain(`${russian} последнего сообщения.`);
});

test('without a retention period the words say that the answers stay until somebody deletes them', () => {
  const about = { ...ABOUT, kept: { answers: null, media: null } };
  expect(textsOf('en').afterWithdrawal(about)).toContain('kept until somebody deletes them.');
  expect(textsOf('ru').afterWithdrawal(about)).toContain('пока их кто-нибудь не удалит.');
});
