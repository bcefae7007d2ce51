import { type TestApp, startTestApp } from '../../support/app';
import { EN, RU, type Person, begunPerson, TALK } from './talk';

const OGG = Buffer.from('an ogg of thirty bytes or so..');

/** A conversation has room for so much; what does not fit is told, never dropped. */
describe('a conversation that is full', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      ...TALK,
      env: {
        INTERVIEW_MAX_MESSAGES: '4',
        INTERVIEW_MAX_CHARS: '120',
        INTERVIEW_MAX_AUDIO_BYTES: '1000',
      },
    });
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  async function attention(person: Person): Promise<{ isClosed: boolean }[]> {
    return app.sql(
      `select closed_at is not null as "isClosed" from attention
       where conversation_id = $1 and kind = 'full'`,
      [await person.conversationId()],
    );
  }

  test('tells its candidate and a person, and keeps all that it has', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.']) await ada.writes(text);

    await ada.writes('Barley.');

    expect(ada.heard.at(-1)).toBe(EN.full);
    expect(await ada.said()).toEqual(['Rye.', 'Spelt.', 'Wheat.', 'Oats.']);
    expect(await attention(ada)).toHaveLength(1);
  });

  test('tells of every message that it refuses, and a person only once', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.']) await ada.writes(text);

    await ada.writes('Barley.');
    await ada.writes('Millet.');
    await ada.does((user) => user.sendsPhoto(Buffer.from('jpg')));

    expect(ada.heard.filter((text) => text === EN.full)).toHaveLength(3);
    expect(await attention(ada)).toHaveLength(1);
    expect(await ada.said()).toHaveLength(4);
  });

  test('stays in the list when its candidate asked for a person and takes it back', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.', 'Barley.']) await ada.writes(text);

    await ada.asksForPerson();
    await ada.presses(EN.humanTakeBack);

    expect((await ada.conversation()).status).toBe('active');
    expect(await attention(ada)).toMatchObject([{ isClosed: false }]);
  });

  test('takes a shorter text, and refuses an edit that does not fit', async () => {
    const ada = await begunPerson(app);
    await ada.writes('x'.repeat(100));

    await ada.writes('y'.repeat(50));
    expect(ada.heard.at(-1)).toBe(EN.full);
    await ada.writes('Rye.');

    expect(await ada.said()).toEqual(['x'.repeat(100), 'Rye.']);
  });

  test('asks for text where only its recordings are too many', async () => {
    const ada = await begunPerson(app);
    const audio = Buffer.alloc(600, OGG);
    await ada.does((user) => user.sendsVoice(audio));

    await ada.does((user) => user.sendsVoice(audio));
    expect(ada.heard.at(-1)).toBe(EN.audioFull);
    await ada.writes('In words: rye.');

    expect(await ada.said()).toContain('In words: rye.');
    expect(await attention(ada)).toHaveLength(1);
  });

  test('says so in Russian as well', () => {
    expect(RU.full).toMatch(/не сохранено/);
    expect(RU.audioFull).toMatch(/не сохранено/);
  });
});
