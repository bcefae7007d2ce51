import { type Fixture, BufferFixture } from './fixture';

let fixture: Fixture;
let conversation: string;
beforeAll(async () => {
  fixture = await BufferFixture.open({
    INTERVIEW_BUFFER_MAX_SIZE: '4',
    INTERVIEW_BUFFER_MAX_CHARS: '100',
    INTERVIEW_BUFFER_MAX_WAIT: '30',
  });
});
beforeEach(async () => {
  conversation = await fixture.conversation();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

function advance(ms: number): void {
  fixture.db.clock.advance(ms);
}

describe('typing and recording', () => {
  test('extend an open buffer by their own window', async () => {
    await fixture.append(conversation, 'I think');
    advance(3000);

    const { dueAt } = await fixture.type(conversation);

    expect(dueAt).not.toBeNull();
    expect(await fixture.dueInMs(conversation)).toBe(5000);
  });

  test('never shorten the wait of a buffer', async () => {
    await fixture.append(conversation, 'I think', { channel: 'telegram' });

    await fixture.type(conversation);

    expect(await fixture.dueInMs(conversation)).toBe(10_000);
  });

  test('never open a buffer', async () => {
    expect(await fixture.type(conversation)).toEqual({ dueAt: null });
    expect(await fixture.jobs(conversation)).toEqual([]);
  });

  test('change nothing in a buffer that is full, sealed or claimed', async () => {
    for (const text of ['1', '2', '3', '4']) await fixture.append(conversation, text);
    const sealed = await fixture.conversation();
    await fixture.append(sealed, 'that is all');
    await fixture.done(sealed);
    const claimed = await fixture.conversation();
    await fixture.append(claimed, 'hello');
    fixture.main.turns.fates.push('crashes_after_open');
    advance(0);

    expect(await fixture.type(conversation)).toEqual({ dueAt: null });
    expect(await fixture.dueInMs(conversation)).toBe(0);
    expect(await fixture.type(sealed)).toEqual({ dueAt: null });
    expect(await fixture.dueInMs(sealed)).toBe(1000);
    await fixture.sql(`update job set state = 'running' where key = $1`, [claimed]);
    expect(await fixture.type(claimed)).toEqual({ dueAt: null });
  });

  test('change nothing in a buffer with the maximum of characters', async () => {
    const full = fixture.another({ INTERVIEW_BUFFER_MAX_CHARS: '100' });
    await fixture.append(conversation, 'x'.repeat(100));

    expect(
      await fixture.commit((tx) =>
        full.buffer.noteActivity(tx, { conversationId: conversation, kind: 'typing' }),
      ),
    ).toEqual({ dueAt: null });
  });

  test('are counted by kind', async () => {
    const activity = { conversationId: conversation, kind: 'recording' as const };
    await fixture.commit((tx) => fixture.buffer.noteActivity(tx, activity));

    const { body } = await fixture.main.rig.metrics.exposition();

    expect(body).toContain('colloquy_buffer_activity_total{kind="recording"} 1');
  });
});

describe('Done', () => {
  test('makes the buffer due after 1 s', async () => {
    await fixture.append(conversation, 'that is all', { channel: 'telegram' });

    const { dueAt } = await fixture.done(conversation);

    expect(dueAt).toEqual(new Date(fixture.db.clock.now().getTime() + 1000));
  });

  test('pressed twice does not restart the wait of 1 s', async () => {
    await fixture.append(conversation, 'that is all');
    await fixture.done(conversation);
    advance(600);

    await fixture.done(conversation);

    expect(await fixture.dueInMs(conversation)).toBe(400);
  });

  test('is undone by another message, which gets its whole window', async () => {
    await fixture.append(conversation, 'that is all');
    await fixture.done(conversation);

    const { bufferId } = await fixture.append(conversation, 'wait, one more');

    expect(await fixture.dueInMs(conversation)).toBe(4000);
    expect((await fixture.job(bufferId)).sealed).toBe(false);
  });

  test('waits for a voice that is still being transcribed', async () => {
    await fixture.voice(conversation, 'v1');
    await fixture.done(conversation);
    expect(await fixture.dueInMs(conversation)).toBe(30_000);
    advance(7000);

    await fixture.transcribed(conversation, 'v1', 'I baked rye');

    expect(await fixture.dueInMs(conversation)).toBeLessThanOrEqual(0);
  });

  test('changes nothing without a buffer', async () => {
    expect(await fixture.done(conversation)).toEqual({ dueAt: null });
    expect(await fixture.jobs(conversation)).toEqual([]);
  });
});

describe('a limit forces the flush', () => {
  test('the longest wait forces it although the candidate still types', async () => {
    await fixture.append(conversation, 'well');
    for (let passed = 0; passed < 28_000; passed += 4000) {
      advance(4000);
      await fixture.type(conversation);
    }

    expect(await fixture.dueInMs(conversation)).toBe(2000);
  });

  test('the number of messages forces it, and later messages before the claim are included', async () => {
    for (const text of ['1', '2', '3']) await fixture.append(conversation, text);
    expect(await fixture.dueInMs(conversation)).toBe(4000);

    await fixture.append(conversation, '4');
    expect(await fixture.dueInMs(conversation)).toBe(0);
    await fixture.append(conversation, '5');

    await fixture.tick();
    expect(fixture.main.turns.requests).toMatchObject([{ text: '1\n\n2\n\n3\n\n4\n\n5' }]);
  });

  test('the number of characters of all messages forces it', async () => {
    await fixture.append(conversation, 'x'.repeat(99));
    expect(await fixture.dueInMs(conversation)).toBe(4000);

    await fixture.append(conversation, 'y');

    expect(await fixture.dueInMs(conversation)).toBe(0);
  });

  test('a full buffer with a voice still waits for the transcript until the longest wait', async () => {
    await fixture.voice(conversation, 'v1');
    for (const text of ['1', '2', '3', '4']) await fixture.append(conversation, text);
    expect(await fixture.dueInMs(conversation)).toBe(30_000);

    await fixture.transcribed(conversation, 'v1', 'rye');

    expect(await fixture.dueInMs(conversation)).toBe(0);
  });
});

describe('a message never makes a buffer due earlier', () => {
  test('a message from the web page keeps the longer window of Telegram', async () => {
    await fixture.append(conversation, 'one', { channel: 'telegram' });

    await fixture.append(conversation, 'two', { channel: 'web' });

    expect(await fixture.dueInMs(conversation)).toBe(10_000);
  });
});

describe('makeOpenBuffersDue', () => {
  test('makes all open buffers due except those that wait for a transcript', async () => {
    const held = await fixture.conversation();
    await fixture.append(conversation, 'one');
    await fixture.voice(held, 'v1');

    const count = await fixture.commit((tx) =>
      fixture.buffer.makeOpenBuffersDue(tx, { appendedHere: false }),
    );

    expect(count).toBe(1);
    expect(await fixture.dueInMs(conversation)).toBe(0);
    expect(await fixture.dueInMs(held)).toBe(30_000);
  });

  test('with appendedHere, makes only those buffers due whose last message this replica stored', async () => {
    const theirs = await fixture.conversation();
    const another = fixture.another();
    await fixture.append(conversation, 'mine');
    await fixture.append(theirs, 'mine first');
    await fixture.commit((tx) =>
      another.buffer.append(tx, {
        conversationId: theirs,
        channel: 'web',
        externalId: 'm2',
        text: 'then theirs',
      }),
    );

    const count = await fixture.commit((tx) =>
      fixture.buffer.makeOpenBuffersDue(tx, { appendedHere: true }),
    );

    expect(count).toBe(1);
    expect(await fixture.dueInMs(conversation)).toBe(0);
    expect(await fixture.dueInMs(theirs)).toBe(4000);
  });
});
