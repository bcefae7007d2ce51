import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({
    INTERVIEW_BUFFER_MAX_SIZE: '4',
    INTERVIEW_BUFFER_MAX_CHARS: '100',
    INTERVIEW_BUFFER_MAX_WAIT: '30',
  });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

function advance(ms: number): void {
  setup.clock.advance(ms);
}

describe('typing and recording', () => {
  test('extend an open buffer by their own window', async () => {
    await setup.append(conversation, 'I think');
    advance(3000);

    const { dueAt } = await setup.type(conversation);

    expect(dueAt).not.toBeNull();
    expect(await setup.dueInMs(conversation)).toBe(5000);
  });

  test('never shorten the wait of a buffer', async () => {
    await setup.append(conversation, 'I think', { channel: 'telegram' });

    await setup.type(conversation);

    expect(await setup.dueInMs(conversation)).toBe(10_000);
  });

  test('never open a buffer', async () => {
    expect(await setup.type(conversation)).toEqual({ dueAt: null });
    expect(await setup.jobs(conversation)).toEqual([]);
  });

  test('change nothing in a buffer that is full, sealed or claimed', async () => {
    for (const text of ['1', '2', '3', '4']) await setup.append(conversation, text);
    const done = await setup.conversation();
    await setup.append(done, 'that is all');
    await setup.done(done);
    const claimed = await setup.conversation();
    await setup.append(claimed, 'hello');
    setup.main.turns.fates.push('crashes_after_open');
    advance(0);

    expect(await setup.type(conversation)).toEqual({ dueAt: null });
    expect(await setup.dueInMs(conversation)).toBe(0);
    expect(await setup.type(done)).toEqual({ dueAt: null });
    expect(await setup.dueInMs(done)).toBe(1000);
    await setup.sql(`update job set state = 'running' where key = $1`, [claimed]);
    expect(await setup.type(claimed)).toEqual({ dueAt: null });
  });

  test('change nothing in a buffer with the maximum of characters', async () => {
    const full = setup.another({ INTERVIEW_BUFFER_MAX_CHARS: '100' });
    await setup.append(conversation, 'x'.repeat(100));

    expect(
      await setup.commit((tx) =>
        full.buffer.noteActivity(tx, { conversationId: conversation, kind: 'typing' }),
      ),
    ).toEqual({ dueAt: null });
  });

  test('are counted by kind', async () => {
    const activity = { conversationId: conversation, kind: 'recording' as const };
    await setup.commit((tx) => setup.buffer.noteActivity(tx, activity));

    const { body } = await setup.registry.exposition();

    expect(body).toContain('colloquy_buffer_activity_total{kind="recording"} 1');
  });
});

describe('Done', () => {
  test('makes the buffer due after 1 s', async () => {
    await setup.append(conversation, 'that is all', { channel: 'telegram' });

    const { dueAt } = await setup.done(conversation);

    expect(dueAt).toEqual(new Date(setup.clock.now().getTime() + 1000));
  });

  test('that names the newest message makes the buffer due after 200 ms', async () => {
    await setup.append(conversation, 'that is', { externalId: 'm1' });
    await setup.append(conversation, 'all', { externalId: 'm2' });

    await setup.done(conversation, { channel: 'web', externalId: 'm2' });

    expect(await setup.dueInMs(conversation)).toBe(200);
  });

  test.each([
    ['an older message', { channel: 'web', externalId: 'm1' }],
    ['a message that has not arrived', { channel: 'web', externalId: 'm3' }],
    ['a message of another channel', { channel: 'telegram', externalId: 'm2' }],
  ] as const)('that names %s waits for 1 s', async (_, last) => {
    await setup.append(conversation, 'that is', { externalId: 'm1' });
    await setup.append(conversation, 'all', { externalId: 'm2' });

    await setup.done(conversation, last);

    expect(await setup.dueInMs(conversation)).toBe(1000);
  });

  test('pressed twice does not restart the wait of 1 s', async () => {
    await setup.append(conversation, 'that is all');
    await setup.done(conversation);
    advance(600);

    await setup.done(conversation);

    expect(await setup.dueInMs(conversation)).toBe(400);
  });

  test('is undone by another message, which gets its whole window', async () => {
    await setup.append(conversation, 'that is all');
    await setup.done(conversation);

    const { answerId } = await setup.append(conversation, 'wait, one more');

    expect(await setup.dueInMs(conversation)).toBe(4000);
    expect((await setup.job(answerId)).finished).toBe(false);
  });

  test('waits for a voice that is still being transcribed', async () => {
    await setup.voice(conversation, 'v1');
    await setup.done(conversation);
    expect(await setup.dueInMs(conversation)).toBe(30_000);
    advance(7000);

    await setup.transcribed(conversation, 'v1', 'I baked rye');

    expect(await setup.dueInMs(conversation)).toBeLessThanOrEqual(0);
  });

  test('changes nothing without a buffer', async () => {
    expect(await setup.done(conversation)).toEqual({ dueAt: null });
    expect(await setup.jobs(conversation)).toEqual([]);
  });
});

