import { FakeClock } from '../../tools/support/fake-clock';
import { Client } from 'pg';
import { randomUUID } from 'node:crypto';
import { DoneJobSweep } from '../../src/jobs';
import { TurnRepository } from '../../src/interview/turn/turn.repository';
import type { SegmentRepository } from '../../src/streams';
import { jobHandler } from '../support/jobs';
import { TestJobs } from './test-jobs';

let queues: TestJobs;
let sweep: DoneJobSweep;

beforeAll(async () => {
  queues = await TestJobs.open();
  sweep = new DoneJobSweep(queues.units, queues.rig.registry, queues.rig.rows);
});
afterAll(() => queues.close());
afterEach(() => queues.reset());

const DAY_MS = 24 * 3_600_000;

async function addEnded(state: 'done' | 'dead', agoMs: number, queue = 'flush'): Promise<string> {
  const endedAt = new Date(queues.clock.now().getTime() - agoMs);
  const [row] = await queues.sql<{ id: string }>(
    `insert into job (queue, key, state, first_at, ended_at) values ($1, $2, $3, $4, $4)
     returning id`,
    [queue, randomUUID(), state, endedAt],
  );
  if (row === undefined) throw new Error('not inserted');
  return row.id;
}

/** Inserts a turn of that buffer without the rows that it refers to. */
async function addTurn(answerId: string, state: string): Promise<void> {
  await queues.sql(
    `insert into turn (answer_id, conversation_id, interview_step, channel, state,
       message_count, reply_message_id, started_at)
     values ($1, $2, 0, 'web', $3, 1, $2, now())`,
    [answerId, randomUUID(), state],
  );
}

async function left(): Promise<string[]> {
  const rows = await queues.sql<{ id: string }>('select id from job order by id');
  return rows.map((row) => row.id);
}

test('done rows are deleted a day after their end, in batches', async () => {
  const young = await addEnded('done', DAY_MS - 1);
  await queues.sql(
    `insert into job (queue, key, state, first_at, ended_at)
     select 'score', n::text, 'done', $1, $1 from generate_series(1, 2500) n`,
    [new Date(queues.clock.now().getTime() - DAY_MS - 1)],
  );

  expect(await sweep.run()).toBe(2500);
  expect(await left()).toEqual([young]);
});

test('a locked row is left for the next sweep', async () => {
  const locked = await addEnded('done', 2 * DAY_MS, 'score');
  await addEnded('done', 2 * DAY_MS, 'score');

  const other = new Client({ connectionString: queues.url });
  await other.connect();
  await other.query('begin');
  await other.query('select 1 from job where id = $1 for update', [locked]);

  expect(await sweep.run()).toBe(1);

  await other.query('commit');
  await other.end();
  expect(await left()).toEqual([locked]);
});

test('dead rows and live rows are never deleted', async () => {
  const dead = await addEnded('dead', 400 * DAY_MS);
  const open = await queues.add({ queue: 'flush', key: 'k' });
  queues.clock.advance(400 * DAY_MS);

  await sweep.run();

  expect(await left()).toEqual([dead, open]);
});

describe('the done row of a flush', () => {
  const turns = new TurnRepository(null as unknown as SegmentRepository, new FakeClock());

  beforeAll(async () => {
    queues.rig.registry.register(
      jobHandler({
        queue: 'flush',
        run: () => Promise.resolve(),
        stillNeeded: (tx, answerIds) => turns.listUnfinished(tx, answerIds),
      }),
    );
    await queues.sql('alter table turn disable trigger all');
  });
  afterAll(() => queues.sql('alter table turn enable trigger all'));

  test.each(['opened', 'replied'])('is kept while its turn is %s', async (state) => {
    const id = await addEnded('done', 2 * DAY_MS);
    await addTurn(id, state);

    await sweep.run();

    expect(await left()).toEqual([id]);
  });

  test.each(['delivered', 'failed', 'expired', 'merged'])(
    'is deleted when its turn is %s',
    async (state) => {
      await addTurn(await addEnded('done', 2 * DAY_MS), state);

      await sweep.run();

      expect(await left()).toEqual([]);
    },
  );

  test('is deleted although a whole batch of older ones is kept', async () => {
    const ended = new Date(queues.clock.now().getTime() - 3 * DAY_MS);
    await queues.sql(
      `with kept as (
         insert into job (queue, key, state, first_at, ended_at)
         select 'flush', n::text, 'done', $1, $1 from generate_series(1, 1001) n returning id)
       insert into turn (answer_id, conversation_id, interview_step, channel, state,
         message_count, reply_message_id, started_at)
       select id, gen_random_uuid(), 0, 'web', 'replied', 1, gen_random_uuid(),
         now() from kept`,
      [ended],
    );
    const younger = await addEnded('done', 2 * DAY_MS);

    expect(await sweep.run()).toBe(1);

    expect(await left()).toHaveLength(1001);
    expect(await left()).not.toContain(younger);
  });

  test('is deleted when it has no turn', async () => {
    await addEnded('done', 2 * DAY_MS);

    await sweep.run();

    expect(await left()).toEqual([]);
  });
});
