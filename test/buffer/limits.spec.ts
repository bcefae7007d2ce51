import { type Fixture, BufferFixture } from './fixture';

describe('the limits of a conversation (messages, characters, audio bytes)', () => {
  let fixture: Fixture;
  beforeAll(async () => {
    fixture = await BufferFixture.open({
      INTERVIEW_MAX_MESSAGES: '3',
      INTERVIEW_MAX_CHARS: '100',
      INTERVIEW_MAX_AUDIO_BYTES: '1000',
    });
  });
  afterEach(() => fixture.reset());
  afterAll(() => fixture.close());

  interface Sent {
    readonly last_seq: number;
    readonly sent_messages: number;
    readonly sent_chars: string;
    readonly sent_audio_bytes: string;
  }

  async function sentIn(conversationId: string): Promise<Sent | undefined> {
    const rows = await fixture.sql<Sent>(
      `select last_seq, sent_messages, sent_chars, sent_audio_bytes from conversation
       where id = $1`,
      [conversationId],
    );
    return rows[0];
  }

  function voice(conversationId: string, externalId: string, audioBytes: number) {
    const more = { channel: 'telegram', externalId, isHeld: true, audioBytes } as const;
    return fixture.append(conversationId, '', more);
  }

  test('refuse a message over the limit and keep all earlier ones', async () => {
    const conversation = await fixture.conversation();
    for (const text of ['one', 'two', 'three']) await fixture.append(conversation, text);
    const before = await sentIn(conversation);

    const refused = fixture.append(conversation, 'four');

    await expect(refused).rejects.toMatchObject({
      code: 'conversation_full',
      retryable: false,
      fields: { limit: 'messages' },
    });
    expect(await fixture.texts(conversation)).toEqual(['one', 'two', 'three']);
    expect(await sentIn(conversation)).toEqual(before);
    expect(before).toMatchObject({ last_seq: 3, sent_messages: 3, sent_chars: '11' });
    expect(await fixture.jobs(conversation)).toMatchObject([{ count: 3, weight: 11 }]);
  });

  test('accept a shorter message after a longer one was refused', async () => {
    const conversation = await fixture.conversation();
    await fixture.append(conversation, 'x'.repeat(60));

    await expect(fixture.append(conversation, 'y'.repeat(41))).rejects.toMatchObject({
      code: 'conversation_full',
      fields: { limit: 'chars' },
    });
    await fixture.append(conversation, 'z'.repeat(40));

    expect(await sentIn(conversation)).toMatchObject({ sent_messages: 2, sent_chars: '100' });
  });

  test('never refuse a redelivery of a stored message', async () => {
    const conversation = await fixture.conversation();
    const text = 'x'.repeat(100);
    const first = await fixture.append(conversation, text, { externalId: 'm1' });

    const again = await fixture.append(conversation, text, { externalId: 'm1' });

    expect(again).toMatchObject({ messageId: first.messageId, seq: 1, isNew: false });
    expect(await sentIn(conversation)).toMatchObject({ last_seq: 1, sent_chars: '100' });
  });

  test('count each conversation on its own', async () => {
    const full = await fixture.conversation();
    const other = await fixture.conversation();
    await fixture.append(full, 'x'.repeat(100));

    await expect(fixture.append(full, 'more')).rejects.toMatchObject({ code: 'conversation_full' });
    await expect(fixture.append(other, 'more')).resolves.toMatchObject({ isNew: true });
  });

  test('accept text after the audio limit is reached', async () => {
    const conversation = await fixture.conversation();
    await voice(conversation, 'v1', 700);

    await expect(voice(conversation, 'v2', 301)).rejects.toMatchObject({ code: 'audio_full' });
    await fixture.append(conversation, 'then in words');

    expect(await sentIn(conversation)).toMatchObject({
      sent_messages: 2,
      sent_audio_bytes: '700',
    });
  });

  test('count the characters that an edit adds, and refuse an edit over the limit', async () => {
    const conversation = await fixture.conversation();
    await fixture.append(conversation, 'x'.repeat(90), { externalId: 'm1' });

    await fixture.edit(conversation, 'm1', 'x'.repeat(30));
    expect(await sentIn(conversation)).toMatchObject({ sent_chars: '30' });
    await expect(fixture.edit(conversation, 'm1', 'y'.repeat(101))).rejects.toMatchObject({
      code: 'conversation_full',
    });

    expect(await fixture.texts(conversation)).toEqual(['x'.repeat(30)]);
    expect(await sentIn(conversation)).toMatchObject({ sent_messages: 1, sent_chars: '30' });
  });

  test('count a transcript and never refuse it', async () => {
    const conversation = await fixture.conversation();
    await voice(conversation, 'v1', 10);

    await fixture.transcribed(conversation, 'v1', 'x'.repeat(150));

    expect(await fixture.texts(conversation)).toEqual(['x'.repeat(150)]);
    await expect(fixture.append(conversation, 'more')).rejects.toMatchObject({
      code: 'conversation_full',
    });
  });

  test('hold for messages that arrive at the same time', async () => {
    const conversation = await fixture.conversation();

    const sent = await Promise.allSettled(
      Array.from({ length: 6 }, (_, n) => fixture.append(conversation, `message ${String(n)}`)),
    );

    expect(sent.filter(({ status }) => status === 'fulfilled')).toHaveLength(3);
    expect(await sentIn(conversation)).toMatchObject({ last_seq: 3, sent_messages: 3 });
  });
});
