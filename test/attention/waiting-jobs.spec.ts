import type { AttentionItem, AttentionService } from '../../src/attention';
import { ATTENTION_AFTER_MS, WaitingJobs } from '../../src/attention/waiting-jobs';
import type { Tx } from '../../src/common/uow';
import { PeerUnavailableError } from '../../src/jobs';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { attentionRig } from '../support/attention';
import { type JobRig, addJob, completing, inCommit, jobHandler, jobRig } from '../support/jobs';

const CONVERSATION = '6a1b1f0e-8a43-4a5e-9f6d-2d7b6f1f0a01';
const HOUR_MS = 3_600_000;

let database: TestDatabase;
let rig: JobRig;
let attention: AttentionService;
let waiting: WaitingJobs;
let isDown: boolean;

beforeEach(async () => {
  database = await openTestDatabase();
  rig = jobRig(database);
  isDown = true;
  const complete = completing(rig, database.units);
  for (const queue of ['flush', 'score'] as const) {
    rig.registry.register(
      jobHandler({
        queue,
        run: (claim, flow) => {
          if (isDown) return Promise.reject(new PeerUnavailableError('503'));
          flow.peerResponded();
          return complete(claim);
        },
      }),
    );
  }
  const { items, ...list } = attentionRig(database.clock);
  attention = list.attention;
  waiting = new WaitingJobs(database.units, items, attention);
});

afterEach(() => database.close());

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return inCommit(database.units, work);
}

function listed(state: 'open' | 'closed' = 'open'): Promise<AttentionItem[]> {
  return commit((tx) => attention.list(tx, { state }));
}

async function pass(): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

test('a job is in the list once it has been given back for the set time, and only once', async () => {
  const jobId = await addJob(rig, database.units, { queue: 'score', key: 'a' });
  await pass();
  database.clock.advance(ATTENTION_AFTER_MS - 1);
  await expect(waiting.sweep()).resolves.toEqual({ raised: 0, settled: 0 });

  // Nobody claims it meanwhile: its breaker is what keeps it waiting.
  database.clock.advance(1);
  await expect(waiting.sweep()).resolves.toEqual({ raised: 1, settled: 0 });
  await expect(waiting.sweep()).resolves.toEqual({ raised: 0, settled: 0 });

  const [item] = await listed();
  expect(item).toMatchObject({ kind: 'waiting', subject: `job:${jobId}`, jobId });
  expect(item?.reason).toBe(
    'a job of the queue "score" has waited since 2026-03-02 09:00 UTC after 1 tries and is still ' +
      'retried; last error: peer_unavailable: 503',
  );
});

test('its item closes by itself when the peer is back', async () => {
  await addJob(rig, database.units, { queue: 'score', key: 'a' });
  await pass();
  database.clock.advance(ATTENTION_AFTER_MS);
  await waiting.sweep();
  isDown = false;
  await pass();

  await expect(waiting.sweep()).resolves.toEqual({ raised: 0, settled: 1 });

  expect(await listed()).toEqual([]);
  expect(await listed('closed')).toMatchObject([{ kind: 'waiting', closedBy: 'colloquy' }]);
});

test('does not add a closed item again', async () => {
  await addJob(rig, database.units, { queue: 'score', key: 'a' });
  await pass();
  database.clock.advance(ATTENTION_AFTER_MS);
  await waiting.sweep();
  const [item] = await listed();
  await commit((tx) => attention.close(tx, item?.id ?? '', 'Ada', 'known'));

  await expect(waiting.sweep()).resolves.toEqual({ raised: 0, settled: 0 });
});

test('an answer that waits names its conversation', async () => {
  await commit(async (tx) => {
    await tx.query(
      `insert into vacancy (id, slug, language, title, company, owner, plan, open_token)
       values ($1, 's', 'en', 't', 'c', '{}', '{}', 'o')`,
      [CONVERSATION],
    );
    await tx.query(`insert into candidate (id) values ($1)`, [CONVERSATION]);
    await tx.query(
      `insert into conversation (id, vacancy_id, candidate_id, language, plan, status, state)
       values ($1, $1, $1, 'en', '{}', 'active', '{}')`,
      [CONVERSATION],
    );
  });
  await addJob(rig, database.units, { queue: 'flush', key: CONVERSATION });
  await pass();
  database.clock.advance(ATTENTION_AFTER_MS);
  await waiting.sweep();

  const [item] = await listed();
  expect(item?.conversationId).toBe(CONVERSATION);
});
