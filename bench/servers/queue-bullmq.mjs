/**
 * BullMQ on Redis.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { Queue, Worker } from 'bullmq';
import { createRequire } from 'node:module';

const { CONCURRENCY, serveQueue } = createRequire(import.meta.url)('../lib/queue-load.ts');

serveQueue(async () => {
  const { hostname: host, port } = new URL(process.env.REDIS_URL);
  const connection = { host, port: Number(port), maxRetriesPerRequest: null };
  const defaultJobOptions = { removeOnComplete: true };
  const queue = new Queue('bench', { connection, defaultJobOptions });
  await queue.waitUntilReady();
  let worker;
  return {
    enqueue: (n) => queue.add('bench', { n }),
    start: async (handled) => {
      const options = { connection, concurrency: CONCURRENCY };
      worker = new Worker('bench', async ({ data }) => handled(data.n), options);
      await worker.waitUntilReady();
    },
    stop: async () => {
      await worker.close();
      await queue.close();
    },
    left: async () => {
      const counts = await queue.getJobCounts('waiting', 'active', 'prioritized', 'delayed');
      return Object.values(counts).reduce((sum, count) => sum + count, 0);
    },
  };
});
