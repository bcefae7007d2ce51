import { textsOf } from '../../../src/interview/texts/texts';
import { joined } from '../../../src/interview/prompts/turn-prompt';
import { type TestApp, startTestApp } from '../../support/app';
import { EN, type Person, BOT, WINDOW_MS, begunPerson, takeUpdate } from './telegram-person';

const JPG = Buffer.from('jpg');

/** All kinds of messages that people send. */
describe('messages', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp(BOT);
  });

  afterAll(async () => {
    expect(app.telegram.journal.violations).toEqual([]);
    await app.close();
  });

  /** The number of messages in each answer that got a reply. */
  async function answered(person: Person): Promise<number[]> {
    const rows = await app.sql<{ count: number }>(
      `select count(m.id)::int as count from turn t
       join message m on m.answer_id = t.answer_id and m.role = 'user'
       where t.conversation_id = $1 group by t.id order by t.id`,
      [await person.conversationId()],
    );
    return rows.map(({ count }) => count);
  }

  /** The answer as a model reads it. */
  async function read(person: Person): Promise<string> {
    const rows = await app.sql<{ text: string; joiner: string | null }>(
      `select text, joiner from message where conversation_id = $1 and role = 'user' order by seq`,
      [await person.conversationId()],
    );
    return joined(rows);
  }

  async function attachments(person: Person): Promise<(string | undefined)[]> {
    return (await person.lines())
      .filter(({ role }) => role === 'user')
      .map(({ attachment }) => attachment?.kind);
  }

  test('several messages are one answer, with one reply', async () => {
    const ada = await begunPerson(app);
    for (const text of ['Rye.', 'With caraway.', 'And a dark crust.']) await ada.writes(text);

    await app.pass(WINDOW_MS);

    expect(await answered(ada)).toEqual([3]);
    expect(ada.heard).toEqual([expect.stringContaining('Why bread?')]);
  });

  test('a long answer gets one short message that it is read, and stays open', async () => {
    const ada = await begunPerson(app);
    await ada.writes(`${'All about bread. '.repeat(100)}And`);
    await ada.writes('more.');

    await app.settle();

    expect(ada.heard).toEqual([textsOf('en').readingAlong]);
    expect(await ada.buffer()).toMatchObject({ count: 2 });
    await app.pass(WINDOW_MS);
    expect(await answered(ada)).toEqual([2]);
    expect(ada.heard).toHaveLength(2);
  });

  test('a long text that the client has split is one answer', async () => {
    const ada = await begunPerson(app);
    const text = 'All about bread. '.repeat(560).trim();

    await ada.does((user) => user.pastes(text));
    await app.pass(WINDOW_MS);

    expect((await ada.said()).join('').replace(/ /g, '')).toBe(text.replace(/ /g, ''));
    expect(await answered(ada)).toEqual([3]);
    expect(await read(ada)).toBe(text);
  });

  test('a forward and the comment before it are one answer, and the forward is stored as a forward', async () => {
    const ada = await begunPerson(app);
    ada.user.writes('This is what my teacher said:');
    await ada.does((user) => user.forwards('Ada bakes well.', 'Teacher'));

    await app.pass(WINDOW_MS);

    expect(await answered(ada)).toEqual([2]);
    const own = (await ada.lines()).filter(({ role }) => role === 'user');
    expect(own.map(({ attachment }) => attachment)).toEqual([
      null,
      { kind: 'text', author: { how: 'forwarded', name: 'Teacher' } },
    ]);
  });

  test.each([
    ['sticker', '[sticker: 👍]', (p: Person) => p.does((user) => user.sendsSticker())],
    [
      'contact',
      '[contact: Ada, +1555]',
      (p: Person) => p.does((user) => user.sendsContact('+1555')),
    ],
    [
      'location',
      '[location: 52.00000, 13.00000]',
      (p: Person) => p.does((user) => user.sendsLocation(52, 13)),
    ],
    ['video', '[video]', (p: Person) => p.does((user) => user.sendsVideo(JPG))],
  ])('a %s is kept and gets a polite reply', async (kind, shown, send) => {
    const ada = await begunPerson(app);

    await send(ada);

    expect(ada.heard).toEqual([EN.attachmentKept]);
    expect(await ada.said()).toEqual([shown]);
    expect(await attachments(ada)).toEqual([kind]);
    expect(await ada.buffer()).toBeUndefined();
  });

  test.each([
    ['poll', { poll: { id: '1', question: 'Bread?', options: [] } }, '[poll: Bread?]'],
    ['dice', { dice: { emoji: '🎲', value: 3 } }, '[dice: 🎲 3]'],
    [
      'animation',
      {
        animation: { file_id: 'a', file_unique_id: 'b', width: 1, height: 1, duration: 1 },
        document: { file_id: 'a', file_unique_id: 'b' },
      },
      '[animation]',
    ],
  ])('a %s is kept and gets a polite reply, too', async (_, content, shown) => {
    const ada = await begunPerson(app);

    await ada.does((user) => {
      (user as unknown as { sends(c: object): void }).sends({ from: user.user, ...content });
    });

    expect(ada.heard).toEqual([EN.attachmentKept]);
    expect(await ada.said()).toEqual([shown]);
  });

  test('a video’s caption is part of the answer, and its edit changes it', async () => {
    const ada = await begunPerson(app);
    const { message_id: id } = ada.user.sendsVideo(JPG, { caption: 'My bred' });
    await app.settle();

    await ada.does((user) => user.edits(id, 'My bread'));
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['[video] My bread']);
    expect(await answered(ada)).toEqual([1]);
  });

  test('an edit of a pending message changes the answer', async () => {
    const ada = await begunPerson(app);
    const id = await ada.writes('I bake rey.');

    await ada.does((user) => user.edits(id, 'I bake rye.'));
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rye.']);
    expect(await answered(ada)).toEqual([1]);
  });

  test('an edit after the reply is an amendment, once', async () => {
    const ada = await begunPerson(app);
    const id = await ada.writes('I bake rey.');
    await app.pass(WINDOW_MS);

    const edited = ada.user.edits(id, 'I bake rye.');
    await app.settle();
    await takeUpdate(app, { update_id: 900_000_001, edited_message: edited });
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rey.', 'I bake rye.']);
    expect((await ada.lines()).filter(({ isAmendment }) => isAmendment)).toHaveLength(1);
  });

  test('an edit after the reply does not answer the next question, and the newest text counts', async () => {
    const ada = await begunPerson(app);
    const id = await ada.writes('I bake rey.');
    await app.pass(WINDOW_MS);
    const waiting = ada.lastHeard;

    for (const text of ['I bake rye.', 'I bake wheat.', 'I bake rye.']) {
      await ada.does((user) => user.edits(id, text));
    }
    await app.pass(WINDOW_MS);
    await ada.does((user) => user.edits(id, 'I bake rey.'));
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(['I bake rey.', 'I bake rye.', 'I bake rey.']);
    expect(textsOf('en').questionAbove.some((one) => ada.lastHeard.endsWith(one))).toBe(true);
    expect(ada.heard.filter((text) => text === waiting)).toHaveLength(1);
    const [conversation] = await app.sql(
      `select (state ->> 'questionIndex')::int as question from conversation where id = $1`,
      [await ada.conversationId()],
    );
    expect(conversation).toEqual({ question: 1 });
  });

  test('an edit of a message that never arrived is a message', async () => {
    const ada = await begunPerson(app);
    const date = Math.floor(app.clock.now().getTime() / 1000);
    const message = { message_id: 77_777, date, chat: { id: ada.id, type: 'private' } };
    const edited_message = { ...message, from: ada.user.user, edit_date: date, text: 'Was lost.' };

    await takeUpdate(app, { update_id: 900_000_002, edited_message });

    expect(await ada.said()).toEqual(['Was lost.']);
  });

  test('a message that arrives twice counts once', async () => {
    const ada = await begunPerson(app);
    const message = ada.user.writes('Only once.');
    await app.settle();

    await takeUpdate(app, { update_id: 900_000_003, message });

    expect(await ada.said()).toEqual(['Only once.']);
  });

  test.each([
    ['2048 emoji', '🍞'.repeat(2048)],
    ['words from right to left', 'أخبز خبز الجاودار \u202eالخبز'],
    ['zero-width characters', 'r\u200by\u200de\u2060 bread'],
    ['HTML', '<b>bold</b> & <script>alert(1)</script> <i>'],
    ['special characters of Markdown', '*_`[ ~ ]( . - ! |'],
  ])('a text with %s arrives as it was written', async (_, text) => {
    const ada = await begunPerson(app);

    await ada.writes(text);
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual([text]);
    expect(await answered(ada)).toEqual([1]);
  });

  test('NUL and halves of characters become spaces, and the message is kept', async () => {
    const ada = await begunPerson(app);

    await ada.writes('rye\u0000bread \ud83c and \udf5e more');

    expect(await ada.said()).toEqual(['rye bread   and   more']);
  });

  test('an invisible text is refused with a reply', async () => {
    const ada = await begunPerson(app);

    await ada.writes('\u200b\u2060\u200d');

    expect(ada.heard).toEqual([EN.blank]);
    expect(await ada.said()).toEqual([]);
  });

  test('of 60 messages at once none is lost: the first 50 force the flush, the rest follows', async () => {
    const ada = await begunPerson(app);
    const texts = Array.from({ length: 60 }, (_, n) => `Loaf number ${String(n)}.`);
    for (const text of texts) ada.user.writes(text);
    await app.settle();
    await app.pass(WINDOW_MS);
    await app.pass(WINDOW_MS);

    expect(await ada.said()).toEqual(texts);
    const answers = await answered(ada);
    expect(answers.reduce((sum, count) => sum + count, 0)).toBe(60);
    expect(answers[0]).toBeGreaterThanOrEqual(50);
    expect(answers.length).toBeLessThanOrEqual(2);
  });
});
