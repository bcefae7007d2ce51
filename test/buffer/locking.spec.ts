import { type Fixture, BufferFixture } from './fixture';

/** Two concurrent commits: what one does while the other has not committed. */

let fixture: Fixture;
let conversation: string;
beforeAll(async () => {
  fixture = await BufferFixture.open();
});
beforeEach(async () => {
  conversation = await fixture.conversation();
});
afterEach(() => fixture.reset());
afterAll(() => fixture.close());

const message = (text: string, externalId: string) => ({
  conversationId: conversation,
  channel: 'telegram' as const,
  externalId,
  text,
});

/** The sweep and everything that candidates do. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  append: () => fixture.append(conversation, 'two'),
  Done: () => fixture.done(conversation),
  edit: () => fixture.edit(conversation, 'm1', 'wheat', 'telegram'),
  transcript: () => fixture.transcribed(conversation, 'v1', 'voice'),
  withdrawal: () =>
    fixture.commit((tx) => fixture.buffer.cancel(tx, { conversationId: conversation })),
  expiry: async () => {
    await fixture.sql(`update job set state = 'dead'`);
    fixture.db.clock.advance(4_000_000);
    return fixture.main.sweep.run();
  },
};

test.each(Object.keys(CHANGES))(
  '%s locks the conversation first and the buffer second',
  async (name) => {
    await fixture.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
    await fixture.voice(conversation, 'v1');
    const other = await fixture.halfDone((tx) =>
      tx.query('select 1 from conversation where id = $1 for no key update', [conversation]),
    );

    const change = CHANGES[name]?.();
    await fixture.untilLockWait();
    const free = await fixture.commit((tx) =>
      tx.query('select 1 from job where key = $1 for update skip locked', [conversation]),
    );
    await other.end();
    await change;

    expect(free).toHaveLength(1);
  },
);

test('a message waits for an earlier one that has not committed, so numbers follow the commits', async () => {
  const first = await fixture.halfDone((tx) => fixture.buffer.append(tx, message('one', 'm1')));
  const second = fixture.append(conversation, 'two', { externalId: 'm2' });
  await fixture.untilLockWait();

  const one = await first.end();
  const two = await second;

  expect([one.seq, two.seq]).toEqual([1, 2]);
  expect(two.bufferId).toBe(one.bufferId);
  expect(await fixture.texts(conversation)).toEqual(['one', 'two']);
});

test('the same message from two connections is stored once', async () => {
  const first = await fixture.halfDone((tx) => fixture.buffer.append(tx, message('one', 'm1')));
  const again = fixture.append(conversation, 'one', { channel: 'telegram', externalId: 'm1' });
  await fixture.untilLockWait();

  const one = await first.end();

  expect(await again).toMatchObject({ messageId: one.messageId, isNew: false, seq: 1 });
  expect((await fixture.job(one.bufferId)).count).toBe(1);
});

test('a message that is rolled back leaves no gap', async () => {
  const failing = fixture.commit(async (tx) => {
    await fixture.buffer.append(tx, message('lost', 'm1'));
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');

  expect(await fixture.append(conversation, 'kept')).toMatchObject({ seq: 1 });
});

test('a buffer that a message is joining is not claimed, and then has both', async () => {
  await fixture.append(conversation, 'one', { channel: 'telegram' });
  const joining = await fixture.halfDone((tx) => fixture.buffer.append(tx, message('two', 'm2')));
  fixture.db.clock.advance(10_000);

  expect(await fixture.tick()).toBe(0);
  await joining.end();

  fixture.db.clock.advance(10_000);
  await fixture.tick();
  expect(fixture.main.turns.requests).toMatchObject([{ text: 'one\n\ntwo' }]);
});

test('a message that waits for the lock during the claim opens the next buffer', async () => {
  const first = await fixture.append(conversation, 'one', { channel: 'telegram' });
  const holding = await fixture.halfDone(async (tx) => {
    await tx.query('select 1 from conversation where id = $1 for no key update', [conversation]);
  });
  const late = fixture.append(conversation, 'two', { channel: 'telegram' });
  await fixture.untilLockWait();
  await fixture.sql(`update job set state = 'running', claim_no = 1 where id = $1`, [
    first.bufferId,
  ]);
  await holding.end();

  const { bufferId } = await late;

  expect(bufferId).not.toBe(first.bufferId);
  expect(await fixture.waiting(conversation, bufferId)).toMatchObject([{ beforeReply: true }]);
});

test('a claim waits for an edit that has begun, and the model reads the edited text', async () => {
  await fixture.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
  const editing = await fixture.halfDone((tx) => fixture.buffer.edit(tx, message('wheat', 'm1')));
  fixture.db.clock.advance(10_000);

  expect(await fixture.tick()).toBe(0);
  expect(await editing.end()).toBe('edited');

  await fixture.tick();
  expect(fixture.main.turns.requests).toMatchObject([{ text: 'wheat' }]);
});

test.each([0, 1, 2, 3])(
  'an edit becomes an amendment only if the claim comes before the lock of the edit (claim after statement %i)',
  async (nth) => {
    await fixture.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
    fixture.db.clock.advance(10_000);
    const claimed: string[] = [];
    let statement = 0;

    const result = await fixture.interleaved(
      (tx) => fixture.buffer.edit(tx, message('wheat', 'm1')),
      async () => {
        if (statement === nth) claimed.push(...(await fixture.claimOnly()));
        statement += 1;
      },
    );

    expect(result).toBe(claimed.length > 0 ? 'amendment' : 'edited');
  },
);

test('a transcript that arrives during the turn joins the next buffer', async () => {
  await fixture.append(conversation, 'text', { channel: 'telegram' });
  await fixture.voice(conversation, 'v1');
  fixture.db.clock.advance(120_000);
  fixture.main.turns.whileAsked = () => fixture.transcribed(conversation, 'v1', 'voice');

  await fixture.tick();

  expect(fixture.main.turns.requests).toMatchObject([{ text: 'text' }]);
  expect(await fixture.waiting(conversation)).toMatchObject([
    { text: 'voice', beforeReply: true, isHeld: false },
  ]);
});

test('a delivery that commits while the next buffer is being put back lets that buffer be claimed', async () => {
  fixture.main.turns.deliversAtOnce = false;
  await fixture.append(conversation, 'rye');
  fixture.db.clock.advance(10_000);
  await fixture.tick();
  await fixture.append(conversation, 'more');
  fixture.db.clock.advance(10_000);
  const delivery = await fixture.halfDone(async (tx) => {
    await tx.query('select 1 from conversation where id = $1 for no key update', [conversation]);
    await tx.query(`update turn set state = 'delivered' where conversation_id = $1`, [
      conversation,
    ]);
  });

  const ticking = fixture.tick();
  await fixture.untilLockWait();
  await delivery.end();
  await ticking;

  expect(fixture.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  fixture.main.turns.deliversAtOnce = true;
});

test('concurrent work on one conversation causes no deadlock, no lost message and no gap', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await fixture.append(conversation, 'first', { channel: 'telegram', externalId: 'm' });
  const work = ids.flatMap((id) => [
    fixture.append(conversation, id, { channel: 'telegram', externalId: id }),
    fixture.type(conversation),
    fixture.edit(conversation, 'm', `first, ${id}`, 'telegram'),
    fixture.done(conversation),
    fixture.commit((tx) => fixture.buffer.makeOpenBuffersDue(tx, { appendedHere: true })),
    fixture.tick(),
  ]);

  await Promise.all(work);
  for (let round = 0; round < 3; round += 1) {
    fixture.db.clock.advance(10_000);
    await fixture.tickAll();
  }

  const asked = fixture.main.turns.requests.flatMap((request) => request.text.split('\n\n'));
  for (const id of ids) expect(asked.filter((text) => text === id)).toEqual([id]);
  const seqs = await fixture.sql<{ seq: number }>(
    'select seq from message where conversation_id = $1 order by seq',
    [conversation],
  );
  expect(seqs.map((row) => row.seq)).toEqual(seqs.map((_, index) => index + 1));
  const deadlocks = await fixture.sql(
    `select deadlocks from pg_stat_database where datname = current_database()`,
  );
  expect(deadlocks).toEqual([{ deadlocks: '0' }]);
});
