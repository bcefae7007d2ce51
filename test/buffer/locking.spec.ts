import type { Tx } from '../../src/common/uow';
import { TestBuffer } from './test-buffer';

/** Two concurrent commits: what one does while the other has not committed. */

let setup: TestBuffer;
let conversation: string;
beforeAll(async () => {
  setup = await TestBuffer.open();
});
beforeEach(async () => {
  conversation = await setup.conversation();
});
afterEach(() => setup.reset());
afterAll(() => setup.close());

const message = (text: string, externalId: string) => ({
  conversationId: conversation,
  channel: 'telegram' as const,
  externalId,
  text,
});

/** The sweep and everything that candidates do. */
const CHANGES: Record<string, () => Promise<unknown>> = {
  append: () => setup.append(conversation, 'two'),
  Done: () => setup.done(conversation),
  edit: () => setup.edit(conversation, 'm1', 'wheat', 'telegram'),
  transcript: () => setup.transcribed(conversation, 'v1', 'voice'),
  withdrawal: () => setup.commit((tx) => setup.buffer.cancel(tx, { conversationId: conversation })),
  expiry: async () => {
    await setup.sql(`update job set state = 'dead'`);
    setup.clock.advance(4_000_000);
    return setup.main.sweep.run();
  },
};

test.each(Object.keys(CHANGES))(
  '%s locks the conversation first and the buffer second',
  async (name) => {
    await setup.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
    await setup.voice(conversation, 'v1');
    const other = await setup.halfDone((tx) =>
      tx.query('select 1 from conversation where id = $1 for no key update', [conversation]),
    );

    const change = CHANGES[name]?.();
    await setup.untilLockWait();
    const free = await setup.commit((tx) =>
      tx.query('select 1 from job where key = $1 for update skip locked', [conversation]),
    );
    await other.end();
    await change;

    expect(free).toHaveLength(1);
  },
);

test('typing waits for no message of an earlier buffer', async () => {
  await setup.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
  setup.clock.advance(60_000);
  await setup.tick();
  expect(await setup.edit(conversation, 'm1', 'wheat', 'telegram')).toBe('amendment');
  // As the commit that delivers the reply: it locks the message, and then the job of the correction.
  const delivery = await setup.halfDone((tx) =>
    tx.query(`update message set cleared_at = now() where external_id = 'm1'`),
  );

  const { dueAt } = await setup.type(conversation);
  await delivery.end();

  expect(dueAt).not.toBeNull();
});

test('a message waits for an earlier one that has not committed, so numbers follow the commits', async () => {
  const first = await setup.halfDone((tx) => setup.buffer.append(tx, message('one', 'm1')));
  const second = setup.append(conversation, 'two', { externalId: 'm2' });
  await setup.untilLockWait();

  const one = await first.end();
  const two = await second;

  expect([one.seq, two.seq]).toEqual([1, 2]);
  expect(two.answerId).toBe(one.answerId);
  expect(await setup.texts(conversation)).toEqual(['one', 'two']);
});

test('the same message from two connections is stored once', async () => {
  const first = await setup.halfDone((tx) => setup.buffer.append(tx, message('one', 'm1')));
  const again = setup.append(conversation, 'one', { channel: 'telegram', externalId: 'm1' });
  await setup.untilLockWait();

  const one = await first.end();

  expect(await again).toMatchObject({ messageId: one.messageId, isNew: false, seq: 1 });
  expect((await setup.job(one.answerId)).count).toBe(1);
});

test('the last message that fits is not refused when it comes twice at once', async () => {
  const full = await TestBuffer.open({ INTERVIEW_MAX_MESSAGES: '1' });
  try {
    const conversationId = await full.conversation();
    const last = { ...message('one', 'm1'), conversationId };
    const first = await full.halfDone((tx) => full.buffer.append(tx, last));
    const again = full.append(conversationId, 'one', { channel: 'telegram', externalId: 'm1' });
    await full.untilLockWait();

    const one = await first.end();

    expect(await again).toMatchObject({ messageId: one.messageId, isNew: false });
    const { body } = await full.registry.exposition();
    expect(body).not.toContain('colloquy_buffer_errors_total{operation="append"');
  } finally {
    await full.close();
  }
});

test('a violation of another unique index is not taken for a repeated message', async () => {
  await setup.append(conversation, 'one');
  await setup.sql('update conversation set last_seq = 0 where id = $1', [conversation]);

  await expect(setup.append(conversation, 'two')).rejects.toMatchObject({
    constraint: 'message_conversation_id_seq_key',
  });
});

test('a message that is rolled back leaves no gap', async () => {
  const failing = setup.commit(async (tx) => {
    await setup.buffer.append(tx, message('lost', 'm1'));
    throw new Error('rolled back');
  });
  await expect(failing).rejects.toThrow('rolled back');

  expect(await setup.append(conversation, 'kept')).toMatchObject({ seq: 1 });
});

test('a buffer that a message is joining is not claimed, and then has both', async () => {
  await setup.append(conversation, 'one', { channel: 'telegram' });
  const joining = await setup.halfDone((tx) => setup.buffer.append(tx, message('two', 'm2')));
  setup.clock.advance(10_000);

  expect(await setup.tick()).toBe(0);
  await joining.end();

  setup.clock.advance(10_000);
  await setup.tick();
  expect(setup.main.turns.requests).toMatchObject([{ text: 'one\n\ntwo' }]);
});

/** The claim, which the test made by hand, is tried again at once and gets its reply. */
async function replyTo(answerId: string): Promise<void> {
  await setup.sql(`update job set state = 'retry', due_at = $2 where id = $1`, [
    answerId,
    setup.clock.now(),
  ]);
  await setup.tick();
}

