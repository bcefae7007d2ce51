import { type TestApp, startTestApp } from '../../support/app';
import { EN, RU, type Person, begunPerson, BOT } from './telegram-person';

const OGG = Buffer.from('an ogg of thirty bytes or so..');

/** A conversation has limits. A message that does not fit is refused with a reply. */
describe('a conversation that is full', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({
      ...BOT,
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

  test('refuses a message with a reply and an attention item, and keeps the earlier messages', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.']) await ada.writes(text);

    await ada.writes('Barley.');

    expect(ada.heard.at(-1)).toBe(EN.full);
    expect(await ada.said()).toEqual(['Rye.', 'Spelt.', 'Wheat.', 'Oats.']);
    expect(await attention(ada)).toHaveLength(1);
  });

  test('is on Telegram from then on, so that what the team writes arrives there', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.']) await ada.writes(text);
    await app.sql(`update conversation set channel = 'web' where id = $1`, [
      await ada.conversationId(),
    ]);

    await ada.writes('Barley.');

    expect((await ada.conversation()).channel).toBe('telegram');
  });

  test('replies to every message that it refuses, but adds only one attention item', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.']) await ada.writes(text);

    await ada.writes('Barley.');
    await ada.writes('Millet.');
    await ada.does((user) => user.sendsPhoto(Buffer.from('jpg')));

    expect(ada.heard.filter((text) => text === EN.full)).toHaveLength(3);
    expect(await attention(ada)).toHaveLength(1);
    expect(await ada.said()).toHaveLength(4);
  });

  test('keeps its attention item when its candidate asks for a person and takes that back', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'Spelt.', 'Wheat.', 'Oats.', 'Barley.']) await ada.writes(text);

    await ada.asksForPerson();
    await ada.presses(EN.humanTakeBack);

    expect((await ada.conversation()).status).toBe('active');
    expect(await attention(ada)).toMatchObject([{ isClosed: false }]);
  });

  test('refuses a text that does not fit, and accepts a shorter one', async () => {
    const ada = await begunPerson(app);
    await ada.writes('x'.repeat(100));

    await ada.writes('y'.repeat(50));
    expect(ada.heard.at(-1)).toBe(EN.full);
    await ada.writes('Rye.');

    expect(await ada.said()).toEqual(['x'.repeat(100), 'Rye.']);
  });

  test('asks for text if only its recordings are over the limit', async () => {
    const ada = await begunPerson(app);
    const audio = Buffer.alloc(600, OGG);
    await ada.does((user) => user.sendsVoice(audio));

    await ada.does((user) => user.sendsVoice(audio));
    expect(ada.heard.at(-1)).toBe(EN.audioFull);
    await ada.writes('In words: rye.');

    expect(await ada.said()).toContain('In words: rye.');
    expect(await attention(ada)).toHaveLength(1);
  });

  test('keeps the caption of a recording for which it has no room', async () => {
    const ada = await begunPerson(app);
    const audio = Buffer.alloc(600, OGG);
    await ada.does((user) => user.sendsVoice(audio));

    await ada.does((user) => user.sendsVoice(audio, { caption: 'In short: rye.' }));

    expect(ada.heard.at(-1)).toBe(EN.audioFull);
    expect(await ada.said()).toContain('In short: rye.');
  });

  test('has Russian texts that say that the message was not stored', () => {
    expect(RU.full).toMatch(/не сохранено/);
    expect(RU.audioFull).toMatch(/не сохранено/);
  });
});
