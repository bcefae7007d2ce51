/**
 * BullMQ on Redis.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { Queue, Worker } from 'bullmq';
import { createRequire } from 'node:module';
import pg from 'pg';

const { CONCURRENCY, CONNECTIONS, EFFECTS, WRITE_EFFECTS, serveQueue } = createRequire(
  import.meta.url,
)('../lib/queue-load.ts');

serveQueue(async () => {
  const { hostname: host, port } = new URL(process.env.REDIS_URL);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const defaultJobOptions = { removeOnComplete: true };
  const queue = new Queue('bench', { connection, defaultJobOptions });
  await queue.waitUntilReady();
  // Its effects are in PostgreSQL, as those of the others are: no commit can have both.
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
  await pool.query(EFFECTS);
  const work =
    (handled) =>
    async ({ data }) => {
      handled(data.n);
      await pool.query(WRITE_EFFECTS, [[data.n]]);
    };
  let worker;
  return {
    enqueue: (n) => queue.add('bench', { n }),
    start: async (handled) => {
      const options = { connection, concurrency: CONCURRENCY };
      worker = new Worker('bench', work(handled), options);
      await worker.waitUntilReady();
    },
    stop: async () => {
      await worker.close();
      await queue.close();
      await pool.end();
    },
    left: async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'prioritized', 'delayed');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
  };
});
