import { queueOf } from '../support/jobs';
import { type Fixture, BufferFixture } from './fixture';

let fixture: Fixture;
let conversation: string;
beforeAll(async () => {
  fixture = await BufferFixture.open({ INTERVIEW_BUFFER_MAX_SIZE: '3' });
});
beforeEach(async () => {
  conversation = await fixture.conversation();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

function advance(ms: number): void {
  fixture.db.clock.advance(ms);
}

async function flushed(text: string): Promise<string> {
  const { bufferId } = await fixture.append(conversation, text);
  advance(4000);
  await fixture.tick();
  return bufferId;
}

function deliver(): Promise<void> {
  return fixture.commit((tx) => fixture.main.turns.deliver(tx, conversation));
}

describe('a due buffer', () => {
  test('is flushed under an id of its own and cleared by its reply', async () => {
    const bufferId = await flushed('rye');

    expect(fixture.main.turns.requests).toEqual([{ flushId: `flush:${bufferId}`, text: 'rye' }]);
    expect(await fixture.turnsOf(conversation)).toMatchObject([
      { flush_id: `flush:${bufferId}`, state: 'delivered', reply_text: 're: rye' },
    ]);
    expect(await fixture.waiting(conversation)).toEqual([]);
    expect(
      await fixture.commit((tx) => fixture.buffer.hasBuffer(tx, { conversationId: conversation })),
    ).toBe(false);
  });

  test('keeps its flush id on a retry, and the next buffer has another one', async () => {
    fixture.main.turns.fates.push('fails');
    const first = await flushed('yes');
    advance(60_000);
    await fixture.tick();
    const second = await flushed('yes');

    expect(fixture.main.turns.requests.map((request) => request.flushId)).toEqual([
      `flush:${first}`,
      `flush:${first}`,
      `flush:${second}`,
    ]);
  });

  test('without messages ends without a turn', async () => {
    const { bufferId } = await fixture.append(conversation, 'rye');
    await fixture.sql('delete from message');
    advance(4000);

    await fixture.tick();

    expect(await fixture.job(bufferId)).toMatchObject({ state: 'done', failures: 0 });
    expect(await fixture.turnsOf(conversation)).toEqual([]);
  });

  test('that fails five times is dead, and onDead runs in the same commit', async () => {
    const { turns } = fixture.main;
    turns.fates.push('fails', 'fails', 'fails', 'fails', 'fails');
    const bufferId = await flushed('rye');
    for (let round = 0; round < 4; round += 1) {
      advance(600_000);
      await fixture.tick();
    }

    expect(turns.dead).toMatchObject([
      { bufferId, jobId: bufferId, flushId: `flush:${bufferId}`, conversationId: conversation },
    ]);
    expect(turns.dead[0]?.lastError).toContain('the model refused');
    expect(await fixture.job(bufferId)).toMatchObject({ state: 'dead' });
    expect(await fixture.texts(conversation)).toEqual(['rye']);
  });

  test('whose model is unavailable waits without a failure and never expires', async () => {
    fixture.main.turns.fates.push('peer_down');
    const bufferId = await flushed('rye');
    expect(await fixture.job(bufferId)).toMatchObject({ state: 'retry', failures: 0 });

    advance(3 * 3_600_000);
    expect(await fixture.main.sweep.run()).toBe(0);
    await fixture.tick();

    expect(await fixture.turnsOf(conversation)).toMatchObject([{ state: 'delivered' }]);
  });
});

describe('a message before the reply', () => {
  test('opens the next buffer and is marked beforeReply, from the claim to the delivery', async () => {
    const { turns } = fixture.main;
    turns.deliversAtOnce = false;
    turns.whileAsked = async () => {
      await fixture.append(conversation, 'while it was asked');
    };
    await flushed('rye');
    turns.whileAsked = () => Promise.resolve();
    await fixture.append(conversation, 'before it was delivered');
    await deliver();
    await fixture.append(conversation, 'after it');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'while it was asked', beforeReply: true },
      { text: 'before it was delivered', beforeReply: true },
      { text: 'after it', beforeReply: false },
    ]);
  });

  test('is marked while the answer waits for its retry', async () => {
    fixture.main.turns.fates.push('fails');
    await flushed('rye');

    await fixture.append(conversation, 'more');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'rye', beforeReply: false },
      { text: 'more', beforeReply: true },
    ]);
  });

  test('is marked when the failed claim opened no turn', async () => {
    const { bufferId } = await fixture.append(conversation, 'rye');
    await fixture.sql(`update job set state = 'retry' where id = $1`, [bufferId]);

    await fixture.append(conversation, 'more');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'rye', beforeReply: false },
      { text: 'more', beforeReply: true },
    ]);
  });

  test('is not marked after the earlier answer is dead', async () => {
    fixture.main.turns.fates.push('fails', 'fails', 'fails', 'fails', 'fails');
    await flushed('rye');
    for (let round = 0; round < 4; round += 1) {
      advance(600_000);
      await fixture.tick();
    }

    await fixture.append(conversation, 'hello?');

    expect(await fixture.waiting(conversation)).toMatchObject([
      { text: 'rye' },
      { text: 'hello?', beforeReply: false },
    ]);
  });
});

