import { settingsForTests } from '../support/settings';
import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({ INTERVIEW_BUFFER_MAX_CHARS: '100' });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

function say(text: string, externalId: string) {
  return setup.append(conversation, text, { channel: 'telegram', externalId });
}

function edit(externalId: string, text: string) {
  return setup.edit(conversation, externalId, text, 'telegram');
}

describe('an edit', () => {
  test('of a waiting message changes its text and length, and extends the wait like typing', async () => {
    const { answerId } = await say('I backed rye', 'm1');
    setup.clock.advance(9000);

    expect(await edit('m1', 'I baked rye')).toBe('edited');

    expect(await setup.texts(conversation)).toEqual(['I baked rye']);
    expect((await setup.job(answerId)).chars).toBe('I baked rye'.length);
    expect(await setup.dueInMs(conversation)).toBe(5000);
  });

  test('to the same text changes nothing before or after the claim', async () => {
    const { answerId } = await say('rye', 'm1');
    const before = await setup.job(answerId);
    setup.clock.advance(1000);
    expect(await edit('m1', 'rye')).toBe('edited');
    expect(await setup.job(answerId)).toEqual(before);
    setup.clock.advance(9000);
    await setup.tick();

    expect(await edit('m1', 'rye')).toBe('edited');

    expect(await setup.jobs(conversation)).toHaveLength(1);
  });

  test('that crosses the limit of characters forces the flush', async () => {
    await say('rye', 'm1');

    await edit('m1', 'r'.repeat(100));

    expect(await setup.dueInMs(conversation)).toBe(0);
  });

  test('after Done does not delay the buffer', async () => {
    await say('rye', 'm1');
    await setup.done(conversation);

    await edit('m1', 'Rye');

    expect(await setup.dueInMs(conversation)).toBe(1000);
  });

  test('after the claim is an amendment: a new message that refers to the old one', async () => {
    const { messageId } = await say('rye', 'm1');
    setup.clock.advance(10_000);
    await setup.tick();

    expect(await edit('m1', 'wheat, sorry')).toBe('amendment');
    expect(await edit('m1', 'wheat, sorry')).toBe('amendment');

    expect(await setup.waiting(conversation)).toMatchObject([
      { text: 'wheat, sorry', amends: messageId, seq: 3 },
    ]);
    expect(setup.main.turns.requests).toMatchObject([{ text: 'rye' }]);
  });

  test('repeated after the claim leaves only the newest text waiting', async () => {
    await say('rye', 'm1');
    setup.clock.advance(10_000);
    await setup.tick();

    for (const text of ['wheat', 'spelt', 'wheat'])
      expect(await edit('m1', text)).toBe('amendment');
    expect(await setup.texts(conversation)).toEqual(['wheat']);
    await edit('m1', 'rye');
    expect(await setup.texts(conversation)).toEqual(['rye']);
    expect(await setup.jobs(conversation)).toMatchObject([{}, { count: 1, chars: 3 }]);
  });

  test('repeated between replies is a new amendment each time', async () => {
    await say('rye', 'm1');
    for (const text of ['wheat', 'rye', 'wheat']) {
      setup.clock.advance(10_000);
      await setup.tick();
      expect(await edit('m1', text)).toBe('amendment');
    }
    setup.clock.advance(10_000);
    await setup.tick();

    expect(setup.main.turns.requests.map(({ text }) => text)).toEqual([
      'rye',
      'wheat',
      'rye',
      'wheat',
    ]);
  });

  test('of a message whose buffer waits for a retry is an amendment, because the claim sealed it', async () => {
    await say('rye', 'm1');
    setup.main.turns.fates.push('fails');
    setup.clock.advance(10_000);
    await setup.tick();
    expect((await setup.jobs(conversation))[0]?.state).toBe('retry');

    expect(await edit('m1', 'wheat')).toBe('amendment');

    expect(await setup.texts(conversation)).toEqual(['rye', 'wheat']);
  });

  test('of an unknown message is refused with message_unknown', async () => {
    await expect(edit('m404', 'wheat')).rejects.toMatchObject({ code: 'message_unknown' });
  });

  test('to a blank text is refused, and the first text stays', async () => {
    await say('rye', 'm1');

    await expect(edit('m1', ' \n')).rejects.toMatchObject({ code: 'blank_message' });

    expect(await setup.texts(conversation)).toEqual(['rye']);
  });
});

