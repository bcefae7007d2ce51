/**
 * Graphile Worker with the settings of its page on performance: a local queue, and completions in
 * batches. It is woken by LISTEN.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import { createRequire } from 'node:module';
import pg from 'pg';

const { CONCURRENCY, CONNECTIONS, EFFECTS, WRITE_EFFECTS, serveQueue } = createRequire(
  import.meta.url,
)('../lib/queue-load.ts');
const logger = new Logger(() => () => undefined);

serveQueue(async () => {
  const pgPool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  await pgPool.query(EFFECTS);
  let runner;
  return {
    enqueue: (n) => utils.addJob('bench', { n }),
    start: async (handled) => {
      const taskList = {
        bench: async ({ n }, { query }) => {
          handled(n);
          await query(WRITE_EFFECTS, [[n]]);
        },
      };
      const worker = {
        concurrentJobs: CONCURRENCY,
        localQueue: { size: 500 },
        completeJobBatchDelay: 0,
        failJobBatchDelay: 0,
      };
      runner = await run({ pgPool, logger, noHandleSignals: true, taskList, preset: { worker } });
    },
    stop: async () => {
      await runner.stop();
      await utils.release();
      await pgPool.end();
    },
    left: async () => {
      const { rows } = await pgPool.query(
        'select count(*)::int as count from graphile_worker._private_jobs',
      );
      return rows[0].count;
    },
  };
});
