import { MAX_MESSAGE_UNITS } from '../../src/buffer/message';
import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
beforeAll(async () => {
  setup = await TestBuffer.open();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

async function lastSeq(conversationId: string): Promise<number | undefined> {
  const rows = await setup.sql<{ last_seq: number }>(
    'select last_seq from conversation where id = $1',
    [conversationId],
  );
  return rows[0]?.last_seq;
}

describe('a message', () => {
  test('opens a buffer that is due after the quiet time of its channel', async () => {
    const conversation = await setup.conversation();

    const web = await setup.append(conversation, 'Hello');
    expect(await setup.dueInMs(conversation)).toBe(4000);
    await setup.append(conversation, 'and', { channel: 'telegram' });

    expect(await setup.dueInMs(conversation)).toBe(10_000);
    expect(web).toMatchObject({ seq: 1, isNew: true });
    expect(await setup.job(web.answerId)).toMatchObject({
      state: 'open',
      count: 2,
      chars: 'Hello'.length + 'and'.length,
      worker: setup.main.rig.replica.value,
    });
  });

  test('is stored with the open question, its buffer and the time of arrival', async () => {
    const conversation = await setup.conversation();
    await setup.sql(`update conversation set state = '{"openQuestion": "last"}' where id = $1`, [
      conversation,
    ]);

    const { messageId, answerId } = await setup.append(conversation, 'Rye.', { externalId: 'm1' });

    expect(await setup.waiting(conversation)).toEqual([
      {
        id: messageId,
        seq: 1,
        answerId,
        channel: 'web',
        externalId: 'm1',
        contentType: 'TEXT',
        text: 'Rye.',
        questionContext: 'last',
        receivedAt: setup.clock.now(),
        editedAt: null,
        beforeReply: false,
        amends: null,
        isPending: false,
      },
    ]);
  });

  test('with the same text as another is stored as well', async () => {
    const conversation = await setup.conversation();

    await setup.append(conversation, 'Yes');
    await setup.append(conversation, 'Yes');

    expect(await setup.texts(conversation)).toEqual(['Yes', 'Yes']);
  });

  test('of an unknown conversation is an error, and nothing is stored', async () => {
    const nobody = '00000000-0000-4000-8000-000000000000';

    await expect(setup.append(nobody, 'Hello')).rejects.toThrow('there is no such conversation');
    expect(await setup.jobs(nobody)).toEqual([]);
  });
});

describe('a redelivery', () => {
  test('adds no message, uses no number and changes no due time', async () => {
    const conversation = await setup.conversation();
    const first = await setup.append(conversation, 'Hello', { externalId: 'm1' });
    const before = await setup.job(first.answerId);
    setup.clock.advance(1500);

    const again = await setup.append(conversation, 'Hello', { externalId: 'm1' });

    expect(again).toEqual({ ...first, dueInMs: 2500, isNew: false });
    expect(await setup.job(first.answerId)).toEqual(before);
    expect(await lastSeq(conversation)).toBe(1);
    expect(await setup.append(conversation, 'next')).toMatchObject({ seq: 2 });
  });

  test('after the claim opens no empty buffer', async () => {
    const conversation = await setup.conversation();
    const first = await setup.append(conversation, 'Hello', { externalId: 'm1' });
    setup.clock.advance(4000);
    await setup.tick();

    const again = await setup.append(conversation, 'Hello', { externalId: 'm1' });

    expect(again).toMatchObject({ messageId: first.messageId, isNew: false });
    expect((await setup.jobs(conversation)).map((job) => job.state)).toEqual(['done']);
  });

  test.each(['web', 'telegram'] as const)(
    'with another text is refused on %s, and the first text stays',
    async (channel) => {
      const conversation = await setup.conversation();
      await setup.append(conversation, 'Hello', { channel, externalId: 'm1' });

      const reused = setup.append(conversation, 'Bye', { channel, externalId: 'm1' });

      await expect(reused).rejects.toMatchObject({ code: 'message_id_reused', retryable: false });
      expect(await setup.texts(conversation)).toEqual(['Hello']);
      expect(await lastSeq(conversation)).toBe(1);
    },
  );

  test('of a message that was edited meanwhile is a redelivery, and the edit stays', async () => {
    const conversation = await setup.conversation();
    await setup.append(conversation, 'Helo', { channel: 'telegram', externalId: 'm1' });
    await setup.edit(conversation, 'm1', 'Hello', 'telegram');

    const again = await setup.append(conversation, 'Helo', {
      channel: 'telegram',
      externalId: 'm1',
    });

    expect(again.isNew).toBe(false);
    expect(await setup.texts(conversation)).toEqual(['Hello']);
  });

  test('has the conversation, channel and id of the first message: the same id elsewhere is a new message', async () => {
    const [one, two] = [await setup.conversation(), await setup.conversation()];

    await setup.append(one, 'Hello', { externalId: '1' });
    await setup.append(one, 'Hello', { externalId: '1', channel: 'telegram' });
    await setup.append(two, 'Hello', { externalId: '1' });

    expect(await setup.texts(one)).toEqual(['Hello', 'Hello']);
    expect(await setup.texts(two)).toEqual(['Hello']);
  });
});

describe('a text that cannot be an answer is refused, and nothing is stored', () => {
  test.each([
    ['a NUL', 'a\0b', 'invalid_text'],
    ['half a surrogate pair', 'a\ud83d', 'invalid_text'],
    ['a reversed surrogate pair', '\ude00\ud83d', 'invalid_text'],
    ['one character too many', 'x'.repeat(MAX_MESSAGE_UNITS + 1), 'message_too_long'],
    ['nothing', '', 'blank_message'],
    ['white space', ' \t\r\n\u00a0\u2003', 'blank_message'],
    ['zero-width characters', '\u200b\u200d\ufeff\u2060', 'blank_message'],
  ])('%s', async (_name, text, code) => {
    const conversation = await setup.conversation();

    await expect(setup.append(conversation, text)).rejects.toMatchObject({ code });

    expect(await setup.jobs(conversation)).toEqual([]);
    expect(await lastSeq(conversation)).toBe(0);
  });

  test('an id with characters that PostgreSQL cannot store is refused', async () => {
    const conversation = await setup.conversation();

    const refused = setup.append(conversation, 'Hello', { externalId: 'm\0' });

    await expect(refused).rejects.toMatchObject({ code: 'invalid_text' });
  });

  test('a message of the maximum length and an emoji are accepted', async () => {
    const conversation = await setup.conversation();
    const longest = 'x'.repeat(MAX_MESSAGE_UNITS);

    await setup.append(conversation, longest);
    await setup.append(conversation, '👍');

    expect(await setup.texts(conversation)).toEqual([longest, '👍']);
  });

  test('each refusal is counted by its code', async () => {
    const conversation = await setup.conversation();
    await expect(setup.append(conversation, ' ')).rejects.toThrow();

    const { body } = await setup.registry.exposition();

    expect(body).toMatch(
      /colloquy_buffer_errors_total\{operation="append",code="blank_message"\} [1-9]/,
    );
  });
});

describe('with INTERVIEW_BUFFER_ENABLED=false', () => {
  test('every message is due at once', async () => {
    const off = setup.another({ INTERVIEW_BUFFER_ENABLED: 'false' });
    const conversation = await setup.conversation();
    const message = { conversationId: conversation, channel: 'telegram' as const, text: 'Hello' };

    await setup.commit((tx) => off.buffer.append(tx, { ...message, externalId: '1' }));
    await setup.commit((tx) =>
      off.buffer.noteActivity(tx, { conversationId: conversation, kind: 'typing' }),
    );

    expect(await setup.dueInMs(conversation)).toBe(0);
    await setup.tick(off);
    expect(off.turns.requests.map((request) => request.text)).toEqual(['Hello']);
  });

  test('a message that joins a waiting buffer makes it due at once', async () => {
    const off = setup.another({ INTERVIEW_BUFFER_ENABLED: 'false' });
    const conversation = await setup.conversation();
    await setup.append(conversation, 'one', { channel: 'telegram' });

    await setup.commit((tx) =>
      off.buffer.append(tx, {
        conversationId: conversation,
        channel: 'web',
        externalId: '2',
        text: 'two',
      }),
    );

    expect(await setup.dueInMs(conversation)).toBe(0);
  });
});