test('a correction on another channel keeps the learned quiet time and waits for the setting', async () => {
  await say('words', 'old');
  setup.clock.advance(60_000);
  await setup.tick();
  await setup.sql(
    `update conversation set channel = 'web', quiet_ms = '{2500,3000,3500}', quiet_channel = 'web'
     where id = $1`,
    [conversation],
  );

  expect(await edit('old', 'corrected')).toBe('amendment');

  const sql = 'select quiet_ms as "quietMs", channel from conversation where id = $1';
  const kept = { quietMs: [2500, 3000, 3500], channel: 'web' };
  expect(await setup.one(sql, [conversation])).toEqual(kept);
  expect(await setup.dueInMs(conversation)).toBe(settingsForTests().buffer.debounceMs);
});

describe('a voice', () => {
  test('is stored at once and holds its buffer until the transcript comes', async () => {
    const { answerId } = await setup.voice(conversation, 'v1');
    setup.clock.advance(60_000);
    expect(await setup.tick()).toBe(0);
    expect(await setup.waiting(conversation)).toMatchObject([{ text: '', isPending: true }]);

    await setup.transcribed(conversation, 'v1', 'I baked rye');

    expect(await setup.job(answerId)).toMatchObject({ pending: 0, chars: 11 });
    await setup.tick();
    expect(setup.main.turns.requests).toMatchObject([{ text: 'I baked rye' }]);
  });

  test('releases its buffer only with the last transcript of several', async () => {
    await setup.voice(conversation, 'v1');
    await setup.voice(conversation, 'v2');
    setup.clock.advance(20_000);
    await setup.transcribed(conversation, 'v2', 'two');
    expect(await setup.tick()).toBe(0);

    await setup.transcribed(conversation, 'v1', 'one');

    await setup.tick();
    expect(setup.main.turns.requests).toMatchObject([{ text: 'one\n\ntwo' }]);
  });

  test('that is transcribed twice counts once, and stays transcribed when it is redelivered', async () => {
    const { answerId } = await setup.voice(conversation, 'v1');
    await setup.voice(conversation, 'v2');
    await setup.transcribed(conversation, 'v1', 'one');
    await setup.transcribed(conversation, 'v1', 'one, again');

    expect(await setup.voice(conversation, 'v1')).toMatchObject({ isNew: false });

    expect(await setup.job(answerId)).toMatchObject({ pending: 1, count: 2 });
    expect(await setup.texts(conversation)).toEqual(['one', '']);
  });

  test('that was not ready at the longest wait joins the later buffer and keeps its number', async () => {
    await say('First the text', 'm1');
    await setup.voice(conversation, 'v1');
    setup.clock.advance(120_000);
    await setup.tick();
    expect(setup.main.turns.requests).toMatchObject([{ text: 'First the text' }]);
    expect(await setup.waiting(conversation)).toMatchObject([{ isPending: true }]);
    await say('And more', 'm2');

    await setup.transcribed(conversation, 'v1', 'then the voice');

    expect(await setup.waiting(conversation)).toMatchObject([
      { text: 'then the voice', seq: 2, beforeReply: true },
      { text: 'And more', seq: 4, beforeReply: false },
    ]);
    const [, open] = await setup.jobs(conversation);
    expect(open).toMatchObject({ state: 'open', count: 2, pending: 0 });
  });

  test('that was alone in its buffer is an answer of its own, not an addition', async () => {
    await setup.voice(conversation, 'v1');
    setup.clock.advance(120_000);
    await setup.tick();
    expect(await setup.turnsOf(conversation)).toEqual([]);
    await say('text', 'm1');
    setup.clock.advance(10_000);
    await setup.tick();
    expect(await setup.turnsOf(conversation)).toMatchObject([{ state: 'delivered' }]);

    await setup.transcribed(conversation, 'v1', 'late');

    expect(await setup.waiting(conversation)).toMatchObject([{ text: 'late', beforeReply: false }]);
    setup.clock.advance(10_000);
    await setup.tick();
    expect(setup.main.turns.requests).toMatchObject([{ text: 'text' }, { text: 'late' }]);
  });
});
