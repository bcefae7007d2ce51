import { queueOf } from '../support/jobs';
import { TestBuffer } from './test-buffer';

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open({ INTERVIEW_BUFFER_MAX_SIZE: '3' });
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

function advance(ms: number): void {
  setup.clock.advance(ms);
}

async function flushed(text: string): Promise<string> {
  const { answerId } = await setup.append(conversation, text);
  advance(4000);
  await setup.tick();
  return answerId;
}

/** Both a retry and the next buffer are due; the queue takes the older one. */
async function advanceAndTick(): Promise<void> {
  advance(60_000);
  await setup.tick();
}

function deliver(): Promise<void> {
  return setup.commit((tx) => setup.main.turns.deliver(tx, conversation));
}

describe('a due buffer', () => {
  test('is flushed under an id of its own and cleared by its reply', async () => {
    const answerId = await flushed('rye');

    expect(setup.main.turns.requests).toEqual([{ answerId, text: 'rye' }]);
    expect(await setup.turnsOf(conversation)).toMatchObject([
      { answer_id: answerId, state: 'delivered', reply_text: 're: rye' },
    ]);
    expect(await setup.waiting(conversation)).toEqual([]);
    expect(
      await setup.commit((tx) => setup.buffer.hasBuffer(tx, { conversationId: conversation })),
    ).toBe(false);
  });

  test('keeps its id on a retry, and the next buffer has another one', async () => {
    setup.main.turns.fates.push('fails');
    const first = await flushed('yes');
    advance(60_000);
    await setup.tick();
    const second = await flushed('yes');

    expect(setup.main.turns.requests.map((request) => request.answerId)).toEqual([
      first,
      first,
      second,
    ]);
  });

  test('without messages ends without a turn', async () => {
    const { answerId } = await setup.append(conversation, 'rye');
    await setup.sql('delete from message');
    advance(4000);

    await setup.tick();

    expect(await setup.job(answerId)).toMatchObject({ state: 'done', failures: 0 });
    expect(await setup.turnsOf(conversation)).toEqual([]);
  });

  test('that fails five times is dead, and onDead runs in the same commit', async () => {
    const { turns } = setup.main;
    turns.fates.push('fails', 'fails', 'fails', 'fails', 'fails');
    const answerId = await flushed('rye');
    for (let round = 0; round < 4; round += 1) {
      advance(600_000);
      await setup.tick();
    }

    expect(turns.dead).toMatchObject([{ answerId, conversationId: conversation }]);
    expect(turns.dead[0]?.lastError).toContain('the model refused');
    expect(await setup.job(answerId)).toMatchObject({ state: 'dead' });
    expect(await setup.texts(conversation)).toEqual(['rye']);
  });

  test('whose model is unavailable waits without a failure and never expires', async () => {
    setup.main.turns.fates.push('peer_down');
    const answerId = await flushed('rye');
    expect(await setup.job(answerId)).toMatchObject({ state: 'retry', failures: 0 });

    advance(3 * 3_600_000);
    expect(await setup.main.sweep.run()).toBe(0);
    await setup.tick();

    expect(await setup.turnsOf(conversation)).toMatchObject([{ state: 'delivered' }]);
  });
});

describe('a message before the reply', () => {
  test('opens the next buffer and is marked beforeReply, from the claim to the delivery', async () => {
    const { turns } = setup.main;
    turns.deliversAtOnce = false;
    turns.whileAsked = async () => {
      await setup.append(conversation, 'while it was asked');
    };
    await flushed('rye');
    turns.whileAsked = () => Promise.resolve();
    await setup.append(conversation, 'before it was delivered');
    advance(1);
    await deliver();
    await setup.append(conversation, 'after it');

    expect(await setup.waiting(conversation)).toMatchObject([
      { text: 'while it was asked', beforeReply: true },
      { text: 'before it was delivered', beforeReply: true },
      { text: 'after it', beforeReply: false },
    ]);
  });

  test('is marked while the answer waits for its retry', async () => {
    setup.main.turns.fates.push('fails');
    await flushed('rye');

    await setup.append(conversation, 'more');
    expect((await setup.waiting(conversation))[0]).toMatchObject({
      text: 'rye',
      beforeReply: false,
    });
    await advanceAndTick();

    expect(setup.main.turns.requests.map(({ text }) => text)).toEqual(['rye', 'rye']);
    expect(await setup.waiting(conversation)).toMatchObject([{ text: 'more', beforeReply: true }]);
  });

  test('is marked when the failed claim opened no turn', async () => {
    const { answerId } = await setup.append(conversation, 'rye');
    await setup.sql(`update job set state = 'retry' where id = $1`, [answerId]);

    await setup.append(conversation, 'more');
    expect((await setup.waiting(conversation))[0]).toMatchObject({
      text: 'rye',
      beforeReply: false,
    });
    await advanceAndTick();

    expect(setup.main.turns.requests.map(({ text }) => text)).toEqual(['rye']);
    expect(await setup.waiting(conversation)).toMatchObject([{ text: 'more', beforeReply: true }]);
  });

  test('is not marked after the earlier answer is dead', async () => {
    setup.main.turns.fates.push('fails', 'fails', 'fails', 'fails', 'fails');
    await flushed('rye');
    await setup.append(conversation, 'while it was tried');
    for (let round = 0; round < 4; round += 1) {
      advance(600_000);
      await setup.tick();
    }

    await setup.append(conversation, 'hello?');

    expect(await setup.waiting(conversation)).toMatchObject([
      { text: 'rye' },
      { text: 'while it was tried', beforeReply: false },
      { text: 'hello?', beforeReply: false },
    ]);
  });
});

