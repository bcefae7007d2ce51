import { FlushRepository } from '../../src/buffer/flush.repository';
import { blocksReadBy } from '../support/blocks-read';
import { TestBuffer } from './test-buffer';

const TTL_MS = 3_600_000;

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

function advance(ms: number): void {
  setup.clock.advance(ms);
}

/** An answer whose first flush failed and that waits for its retry. */
async function failedOnce(): Promise<string> {
  setup.main.turns.fates.push('fails');
  const { answerId } = await setup.append(conversation, 'rye');
  advance(4000);
  await setup.tick();
  return answerId;
}

describe('an answer that was tried and is older than the TTL', () => {
  test('expires: it no longer waits, stays in the transcript, and buffer.expired is published', async () => {
    const answerId = await failedOnce();
    advance(TTL_MS);

    expect(await setup.main.sweep.run()).toBe(1);

    expect(setup.main.turns.expired).toMatchObject([{ answerId, conversationId: conversation }]);
    expect(await setup.waiting(conversation)).toEqual([]);
    expect(await setup.job(answerId)).toMatchObject({ state: 'dead', due_at: null });
    expect(await setup.turnsOf(conversation)).toMatchObject([{ state: 'expired' }]);
    expect(await setup.sql('select text from message')).toEqual([{ text: 'rye' }]);
    const { body } = await setup.registry.exposition();
    expect(body).toContain('colloquy_buffer_expired_total 1');
  });

  test('expires once', async () => {
    await failedOnce();
    advance(TTL_MS);
    await setup.main.sweep.run();

    expect(await setup.main.sweep.run()).toBe(0);
  });

  test('expires when its job is dead', async () => {
    const answerId = await failedOnce();
    await setup.sql(
      `update job set state = 'dead', due_at = null, ended_at = $2::timestamptz where id = $1`,
      [answerId, setup.clock.now()],
    );
    advance(TTL_MS);

    expect(await setup.main.sweep.run()).toBe(1);
  });

  test('can be replayed and then gets a reply', async () => {
    const answerId = await failedOnce();
    advance(TTL_MS);
    await setup.main.sweep.run();

    await setup.commit((tx) => setup.main.rig.jobs.replay(tx, answerId));
    expect(await setup.main.sweep.run()).toBe(0);
    await setup.tick();

    expect(setup.main.turns.requests.at(-1)).toMatchObject({ text: 'rye' });
  });
});

describe('dead jobs that were answered, or that expired', () => {
  /** As many as an installation has after years. */
  async function addLongDead(): Promise<void> {
    await setup.sql(
      `insert into job (queue, key, state, first_at, ended_at)
       select 'flush', $1, 'dead', at, at
       from generate_series(1, 2000) n, lateral (
         select $2::timestamptz - (n + 3) * interval '1 hour' as at) died`,
      [conversation, setup.clock.now()],
    );
    await setup.sql('vacuum analyze job');
  }

  function blocksOfLook(all: boolean): Promise<number> {
    const look = { all, limit: 100 };
    return blocksReadBy(
      (text, values) => setup.sql(text, values),
      (tx) =>
        new FlushRepository(setup.clock).listExpired(tx, { retryToo: true, ttlMs: TTL_MS }, look),
    );
  }

  test('are not read each minute once they are old', async () => {
    await addLongDead();

    expect(await blocksOfLook(false)).toBeLessThan(20);
    expect(await blocksOfLook(true)).toBeGreaterThan(2000);
  });

  test('are looked at by the first run of a process and by one run in 60', async () => {
    const answerId = await failedOnce();
    advance(3 * TTL_MS);
    const sweep = setup.another().sweep;
    await setup.sql(`update turn set state = 'replied' where answer_id = $1`, [answerId]);
    await setup.sql(
      `update job set state = 'dead', due_at = null, ended_at = first_at where id = $1`,
      [answerId],
    );
    expect(await sweep.run()).toBe(0);
    await setup.sql(`update turn set state = 'failed' where answer_id = $1`, [answerId]);

    const expired: number[] = [];
    for (let run = 1; run <= 60; run += 1) expired.push(await sweep.run());

    expect(expired).toEqual([...Array.from({ length: 59 }, () => 0), 1]);
  });

  test('are looked at again after a run that found more than it could expire', async () => {
    const { answerId } = await setup.append(conversation, 'rye');
    await setup.sql(
      `with old as (select $2::timestamptz - 5 * interval '1 hour' as at),
         copies as (
           insert into job (queue, key, state, first_at, ended_at)
           select 'flush', $1, 'dead', at, at from old, generate_series(1, 101) returning id)
       insert into message (id, conversation_id, seq, role, channel, external_id, text, received_at, answer_id)
       select gen_random_uuid(), $1::uuid, 100 + id, 'user', 'web', 'n' || id, 'Rye.', now(), id
       from copies`,
      [conversation, setup.clock.now()],
    );
    const sweep = setup.another().sweep;

    expect(await sweep.run()).toBe(100);
    expect(await sweep.run()).toBe(1);
    expect(await sweep.run()).toBe(0);
    expect(await setup.job(answerId)).toMatchObject({ state: 'open' });
  });
});

