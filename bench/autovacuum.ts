/**
 * When autovacuum starts on the table of jobs: with PostgreSQL's default setting when a fifth of the
 * table is dead rows, with ours when a fiftieth is. The table begins full of ended jobs; then jobs are
 * opened, run and completed until there are just enough dead rows to start autovacuum. The bench measures
 * how much the table has grown by then, how long the first query of the queues takes, which reads the
 * dead entries of the index, and how long later ones take.
 */
import { Pool } from 'pg';
import { claimReady, queueViews } from '../src/jobs/claim.repository';
import { openBenchDatabase } from './lib/database';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';

const ENDED = 500_000;
const BLOCK = 500;
const SAMPLES = 101;
/** A job is opened, running, then done: the first two row versions are dead afterwards. */
const DEAD_OF_A_JOB = 2;
const QUEUE_NAME = 'flush';
const QUEUE = { queue: QUEUE_NAME, single: false } as const;
const PAYLOAD = `{"conversation": "00000000-0000-4000-8000-000000000001"}`;

const LIFE = [
  `insert into job (queue, key, state, first_at, due_at, check_at, payload)
   select '${QUEUE_NAME}', $1 || n, 'open', now(), now(), now(), '${PAYLOAD}' from generate_series(1, ${BLOCK}) n`,
  `update job set state = 'running', claim_no = claim_no + 1, worker = 'w', due_at = now(), check_at = now()
   where queue = '${QUEUE_NAME}' and state = 'open' and starts_with(key, $1)`,
  `update job set state = 'done', due_at = null, ended_at = now()
   where queue = '${QUEUE_NAME}' and state = 'running' and starts_with(key, $1)`,
];

async function timed(pool: Pool, text: string, values: readonly unknown[]): Promise<number> {
  const startMs = performance.now();
  await pool.query(text, [...values]);
  return performance.now() - startMs;
}

async function atShare(pool: Pool, share: number): Promise<Figure[]> {
  await pool.query('truncate job');
  await pool.query(
    `insert into job (queue, key, state, first_at, ended_at, payload)
     select '${QUEUE_NAME}', 'ended' || n, 'done', now(), now(), '${PAYLOAD}'
     from generate_series(1, ${ENDED}) n`,
  );
  await pool.query('vacuum analyze job');
  const size = async (): Promise<number> => {
    const { rows } = await pool.query<{ bytes: string }>(
      `select pg_total_relation_size('job') as bytes`,
    );
    return Number(rows[0]?.bytes) / 1e6;
  };
  const before = await size();
  for (let dead = 0; dead < ENDED * share; dead += BLOCK * DEAD_OF_A_JOB) {
    for (const statement of LIFE) await pool.query(statement, [`${dead}-`]);
  }
  const look = queueViews({ queues: [QUEUE], now: null });
  const first = await timed(pool, look.text, look.values);
  const claim = claimReady({ ...QUEUE, limit: 10, leaseMs: 1000, worker: 'w', now: null });
  const firstClaim = await timed(pool, claim.text, claim.values);
  const later: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) later.push(await timed(pool, look.text, look.values));
  const name = (what: string): string => `at ${100 * share} % dead: ${what}`;
  return [
    {
      name: name('growth of the table and its indexes'),
      value: (await size()) - before,
      unit: 'MB',
    },
    { name: name('first look at the queue'), value: first, unit: 'ms' },
    { name: name('first claim'), value: firstClaim, unit: 'ms' },
    { name: name('later looks, p50'), value: median(later), unit: 'ms' },
  ];
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const pool = new Pool({ connectionString: database.url, max: 1 });
  await pool.query('set synchronous_commit = off');
  await pool.query('alter table job set (autovacuum_enabled = false)');
  const figures: Figure[] = [];
  for (const share of [0.2, 0.02]) figures.push(...(await atShare(pool, share)));
  report('autovacuum', figures, [`${ENDED} jobs have ended before; autovacuum itself is off`]);
  await pool.end();
  await database.close();
}

void main();
