/** The jobs of the application: each is enqueued in a commit of its own, and completed in that of its effect. */
import { UnitOfWorkFactory } from '../../src/common/uow';
import {
  type Claim,
  CompletionBatcher,
  JobHandler,
  JobRegistry,
  Jobs,
  JobWorker,
} from '../../src/jobs';
import { commit, openApplication } from '../lib/application';
import {
  CONCURRENCY,
  CONNECTIONS,
  EFFECTS,
  type QueueSubject,
  WRITE_EFFECTS,
  serveQueue,
} from '../lib/queue-load';

declare module '../../src/jobs' {
  interface QueueNames {
    bench: BenchWorker;
  }
}

const QUEUE = 'bench';

@JobHandler(QUEUE, { concurrency: CONCURRENCY, maxFailures: 5, sharesCommits: true })
class BenchWorker {
  private readonly ends: CompletionBatcher<number>;

  constructor(
    units: UnitOfWorkFactory,
    jobs: Jobs,
    private readonly handled: (n: number) => void,
  ) {
    this.ends = new CompletionBatcher(units, jobs, 'bench.effect', (tx, numbers) =>
      tx.query(WRITE_EFFECTS, [numbers]),
    );
  }

  async run(claim: Claim): Promise<void> {
    const { n } = claim.payload as { n: number };
    this.handled(n);
    await this.ends.complete(claim, n);
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
  await commit(app, (tx) => tx.query(EFFECTS));
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
      app.get(JobRegistry, { strict: false }).register(new BenchWorker(units, jobs, handled));
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
