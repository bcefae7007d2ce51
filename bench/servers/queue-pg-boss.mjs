/**
 * pg-boss. Its worker polls twice a second at most, so it takes large batches, as its documentation
 * advises for throughput; a batch is completed as a whole after its handler.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { createRequire } from 'node:module';
import PgBoss from 'pg-boss';

const { CONNECTIONS, serveQueue } = createRequire(import.meta.url)('../lib/queue-load.ts');
const QUEUE = 'bench';

serveQueue(async () => {
  const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS });
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    enqueue: (n) => boss.send(QUEUE, { n }),
    start: (handled) =>
      boss.work(QUEUE, { batchSize: 1000, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        for (const { data } of jobs) handled(data.n);
      }),
    stop: () => boss.stop({ graceful: false, wait: true }),
    left: () => boss.getQueueSize(QUEUE, { before: 'completed' }),
  };
});
