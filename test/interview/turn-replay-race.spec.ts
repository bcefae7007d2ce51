import { randomUUID } from 'node:crypto';
import { replyDataOf } from '../../tools/fake-model/reply-data';
import { Client } from 'pg';
import { AttentionService } from '../../src/attention';
import { claimReady } from '../../src/jobs/claim.repository';
import type { TestApp } from '../support/app';
import { type Interviewee, newCandidate } from './interviewee';
import { LEASE_MS, closeInterviews, pause, startInterviews, words, work } from './interviews';

/**
 * A person replays a dead answer while a worker claims the conversation's later answer. A claim does
 * not see what commits after its statement has begun.
 */

let app: TestApp;
let claimer: Client;
let holder: Client;

beforeAll(async () => {
  app = await startInterviews();
  [claimer, holder] = [await connected(), await connected()];
  // As on the claim connection: rows are claimed one by one, in the order of their due times.
  await claimer.query(
    'set enable_sort = off; set enable_seqscan = off; set enable_bitmapscan = off',
  );
});

afterAll(async () => {
  await claimer.end();
  await holder.end();
  await closeInterviews(app);
});

async function connected(): Promise<Client> {
  const client = new Client({ connectionString: app.databaseUrl });
  await client.connect();
  return client;
}

/** An answer that was given to a person, and a later one that is due. */
async function deadAndLater(candidate: Interviewee, said: { dead: string; later: string }) {
  // The worker takes over after one lease with its connection.
  await app.worker.tick();
  app.clock.advance(LEASE_MS);
  const dead = await candidate.say(said.dead);
  await app.sql(
    `update job set state = 'running', claim_no = 1, failures = 5, due_at = $2 where id = $1`,
    [dead, app.clock.now()],
  );
  await work(app);
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }]);
  const later = await candidate.say(said.later);
  pause(app);
  return later;
}

/** Claims every due answer, as a worker that vanishes then. Returns the ids of the jobs. */
async function claim(): Promise<string[]> {
  const { text, values } = claimReady({
    queue: 'flush',
    single: false,
    limit: 10,
    leaseMs: LEASE_MS,
    worker: 'vanishes',
    now: app.clock.now(),
  });
  const { rows } = await claimer.query<{ jobId: string | null }>(text, [...values]);
  return rows.flatMap(({ jobId }) => jobId ?? []);
}

/** A due job at which a claim waits until `end`, with the rest of its rows still unlocked. */
async function obstacle(): Promise<{ readonly jobId: string; end(): Promise<void> }> {
  const key = randomUUID();
  const { id } = await app.one<{ id: string }>(
    `insert into job (queue, key, due_at, first_at) values ('flush', $1, $2, $2) returning id`,
    [key, new Date(app.clock.now().getTime() - 3_600_000)],
  );
  await holder.query('begin');
  await holder.query(
    `insert into job (queue, key, state, due_at, first_at)
     values ('flush', $1, 'running', 'infinity', now())`,
    [key],
  );
  return {
    jobId: id,
    end: async () => {
      await holder.query('rollback');
    },
  };
}

async function replay(candidate: Interviewee): Promise<void> {
  const attention = app.get(AttentionService);
  const [item] = (await candidate.attention()).filter(({ kind }) => kind === 'dead');
  await app.commit((tx) => attention.replay(tx, item?.id ?? '0', 'Nora'));
}

test('a claim that began before the replay replies to both answers, in their order', async () => {
  const candidate = await newCandidate(app);
  const said = { dead: words('dead'), later: words('later') };
  const later = await deadAndLater(candidate, said);
  const before = await obstacle();

  const claiming = claim();
  await app.untilLockWait();
  await replay(candidate);
  await before.end();
  expect(await claiming).toEqual([before.jobId, later]);

  await app.sql('delete from job where id = $1', [before.jobId]);
  app.clock.advance(LEASE_MS);
  await work(app);
  const { messages } = app.model.requests.at(-1)?.body ?? { messages: [] };
  expect(replyDataOf(messages.at(-1)?.content)).toMatchObject({
    answer: `${said.dead}\n\n${said.later}`,
  });
  expect(await candidate.replies()).toHaveLength(1);
  expect(await candidate.turns()).toMatchObject([{ state: 'merged' }, { state: 'delivered' }]);
});

test('a replay waits for a claim that is being committed, and is then refused', async () => {
  const candidate = await newCandidate(app);
  const later = await deadAndLater(candidate, { dead: words('dead'), later: words('later') });
  await claimer.query('begin');
  expect(await claim()).toEqual([later]);

  const replaying = replay(candidate);
  await app.untilLockWait();
  await claimer.query('commit');

  await expect(replaying).rejects.toMatchObject({ code: 'attention_not_replayable' });
  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }, { state: 'running' }]);
});

test('a replay is refused when the later answer could not take the dead one up', async () => {
  const candidate = await newCandidate(app);
  await deadAndLater(candidate, { dead: words('dead'), later: words('later') });
  await app.sql('delete from turn where conversation_id = $1', [candidate.id]);

  await expect(replay(candidate)).rejects.toMatchObject({ code: 'attention_not_replayable' });

  expect(await candidate.jobs()).toMatchObject([{ state: 'dead' }, { state: 'open' }]);
});
