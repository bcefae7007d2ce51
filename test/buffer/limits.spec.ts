import { TestBuffer } from './test-buffer';

describe('the limits of a conversation (messages, characters, audio bytes)', () => {
  let setup: TestBuffer;
  beforeAll(async () => {
    setup = await TestBuffer.open({
      INTERVIEW_MAX_MESSAGES: '3',
      INTERVIEW_MAX_CHARS: '100',
      INTERVIEW_MAX_AUDIO_BYTES: '1000',
    });
  });
  afterEach(() => setup.reset());
  afterAll(() => setup.close());

  interface Sent {
    readonly last_seq: number;
    readonly sent_messages: number;
    readonly sent_chars: string;
    readonly sent_audio_bytes: string;
  }

  async function sentIn(conversationId: string): Promise<Sent | undefined> {
    const rows = await setup.sql<Sent>(
      `select last_seq, sent_messages, sent_chars, sent_audio_bytes from conversation
       where id = $1`,
      [conversationId],
    );
    return rows[0];
  }

  function voice(conversationId: string, externalId: string, mediaBytes: number) {
    const more = { channel: 'telegram', externalId, isPending: true, mediaBytes } as const;
    return setup.append(conversationId, '', more);
  }

  test('refuse a message over the limit and keep all earlier ones', async () => {
    const conversation = await setup.conversation();
    for (const text of ['one', 'two', 'three']) await setup.append(conversation, text);
    const before = await sentIn(conversation);

    const refused = setup.append(conversation, 'four');

    await expect(refused).rejects.toMatchObject({
      code: 'conversation_full',
      retryable: false,
      fields: { limit: 'messages' },
    });
    expect(await setup.texts(conversation)).toEqual(['one', 'two', 'three']);
    expect(await sentIn(conversation)).toEqual(before);
    expect(before).toMatchObject({ last_seq: 3, sent_messages: 3, sent_chars: '11' });
    expect(await setup.jobs(conversation)).toMatchObject([{ count: 3, chars: 11 }]);
  });

  test('accept a shorter message after a longer one was refused', async () => {
    const conversation = await setup.conversation();
    await setup.append(conversation, 'x'.repeat(60));

    await expect(setup.append(conversation, 'y'.repeat(41))).rejects.toMatchObject({
      code: 'conversation_full',
      fields: { limit: 'chars' },
    });
    await setup.append(conversation, 'z'.repeat(40));

    expect(await sentIn(conversation)).toMatchObject({ sent_messages: 2, sent_chars: '100' });
  });

  test('never refuse a redelivery of a stored message', async () => {
    const conversation = await setup.conversation();
    const text = 'x'.repeat(100);
    const first = await setup.append(conversation, text, { externalId: 'm1' });

    const again = await setup.append(conversation, text, { externalId: 'm1' });

    expect(again).toMatchObject({ messageId: first.messageId, seq: 1, isNew: false });
    expect(await sentIn(conversation)).toMatchObject({ last_seq: 1, sent_chars: '100' });
  });

  test('count each conversation on its own', async () => {
    const full = await setup.conversation();
    const other = await setup.conversation();
    await setup.append(full, 'x'.repeat(100));

    await expect(setup.append(full, 'more')).rejects.toMatchObject({ code: 'conversation_full' });
    await expect(setup.append(other, 'more')).resolves.toMatchObject({ isNew: true });
  });

  test('accept text after the audio limit is reached', async () => {
    const conversation = await setup.conversation();
    await voice(conversation, 'v1', 700);

    await expect(voice(conversation, 'v2', 301)).rejects.toMatchObject({ code: 'audio_full' });
    await setup.append(conversation, 'then in words');

    expect(await sentIn(conversation)).toMatchObject({
      sent_messages: 2,
      sent_audio_bytes: '700',
    });
  });

  test('count the characters that an edit adds, and refuse an edit over the limit', async () => {
    const conversation = await setup.conversation();
    await setup.append(conversation, 'x'.repeat(90), { externalId: 'm1' });

    await setup.edit(conversation, 'm1', 'x'.repeat(30));
    expect(await sentIn(conversation)).toMatchObject({ sent_chars: '30' });
    await expect(setup.edit(conversation, 'm1', 'y'.repeat(101))).rejects.toMatchObject({
      code: 'conversation_full',
    });

    expect(await setup.texts(conversation)).toEqual(['x'.repeat(30)]);
    expect(await sentIn(conversation)).toMatchObject({ sent_messages: 1, sent_chars: '30' });
  });

  test('count a transcript and never refuse it', async () => {
    const conversation = await setup.conversation();
    await voice(conversation, 'v1', 10);

    await setup.transcribed(conversation, 'v1', 'x'.repeat(150));

    expect(await setup.texts(conversation)).toEqual(['x'.repeat(150)]);
    await expect(setup.append(conversation, 'more')).rejects.toMatchObject({
      code: 'conversation_full',
    });
  });

  test('hold for messages that arrive at the same time', async () => {
    const conversation = await setup.conversation();

    const sent = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => setup.append(conversation, `message ${String(n)}`)),
    );

    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await sentIn(conversation)).toMatchObject({ last_seq: 3, sent_messages: 3 });
  });
});