describe('while an earlier reply is stored but not delivered', () => {
  beforeEach(async () => {
    setup.main.turns.deliversAtOnce = false;
    await flushed('rye');
  });

  test('the next buffer is put back without a failure and still collects', async () => {
    const next = await flushed('more');
    expect(await setup.job(next)).toMatchObject({ state: 'open', failures: 0, claim_no: 1 });

    const joined = await setup.append(conversation, 'and more');

    expect(joined.answerId).toBe(next);
    expect(setup.main.turns.requests).toMatchObject([{ text: 'rye' }]);
  });

  test('the delivery makes the next buffer due as its quiet time says', async () => {
    await flushed('more');
    await setup.append(conversation, 'and more');
    advance(4000);
    await setup.tick();
    expect(await setup.dueInMs(conversation)).toBe(30_000);

    await deliver();

    expect(await setup.dueInMs(conversation)).toBe(0);
    await setup.tick();
    expect(setup.main.turns.requests.at(-1)).toMatchObject({ text: 'more\n\nand more' });
  });

  test('the next buffer is claimed again after 30 s if the delivery did not make it due', async () => {
    await flushed('more');
    await setup.sql(`update turn set state = 'delivered'`);
    advance(30_000);

    await setup.tick();

    expect(setup.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  });

  test('the next answer gets its reply once the stored reply is older than the TTL', async () => {
    await flushed('more');
    advance(3_600_000);
    expect(await setup.waiting(conversation)).toMatchObject([
      { text: 'rye' },
      { text: 'more', beforeReply: true },
    ]);

    await setup.tick();

    expect(setup.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  });

  test('the next buffer stays sealed if a message has opened the one after it, and the delivery makes it due', async () => {
    const next = await setup.append(conversation, 'more');
    advance(4000);
    const {
      rows: [claim],
    } = await setup.main.rig.claims.claimReady(queueOf('flush'), 1);
    await setup.append(conversation, 'and more');
    await setup.sql(`update job set due_at = $1 where id = $2`, [setup.clock.now(), claim?.jobId]);

    await setup.tick();

    expect((await setup.jobs(conversation)).map((job) => job.state)).toEqual([
      'done',
      'retry',
      'open',
    ]);
    await deliver();
    await setup.tickAll();
    expect(setup.main.turns.requests.at(-1)).toEqual({
      answerId: next.answerId,
      text: 'more',
    });
  });
});

test('a buffer that was flushed before and is put back stays sealed, because the model knows its text', async () => {
  const first = await flushed('rye');
  setup.main.turns.fates.push('fails');
  const next = await flushed('more');
  // A person sends the dead reply before it again.
  await setup.sql(
    `update turn set state = 'replied', replied_at = $2, completed_at = null where answer_id = $1`,
    [first, setup.clock.now()],
  );
  advance(60_000);

  await setup.tick();
  const joined = await setup.append(conversation, 'and more');

  expect(await setup.job(next)).toMatchObject({ state: 'retry', claim_no: 2, failures: 1 });
  expect(joined.answerId).not.toBe(next);
  await setup.sql(`update turn set state = 'delivered' where answer_id = $1`, [first]);
  advance(60_000);
  await setup.tickAll();
  const requests = setup.main.turns.requests.filter(({ answerId }) => answerId === next);
  expect(requests.map(({ text }) => text)).toEqual(['more', 'more']);
});

describe('cancel, after a withdrawal', () => {
  test('ends the waiting buffer: its messages stay in the transcript and get no reply', async () => {
    const { answerId } = await setup.append(conversation, 'rye');

    await setup.commit((tx) => setup.buffer.cancel(tx, { conversationId: conversation }));

    expect((await setup.job(answerId)).state).toBe('done');
    expect(await setup.waiting(conversation)).toEqual([]);
    expect(await setup.sql('select text from message')).toEqual([{ text: 'rye' }]);
  });
});
