import { Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { Drain } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { ControlConnection } from '../../src/persistence';
import {
  JobHandler,
  type JobHandlerClass,
  JobRegistry,
  JobWorker,
  Jobs,
  JobsModule,
} from '../../src/jobs';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { inCommit, jobHandler } from '../support/jobs';
import { gate } from '../../tools/http-fake/gate';

/** The pool of `openTestDatabase`. */
const POOL_SIZE = 5;
const LEASE_MS = 6000;
const HEARTBEAT_MS = 2000;

let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

async function openModule(...handlers: readonly JobHandlerClass[]): Promise<TestingModule> {
  const globals = [
    { provide: Clock, useValue: db.clock },
    { provide: Settings, useValue: settingsForTests() },
    { provide: Metrics, useValue: new Metrics() },
    { provide: UnitOfWorkFactory, useValue: db.units },
    { provide: ControlConnection, useValue: db.control },
    { provide: Drain, useValue: new Drain(db.clock, 1000) },
  ];
  const workers = handlers.map((handler) => ({ provide: Symbol('handler'), useValue: handler }));
  @Global()
  @Module({
    providers: [...globals, ...workers],
    exports: globals.map((provider) => provider.provide),
  })
  class Globals {}
  const app = await Test.createTestingModule({ imports: [Globals, JobsModule] }).compile();
  return app.init();
}

test('the worker of the module claims nothing until it is started', async () => {
  const app = await openModule();
  const jobs = app.get(Jobs);
  const worker = app.get(JobWorker);
  const done: string[] = [];
  app.get(JobRegistry).register(
    jobHandler({
      queue: 'score',
      run: async (claim) => {
        await inCommit(db.units, (tx) => jobs.complete(tx, claim));
        done.push(claim.key);
      },
    }),
  );
  await inCommit(db.units, (tx) => jobs.enqueue(tx, { queue: 'score', key: 'k', dueInMs: 0 }));
  for (let poll = 0; poll < 20; poll += 1) {
    db.clock.advance(500);
    // The connections of a claim and of its flow.
    await db.control.query('select 1');
    await db.sql('select 1');
  }
  expect(done).toEqual([]);

  worker.start();
  for (let poll = 0; done.length === 0 && poll < 10_000; poll += 1) {
    db.clock.advance(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await worker.stopClaims();
  await worker.stop();
  await app.close();

  expect(done).toEqual(['k']);
});

test('claims and heartbeats need no connection of the pool', async () => {
  const app = await openModule();
  const worker = app.get(JobWorker);
  const [busy, mayEnd, mayGoOn] = [[] as Promise<unknown>[], gate(), gate()];
  app.get(JobRegistry).register(jobHandler({ queue: 'score', run: () => mayGoOn.opened }));
  await inCommit(db.units, (tx) =>
    app.get(Jobs).enqueue(tx, { queue: 'score', key: 'l', dueInMs: 0 }),
  );
  for (let n = 0; n < POOL_SIZE; n += 1) {
    const isHeld = gate();
    busy.push(
      inCommit(db.units, () => {
        isHeld.open();
        return mayEnd.opened;
      }),
    );
    await isHeld.opened;
  }

  const claimed = await worker.tick();
  db.clock.advance(HEARTBEAT_MS);
  await worker.tick();
  const [job] = await db.control.query<{ dueAt: Date }>(
    `select leased_until as "dueAt" from job where key = 'l'`,
  );
  mayEnd.open();
  await Promise.all(busy);

  expect(claimed).toBe(1);
  expect(job?.dueAt).toEqual(new Date(db.clock.now().getTime() + LEASE_MS));
  mayGoOn.open();
  await worker.waitUntilSettled(1000);
  await app.close();
});

test('does not start when a queue has two handlers', async () => {
  const handler = (): JobHandlerClass =>
    jobHandler({ queue: 'score', run: () => Promise.resolve() });

  await expect(openModule(handler(), handler())).rejects.toThrow(
    'the queue "score" has two handlers',
  );
});

test('a queue that is not declared, and another handler than the declared one, do not compile', async () => {
  class Undeclared implements JobHandlerClass {
    run = (): Promise<void> => Promise.resolve();
    onDead = (): Promise<void> => Promise.resolve();
  }
  const options = { concurrency: 1, maxFailures: 1 };
  // @ts-expect-error -- no handler declares this queue
  JobHandler('scroe', options)(Undeclared);
  // @ts-expect-error -- `score` is declared with ScoreWorker
  JobHandler('score', options)(Undeclared);
  const app = await openModule();
  const [jobs, registry] = [app.get(Jobs), app.get(JobRegistry)];
  // @ts-expect-error -- no handler declares this queue
  await inCommit(db.units, (tx) => jobs.enqueue(tx, { queue: 'scroe', key: 'm', dueInMs: 0 }));

  // @ts-expect-error -- no handler declares this queue
  expect(() => registry.get('scroe')).toThrow('no handler is registered for the queue "scroe"');
  await app.close();
});