describe('while an earlier reply is stored but not delivered', () => {
  beforeEach(async () => {
    fixture.main.turns.deliversAtOnce = false;
    await flushed('rye');
  });

  test('the next buffer is put back without a failure and still collects', async () => {
    const next = await flushed('more');
    expect(await fixture.job(next)).toMatchObject({ state: 'open', failures: 0, claim_no: 1 });

    const joined = await fixture.append(conversation, 'and more');

    expect(joined.bufferId).toBe(next);
    expect(fixture.main.turns.requests).toMatchObject([{ text: 'rye' }]);
  });

  test('the delivery makes the next buffer due as its quiet time says', async () => {
    await flushed('more');
    await fixture.append(conversation, 'and more');
    advance(4000);
    await fixture.tick();
    expect(await fixture.dueInMs(conversation)).toBe(30_000);

    await deliver();

    expect(await fixture.dueInMs(conversation)).toBe(0);
    await fixture.tick();
    expect(fixture.main.turns.requests.at(-1)).toMatchObject({ text: 'more\n\nand more' });
  });

  test('the next buffer is claimed again after 30 s if the delivery did not make it due', async () => {
    await flushed('more');
    await fixture.sql(`update turn set state = 'delivered'`);
    advance(30_000);

    await fixture.tick();

    expect(fixture.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  });

  test('the next buffer is answered once the stored reply is older than the TTL', async () => {
    await flushed('more');
    advance(3_600_000);

    await fixture.tick();

    expect(fixture.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  });

  test('the next buffer stays sealed if a message has opened the one after it', async () => {
    const next = await fixture.append(conversation, 'more');
    advance(4000);
    const [claim] = await fixture.main.rig.claims.claimReady(queueOf('flush'), 1);
    await fixture.append(conversation, 'and more');
    await fixture.sql(`update job set due_at = $1 where id = $2`, [
      fixture.db.clock.now(),
      claim?.jobId,
    ]);

    await fixture.tick();

    expect((await fixture.jobs(conversation)).map((job) => job.state)).toEqual([
      'done',
      'retry',
      'open',
    ]);
    await deliver();
    advance(30_000);
    await fixture.tickAll();
    expect(fixture.main.turns.requests.at(-1)).toEqual({
      flushId: `flush:${next.bufferId}`,
      text: 'more',
    });
  });
});

describe('cancel, after a withdrawal', () => {
  test('ends the waiting buffer: its messages stay in the transcript and get no reply', async () => {
    const { bufferId } = await fixture.append(conversation, 'rye');

    await fixture.commit((tx) => fixture.buffer.cancel(tx, { conversationId: conversation }));

    expect((await fixture.job(bufferId)).state).toBe('done');
    expect(await fixture.waiting(conversation)).toEqual([]);
    expect(await fixture.sql('select text from message')).toEqual([{ text: 'rye' }]);
  });
});
