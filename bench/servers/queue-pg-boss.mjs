/**
 * pg-boss. Its worker polls twice a second at most, so it takes large batches, as its documentation
 * advises for throughput; a batch is completed as a whole after its handler.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { createRequire } from 'node:module';
import pg from 'pg';
import PgBoss from 'pg-boss';

const { CONNECTIONS, EFFECTS, WRITE_EFFECTS, serveQueue } = createRequire(import.meta.url)(
  '../lib/queue-load.ts',
);
const QUEUE = 'bench';

serveQueue(async () => {
  const boss = new PgBoss({ connectionString: process.env.DATABASE_URL, max: CONNECTIONS - 1 });
  // A batch writes its effects in one commit, before pg-boss completes it in another.
  const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1 });
  await pool.query(EFFECTS);
  boss.on('error', console.error);
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    enqueue: (n) => boss.send(QUEUE, { n }),
    start: (handled) =>
      boss.work(QUEUE, { batchSize: 1000, pollingIntervalSeconds: 0.5 }, async (jobs) => {
        for (const { data } of jobs) handled(data.n);
        await pool.query(WRITE_EFFECTS, [jobs.map(({ data }) => data.n)]);
      }),
    stop: async () => {
      await boss.stop({ graceful: false, wait: true });
      await pool.end();
    },
    left: () => boss.getQueueSize(QUEUE, { before: 'completed' }),
  };
});