describe('a limit forces the flush', () => {
  test('the longest wait forces it although the candidate still types', async () => {
    await setup.append(conversation, 'well');
    for (let passed = 0; passed < 28_000; passed += 4000) {
      advance(4000);
      await setup.type(conversation);
    }

    expect(await setup.dueInMs(conversation)).toBe(2000);
  });

  test('the number of messages forces it, and later messages before the claim are included', async () => {
    for (const text of ['1', '2', '3']) await setup.append(conversation, text);
    expect(await setup.dueInMs(conversation)).toBe(4000);

    await setup.append(conversation, '4');
    expect(await setup.dueInMs(conversation)).toBe(0);
    await setup.append(conversation, '5');

    await setup.tick();
    expect(setup.main.turns.requests).toMatchObject([{ text: '1\n\n2\n\n3\n\n4\n\n5' }]);
  });

  test('the number of characters of all messages forces it', async () => {
    await setup.append(conversation, 'x'.repeat(99));
    expect(await setup.dueInMs(conversation)).toBe(4000);

    await setup.append(conversation, 'y');

    expect(await setup.dueInMs(conversation)).toBe(0);
  });

  test('a full buffer with a voice still waits for the transcript until the longest wait', async () => {
    await setup.voice(conversation, 'v1');
    for (const text of ['1', '2', '3', '4']) await setup.append(conversation, text);
    expect(await setup.dueInMs(conversation)).toBe(30_000);

    await setup.transcribed(conversation, 'v1', 'rye');

    expect(await setup.dueInMs(conversation)).toBe(0);
  });
});

describe('a message never makes a buffer due earlier', () => {
  test('a message from the web page keeps the longer window of Telegram', async () => {
    await setup.append(conversation, 'one', { channel: 'telegram' });

    await setup.append(conversation, 'two', { channel: 'web' });

    expect(await setup.dueInMs(conversation)).toBe(10_000);
  });
});

describe('makeOpenBuffersDue', () => {
  test('makes all open buffers due except those that wait for a transcript', async () => {
    const held = await setup.conversation();
    await setup.append(conversation, 'one');
    await setup.voice(held, 'v1');

    const count = await setup.commit((tx) =>
      setup.buffer.makeOpenBuffersDue(tx, { appendedHere: false }),
    );

    expect(count).toBe(1);
    expect(await setup.dueInMs(conversation)).toBe(0);
    expect(await setup.dueInMs(held)).toBe(30_000);
  });

  test('with appendedHere, makes only those buffers due whose last message this replica stored', async () => {
    const theirs = await setup.conversation();
    const another = setup.another();
    await setup.append(conversation, 'mine');
    await setup.append(theirs, 'mine first');
    await setup.commit((tx) =>
      another.buffer.append(tx, {
        conversationId: theirs,
        channel: 'web',
        externalId: 'm2',
        text: 'then theirs',
      }),
    );

    const count = await setup.commit((tx) =>
      setup.buffer.makeOpenBuffersDue(tx, { appendedHere: true }),
    );

    expect(count).toBe(1);
    expect(await setup.dueInMs(conversation)).toBe(0);
    expect(await setup.dueInMs(theirs)).toBe(4000);
  });
});
