import { type Fixture, BufferFixture } from './fixture';

let fixture: Fixture;
let conversation: string;
beforeAll(async () => {
  fixture = await BufferFixture.open({ INTERVIEW_BUFFER_MAX_CHARS: '100' });
});
beforeEach(async () => {
  conversation = await fixture.conversation();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

function say(text: string, externalId: string) {
  return fixture.append(conversation, text, { channel: 'telegram', externalId });
}

function edit(externalId: string, text: string) {
  return fixture.edit(conversation, externalId, text, 'telegram');
}

describe('an edit', () => {
  test('of a waiting message changes its text and weight, and extends the wait like typing', async () => {
    const { bufferId } = await say('I backed rye', 'm1');
    fixture.db.clock.advance(9000);

    expect(await edit('m1', 'I baked rye')).toBe('edited');

    expect(await fixture.texts(conversation)).toEqual(['I baked rye']);
    expect((await fixture.job(bufferId)).weight).toBe('I baked rye'.length);
    expect(await fixture.dueInMs(conversation)).toBe(5000);
  });

  test('to the same text changes nothing before or after the claim', async () => {
    const { bufferId } = await say('rye', 'm1');
    const before = await fixture.job(bufferId);
    fixture.db.clock.advance(1000);
    expect(await edit('m1', 'rye')).toBe('edited');
    expect(await fixture.job(bufferId)).toEqual(before);
    fixture.db.clock.advance(9000);
    await fixture.tick();

    expect(await edit('m1', 'rye')).toBe('edited');

    expect(await fixture.jobs(conversation)).toHaveLength(1);
  });

  test('that crosses the limit of characters forces the flush', async () => {
    await say('rye', 'm1');

    await edit('m1', 'r'.repeat(100));

    expect(await fixture.dueInMs(conversation)).toBe(0);
  });

  test('after Done does not delay the buffer', async () => {
    await say('rye', 'm1');
    await fixture.done(conversation);

    await edit('m1', 'Rye');

    expect(await fixture.dueInMs(conversation)).toBe(1000);
  });

  test('after the claim is an amendment: a new message that refers to the old one', async () => {
    const { messageId } = await say('rye', 'm1');
    fixture.db.clock.advance(10_000);
    await fixture.tick();

    expect(await edit('m1', 'wheat, sorry')).toBe('amendment');
    expect(await edit('m1', 'wheat, sorry')).toBe('amendment');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'wheat, sorry', amends: messageId, seq: 3 },
    ]);
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'rye' }]);
  });

  test('repeated after the claim leaves only the newest text waiting', async () => {
    await say('rye', 'm1');
    fixture.db.clock.advance(10_000);
    await fixture.tick();

    for (const text of ['wheat', 'spelt', 'wheat'])
      expect(await edit('m1', text)).toBe('amendment');
    expect(await fixture.texts(conversation)).toEqual(['wheat']);
    await edit('m1', 'rye');
    expect(await fixture.texts(conversation)).toEqual(['rye']);
    expect(await fixture.jobs(conversation)).toMatchObject([{}, { count: 1, weight: 3 }]);
  });

  test('repeated between replies is a new amendment each time', async () => {
    await say('rye', 'm1');
    for (const text of ['wheat', 'rye', 'wheat']) {
      fixture.db.clock.advance(10_000);
      await fixture.tick();
      expect(await edit('m1', text)).toBe('amendment');
    }
    fixture.db.clock.advance(10_000);
    await fixture.tick();

    expect(fixture.main.turns.requests.map(({ text }) => text)).toEqual([
      'rye',
      'wheat',
      'rye',
      'wheat',
    ]);
  });

  test('of a message whose buffer waits for a retry is an amendment, because the claim sealed it', async () => {
    await say('rye', 'm1');
    fixture.main.turns.fates.push('fails');
    fixture.db.clock.advance(10_000);
    await fixture.tick();
    expect((await fixture.jobs(conversation))[0]?.state).toBe('retry');

    expect(await edit('m1', 'wheat')).toBe('amendment');

    expect(await fixture.texts(conversation)).toEqual(['rye', 'wheat']);
  });

  test('of an unknown message is refused with message_unknown', async () => {
    await expect(edit('m404', 'wheat')).rejects.toMatchObject({ code: 'message_unknown' });
  });

  test('to a blank text is refused, and the first text stays', async () => {
    await say('rye', 'm1');

    await expect(edit('m1', ' \n')).rejects.toMatchObject({ code: 'blank_message' });

    expect(await fixture.texts(conversation)).toEqual(['rye']);
  });
});

describe('a voice', () => {
  test('is stored at once and holds its buffer until the transcript comes', async () => {
    const { bufferId } = await fixture.voice(conversation, 'v1');
    fixture.db.clock.advance(60_000);
    expect(await fixture.tick()).toBe(0);
    expect(await fixture.waiting(conversation)).toMatchObject([{ text: '', isHeld: true }]);

    await fixture.transcribed(conversation, 'v1', 'I baked rye');

    expect(await fixture.job(bufferId)).toMatchObject({ holds: 0, weight: 11 });
    await fixture.tick();
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'I baked rye' }]);
  });

  test('releases its buffer only with the last transcript of several', async () => {
    await fixture.voice(conversation, 'v1');
    await fixture.voice(conversation, 'v2');
    fixture.db.clock.advance(20_000);
    await fixture.transcribed(conversation, 'v2', 'two');
    expect(await fixture.tick()).toBe(0);

    await fixture.transcribed(conversation, 'v1', 'one');

    await fixture.tick();
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'one\n\ntwo' }]);
  });

  test('that is transcribed twice counts once, and stays transcribed when it is redelivered', async () => {
    const { bufferId } = await fixture.voice(conversation, 'v1');
    await fixture.voice(conversation, 'v2');
    await fixture.transcribed(conversation, 'v1', 'one');
    await fixture.transcribed(conversation, 'v1', 'one, again');

    expect(await fixture.voice(conversation, 'v1')).toMatchObject({ isNew: false });

    expect(await fixture.job(bufferId)).toMatchObject({ holds: 1, count: 2 });
    expect(await fixture.texts(conversation)).toEqual(['one', '']);
  });

  test('that was not ready at the longest wait joins the later buffer and keeps its number', async () => {
    await say('First the text', 'm1');
    await fixture.voice(conversation, 'v1');
    fixture.db.clock.advance(120_000);
    await fixture.tick();
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'First the text' }]);
    expect(await fixture.waiting(conversation)).toMatchObject([{ isHeld: true }]);
    await say('And more', 'm2');

    await fixture.transcribed(conversation, 'v1', 'then the voice');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'then the voice', seq: 2, beforeReply: true },
      { text: 'And more', seq: 4, beforeReply: false },
    ]);
    const [, open] = await fixture.jobs(conversation);
    expect(open).toMatchObject({ state: 'open', count: 2, holds: 0 });
  });

  test('that was alone in its buffer is an answer of its own, not an addition', async () => {
    await fixture.voice(conversation, 'v1');
    fixture.db.clock.advance(120_000);
    await fixture.tick();
    expect(await fixture.turnsOf(conversation)).toEqual([]);

    await fixture.transcribed(conversation, 'v1', 'late');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'late', beforeReply: false },
    ]);
    fixture.db.clock.advance(10_000);
    await fixture.tick();
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'late' }]);
  });
});