test('a message that waits for the lock during the claim opens the next buffer', async () => {
  const first = await setup.append(conversation, 'one', { channel: 'telegram' });
  const holding = await setup.halfDone(async (tx) => {
    await tx.query('select 1 from conversation where id = $1 for no key update', [conversation]);
  });
  const late = setup.append(conversation, 'two', { channel: 'telegram' });
  await setup.untilLockWait();
  await setup.sql(`update job set state = 'running', claim_no = 1 where id = $1`, [first.answerId]);
  await holding.end();

  const { answerId } = await late;

  expect(answerId).not.toBe(first.answerId);
  await replyTo(first.answerId);
  expect(await setup.waiting(conversation)).toMatchObject([{ answerId, beforeReply: true }]);
});

test('a message that waits for the claim itself came before the reply', async () => {
  const first = await setup.append(conversation, 'one', { channel: 'telegram' });
  const claiming = await setup.halfDone((tx) =>
    tx.query(`update job set state = 'running', claim_no = 1 where id = $1`, [first.answerId]),
  );
  const late = setup.append(conversation, 'two', { channel: 'telegram' });
  await setup.untilLockWait();
  await claiming.end();

  const { answerId } = await late;

  expect(answerId).not.toBe(first.answerId);
  await replyTo(first.answerId);
  expect(await setup.waiting(conversation)).toMatchObject([{ answerId, beforeReply: true }]);
});

test('a claim waits for an edit that has begun, and the model reads the edited text', async () => {
  await setup.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
  const editing = await setup.halfDone((tx) => setup.buffer.edit(tx, message('wheat', 'm1')));
  setup.clock.advance(10_000);

  expect(await setup.tick()).toBe(0);
  expect(await editing.end()).toBe('edited');

  await setup.tick();
  expect(setup.main.turns.requests).toMatchObject([{ text: 'wheat' }]);
});

test.each([0, 1, 2, 3])(
  'an edit becomes an amendment only if the claim comes before the lock of the edit (claim after statement %i)',
  async (nth) => {
    await setup.append(conversation, 'rye', { channel: 'telegram', externalId: 'm1' });
    setup.clock.advance(10_000);
    const claimed: string[] = [];
    let statement = 0;

    const result = await interleaved(
      (tx) => setup.buffer.edit(tx, message('wheat', 'm1')),
      async () => {
        if (statement === nth) claimed.push(...(await setup.claimOnly()));
        statement += 1;
      },
    );

    expect(result).toBe(claimed.length > 0 ? 'amendment' : 'edited');
  },
);

test('a transcript that arrives during the turn joins the next buffer', async () => {
  await setup.append(conversation, 'text', { channel: 'telegram' });
  await setup.voice(conversation, 'v1');
  setup.clock.advance(120_000);
  setup.main.turns.whileAsked = () => setup.transcribed(conversation, 'v1', 'voice');

  await setup.tick();

  expect(setup.main.turns.requests).toMatchObject([{ text: 'text' }]);
  expect(await setup.waiting(conversation)).toMatchObject([
    { text: 'voice', beforeReply: true, isPending: false },
  ]);
});

test('a delivery that commits while the next buffer is being put back lets that buffer be claimed', async () => {
  setup.main.turns.deliversAtOnce = false;
  await setup.append(conversation, 'rye');
  setup.clock.advance(10_000);
  await setup.tick();
  await setup.append(conversation, 'more');
  setup.clock.advance(10_000);
  const delivery = await setup.halfDone(async (tx) => {
    await tx.query('select 1 from conversation where id = $1 for no key update', [conversation]);
    await tx.query(`update turn set state = 'delivered' where conversation_id = $1`, [
      conversation,
    ]);
  });

  const ticking = setup.tick();
  await setup.untilLockWait();
  await delivery.end();
  await ticking;

  expect(setup.main.turns.requests.at(-1)).toMatchObject({ text: 'more' });
  setup.main.turns.deliversAtOnce = true;
});

test('concurrent work on one conversation causes no deadlock, no lost message and no gap', async () => {
  const ids = Array.from({ length: 20 }, (_, index) => `m${index}`);
  await setup.append(conversation, 'first', { channel: 'telegram', externalId: 'm' });
  const work = ids.flatMap((id) => [
    setup.append(conversation, id, { channel: 'telegram', externalId: id }),
    setup.type(conversation),
    setup.edit(conversation, 'm', `first, ${id}`, 'telegram'),
    setup.done(conversation),
    setup.commit((tx) => setup.buffer.makeOpenBuffersDue(tx, { appendedHere: true })),
    setup.tick(),
  ]);

  await Promise.all(work);
  for (let round = 0; round < 3; round += 1) {
    setup.clock.advance(10_000);
    await setup.tickAll();
  }

  const asked = setup.main.turns.requests.flatMap((request) => request.text.split('\n\n'));
  for (const id of ids) expect(asked.filter((text) => text === id)).toEqual([id]);
  const seqs = await setup.sql<{ seq: number }>(
    'select seq from message where conversation_id = $1 order by seq',
    [conversation],
  );
  expect(seqs.map((row) => row.seq)).toEqual(seqs.map((_, index) => index + 1));
  const deadlocks = await setup.sql(
    `select deadlocks from pg_stat_database where datname = current_database()`,
  );
  expect(deadlocks).toEqual([{ deadlocks: '0' }]);
});

/** A commit that runs `between` after each of its statements. */
function interleaved<T>(work: (tx: Tx) => Promise<T>, between: () => Promise<void>): Promise<T> {
  return setup.commit((tx) => {
    const query = async <Row>(text: string, values?: readonly unknown[]): Promise<Row[]> => {
      const rows = await tx.query<Row>(text, values);
      await between();
      return rows;
    };
    return work(Object.assign(Object.create(tx) as Tx, { query }));
  });
}
