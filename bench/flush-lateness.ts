/**
 * How late a due answer is claimed (claim − due) while many become due and each takes a moment of
 * work. Control: bare timers for the same times, with the same work, in the same process.
 */
import { BufferService } from '../src/buffer';
import type { Flush } from '../src/buffer';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { UnitOfWorkFactory } from '../src/common/uow';
import { JobRegistry, Jobs, JobWorker } from '../src/jobs';
import { commit, makeConversations, openApplication } from './lib/application';
import { openBenchDatabase } from './lib/database';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';

const BUFFERS = 2000;
const SPREAD_MS = 10_000;
const LEAD_MS = 1500;
const WORK_MS = 20;
const BLOCKS = 5;

const work = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, WORK_MS));

async function timerLateness(): Promise<number[]> {
  const startMs = performance.now() + 100;
  const wait = async (n: number): Promise<number> => {
    const dueMs = startMs + (n * SPREAD_MS) / BUFFERS;
    await new Promise((resolve) => setTimeout(resolve, dueMs - performance.now()));
    const lateMs = performance.now() - dueMs;
    await work();
    return lateMs;
  };
  return Promise.all(Array.from({ length: BUFFERS }, (_, n) => wait(n)));
}

/** Replaces the interview by a handler that only waits; `take` returns how late each claim was. */
function measureClaims(app: NestFastifyApplication): { take(): Promise<number[]> } {
  const units = app.get(UnitOfWorkFactory);
  const jobs = app.get(Jobs, { strict: false });
  let late: number[] = [];
  let whenAll = (): void => undefined;
  const { handler } = app.get(JobRegistry, { strict: false }).get('flush');
  Object.assign(handler, {
    async flush({ claim }: Flush) {
      await work();
      await units.run('bench', (uow) => uow.commit('bench.done', (tx) => jobs.complete(tx, claim)));
      if (late.length === BUFFERS) whenAll();
    },
  });
  const run = handler.run.bind(handler);
  handler.run = (claim, flow) => {
    late.push(Date.now() - claim.dueAt.getTime());
    return run(claim, flow);
  };
  return {
    async take() {
      late = [];
      await new Promise<void>((resolve) => {
        whenAll = resolve;
      });
      return late;
    },
  };
}

async function makeDue(
  app: NestFastifyApplication,
  conversations: readonly string[],
): Promise<void> {
  await commit(app, (tx) =>
    tx.query(
      `insert into job (queue, key, state, first_at, quiet_at, due_at, check_at)
       select 'flush', key, 'open', now(), due, due, due
       from (select key, clock_timestamp() + ($2 + (n - 1) * $3::float8) * interval '1 ms' as due
             from unnest($1::text[]) with ordinality as c (key, n)) d`,
      [conversations, LEAD_MS, SPREAD_MS / BUFFERS],
    ),
  );
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const app = await openApplication(database.url, {});
  app.get(BufferService, { strict: false });
  const claims = measureClaims(app);
  const conversations = await makeConversations(app, BUFFERS);
  app.get(JobWorker, { strict: false }).start();
  const blocks: { timers: number[]; claims: number[] }[] = [];
  for (let block = 0; block < BLOCKS; block += 1) {
    const timers = await timerLateness();
    await makeDue(app, conversations);
    blocks.push({ timers, claims: await claims.take() });
  }
  const p99 = (of: 'timers' | 'claims'): number =>
    median(blocks.map((b) => percentile(b[of], 0.99)));
  report(
    'flush-lateness',
    [
      { name: 'bare timers, p50', value: median(blocks.map((b) => median(b.timers))), unit: 'ms' },
      { name: 'bare timers, p99', value: p99('timers'), unit: 'ms' },
      { name: 'claim − due, p50', value: median(blocks.map((b) => median(b.claims))), unit: 'ms' },
      { name: 'claim − due, p99', value: p99('claims'), unit: 'ms' },
      {
        name: 'claim − due over bare timers, p99',
        value: median(blocks.map((b) => percentile(b.claims, 0.99) - percentile(b.timers, 0.99))),
        unit: 'ms',
        bound: { atMost: 25 },
        isNoisy: p99('timers') > 10,
      },
    ],
    [`${BUFFERS} buffers due over ${SPREAD_MS} ms, ${WORK_MS} ms of work each, ${BLOCKS} blocks`],
  );
  await app.close();
  await database.close();
}

void main();
