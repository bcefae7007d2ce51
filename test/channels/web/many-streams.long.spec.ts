import { Client } from 'pg';
import { chunksOf, deltasOf, said, submit } from './chat-client';
import { heldReply } from './mid-reply';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

const STREAMS = 200;
const POOL_SIZE = 5;
/** Begun or ended at the same moment: this one process is server, model and all clients. */
const ABREAST = 5;
/** Begun without a model request yet: on a busy machine they wait seconds for the pool. */
const BEHIND = 20;
const SAMPLES = 40;
/** The test is bound by the processor: a slow machine needs minutes for it. */
const PATIENCE_MS = 300_000;

/** The log line of a flush whose claim went back because a commit was refused. */
const REFUSED =
  /of flush, claim \d+: the database failed, .*: (pool_exhausted|database_busy|database_unavailable)/;

let app: TestApp;
/** A connection from outside, so that it takes none of the pool. */
let outside: Client;

beforeAll(async () => {
  app = await startTestApp({
    model: true,
    env: {
      DATABASE_POOL_SIZE: String(POOL_SIZE),
      JOB_LEASE: '60',
      // The first replies are held until the last has begun: that silence is no failure of the model.
      OPENAI_FIRST_BYTE_TIMEOUT: '300',
      OPENAI_IDLE_TIMEOUT: '300',
    },
  });
  outside = new Client({ connectionString: app.databaseUrl, application_name: 'outside' });
  await outside.connect();
});

afterAll(async () => {
  app.model.release();
  await outside.end();
  await app.close();
});

/** For each of `items`, a few at a time, in order. */
async function inBatches<T, R>(items: readonly T[], act: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += ABREAST) {
    results.push(...(await Promise.all(items.slice(from, from + ABREAST).map(act))));
  }
  return results;
}

/** The connections of the process's pool, and those that are idle in a transaction. */
async function lookAtPool(): Promise<{ connections: number; idleInTransaction: string[] }> {
  const { rows } = await outside.query<{ isIdle: boolean; query: string }>(
    `select query, state like 'idle in transaction%'
       and clock_timestamp() - state_change > interval '1 s' as "isIdle"
     from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy'`,
  );
  const idle = rows.filter(({ isIdle }) => isIdle);
  return { connections: rows.length, idleInTransaction: idle.map(({ query }) => query) };
}

async function commitsOf(...labels: string[]): Promise<number[]> {
  const exposition = await (await fetch(`${app.url}/metrics`)).text();
  return labels.map((label) => {
    const line = `colloquy_uow_commits_total{label="${label}",outcome="committed"} `;
    const found = exposition.split('\n').find((each) => each.startsWith(line));
    return Number(found?.slice(line.length) ?? 0);
  });
}

async function claimsOfFlushes(): Promise<number> {
  const [row] = await app.commit((tx) =>
    tx.query<{ claims: number }>(
      `select sum(claim_no)::int as claims from job where queue = 'flush'`,
    ),
  );
  return row?.claims ?? 0;
}

test(
  '200 replies at once hold no transaction, share a pool of 5, and take four commits each',
  async () => {
    const candidates = await inBatches([...Array(STREAMS).keys()], () => TestCandidate.begin(app));
    app.model.always(heldReply('Thank you for', ' telling me.'));

    let submitted = 0;
    const streams = await inBatches(candidates, async (candidate) => {
      submitted += 1;
      if (submitted > BEHIND) await app.model.request(submitted - BEHIND);
      return submit(candidate, [said('m1', 'Rye.')]);
    });
    const read = streams.map(chunksOf);
    await app.model.request(STREAMS);
    // All replies are held in the middle while the pool is sampled.
    for (let sample = 0; sample < SAMPLES; sample += 1) {
      const { connections, idleInTransaction } = await lookAtPool();
      expect(idleInTransaction).toEqual([]);
      expect(connections).toBeLessThanOrEqual(POOL_SIZE);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    for (let ended = 0; ended < STREAMS; ended += ABREAST) {
      app.model.release(ABREAST);
      await Promise.race(read.slice(ended));
    }

    const texts = (await Promise.all(read)).map(deltasOf);
    const stored = await app.commit((tx) =>
      tx.query<{ id: string; text: string }>(
        `select conversation_id as id, reply_text as text from turn where state = 'delivered'`,
      ),
    );
    const storedOf = new Map(stored.map(({ id, text }) => [id, text]));
    expect(texts).toEqual(candidates.map(({ conversationId }) => storedOf.get(conversationId)));
    expect(texts.every((text) => text.startsWith('Thank you for telling me.'))).toBe(true);
    const [appended, admitted, opened, closed, settled] = await commitsOf(
      'chat.append',
      'flush.admit',
      'turn.open',
      'turn.close',
      'llm.settle',
    );
    expect([appended, closed, settled]).toEqual([STREAMS, STREAMS, 0]);
    // Where the pool kept a commit waiting for too long, the flush went back and was claimed again:
    // such a claim admits, and perhaps opens, once more. On a quiet machine there is none.
    const claims = STREAMS + app.log.lines.filter((line) => REFUSED.test(line)).length;
    expect(await claimsOfFlushes()).toBe(claims);
    for (const commits of [admitted, opened]) {
      expect(commits).toBeGreaterThanOrEqual(STREAMS);
      expect(commits).toBeLessThanOrEqual(claims);
    }
  },
  PATIENCE_MS,
);
