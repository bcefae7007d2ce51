/** The jobs of the application: each is enqueued and completed in a commit of its own. */
import { UnitOfWorkFactory } from '../../src/common/uow';
import { type Claim, type JobFlow, JobHandler, JobRegistry, Jobs, JobWorker } from '../../src/jobs';
import { commit, openApplication } from '../lib/application';
import { CONCURRENCY, CONNECTIONS, type QueueSubject, serveQueue } from '../lib/queue-load';

declare module '../../src/jobs' {
  interface QueueNames {
    bench: BenchWorker;
  }
}

const QUEUE = 'bench';

@JobHandler(QUEUE, { concurrency: CONCURRENCY, maxFailures: 5 })
class BenchWorker {
  constructor(
    private readonly jobs: Jobs,
    private readonly handled: (n: number) => void,
  ) {}

  async run(claim: Claim, { uow }: JobFlow): Promise<void> {
    this.handled((claim.payload as { n: number }).n);
    await uow.commitOne('bench', (tx) => this.jobs.complete(tx, claim));
  }

  onDead(): Promise<void> {
    return Promise.reject(new Error('a job of the bench is dead'));
  }
}

async function open(): Promise<QueueSubject> {
  // Two more connections serve claims and signals.
  const app = await openApplication(process.env['DATABASE_URL'] ?? '', {
    DATABASE_POOL_SIZE: String(CONNECTIONS - 2),
  });
  const [jobs, units] = [app.get(Jobs, { strict: false }), app.get(UnitOfWorkFactory)];
  return {
    enqueue: (n) =>
      units.run('bench', (uow) =>
        uow.commitOne('bench.enqueue', (tx) =>
          jobs.enqueue(tx, {
            queue: QUEUE,
            key: `${Date.now()}-${n}`,
            dueInMs: 0,
            payload: { n },
          }),
        ),
      ),
    start: (handled) => {
      app.get(JobRegistry, { strict: false }).register(new BenchWorker(jobs, handled));
      app.get(JobWorker, { strict: false }).start();
      return Promise.resolve();
    },
    stop: () => app.close(),
    async left() {
      const [row] = await commit(app, (tx) =>
        tx.query<{ count: number }>(
          `select count(*)::int as count from job
           where queue = $1 and state in ('open', 'running', 'retry')`,
          [QUEUE],
        ),
      );
      return row?.count ?? 0;
    },
  };
}

serveQueue(open);