describe('the sweep never expires', () => {
  test('an answer that is 1 ms younger than the TTL', async () => {
    await failedOnce();
    advance(TTL_MS - 4000);
    expect(await setup.main.sweep.run()).toBe(0);

    advance(1);
    expect(await setup.main.sweep.run()).toBe(1);
  });

  test('an answer that was never claimed', async () => {
    await setup.append(conversation, 'rye');
    advance(10 * TTL_MS);

    expect(await setup.main.sweep.run()).toBe(0);
  });

  test('an answer whose flush runs', async () => {
    const answerId = await failedOnce();
    await setup.sql(`update job set state = 'running' where id = $1`, [answerId]);
    advance(TTL_MS);

    expect(await setup.main.sweep.run()).toBe(0);
  });

  test('an answer with a stored reply', async () => {
    const answerId = await failedOnce();
    await setup.sql(`update turn set state = 'replied' where answer_id = $1`, [answerId]);
    advance(TTL_MS);

    expect(await setup.main.sweep.run()).toBe(0);
  });

  test('an answer that waits because the model is unavailable, and each process judges by its own breaker', async () => {
    const failed = await failedOnce();
    await setup.sql(`update job set due_at = due_at + interval '1 day' where id = $1`, [failed]);
    const other = await setup.conversation();
    const away = await setup.append(other, 'wheat');
    setup.main.turns.fates.push('peer_down');
    advance(4000);
    await setup.tick();
    expect(setup.main.rig.breakers.isOpen('flush')).toBe(true);
    advance(TTL_MS);

    expect(await setup.main.sweep.run()).toBe(0);
    const elsewhere = setup.another();
    expect(await elsewhere.sweep.run()).toBe(1);
    expect(await setup.job(away.answerId)).toMatchObject({ state: 'retry', failures: 0 });
  });
});

test('the sweep leaves a flush that begins while it waits for the conversation', async () => {
  const answerId = await failedOnce();
  advance(TTL_MS);
  const claiming = await setup.halfDone(async (tx) => {
    await tx.query('select 1 from conversation where id = $1 for no key update', [conversation]);
    await tx.query(`update job set state = 'running', claim_no = 2 where id = $1`, [answerId]);
  });
  const swept = setup.main.sweep.run();
  await setup.untilLockWait();
  await claiming.end();

  expect(await swept).toBe(0);
  expect(setup.main.turns.expired).toEqual([]);
});

test('a buffer cannot be claimed while it is being expired', async () => {
  await failedOnce();
  advance(TTL_MS);
  const claimed: string[] = [];
  setup.main.turns.whileExpired = async () => {
    claimed.push(...(await setup.claimOnly()));
  };

  expect(await setup.main.sweep.run()).toBe(1);

  expect(claimed).toEqual([]);
});
