import { Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { Metrics } from '../../src/common/metrics';
import { UnitsOfWork } from '../../src/common/uow';
import { ControlConnection } from '../../src/persistence';
import { LaneRegistry, TaskWorker, Tasks, TasksModule } from '../../src/tasks';
import { openTestDatabase, type TestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';
import { inCommit, laneHandler } from '../support/tasks';

let db: TestDatabase;

beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

test('the module wires one worker, which claims nothing until it is started', async () => {
  const globals = [
    { provide: Clock, useValue: db.clock },
    { provide: Settings, useValue: settingsForTests() },
    { provide: Metrics, useValue: new Metrics() },
    { provide: UnitsOfWork, useValue: db.units },
    { provide: ControlConnection, useValue: db.control },
  ];
  @Global()
  @Module({ providers: globals, exports: globals.map((provider) => provider.provide) })
  class Globals {}
  const app = await Test.createTestingModule({ imports: [Globals, TasksModule] }).compile();
  await app.init();
  const tasks = app.get(Tasks);
  const worker = app.get(TaskWorker);
  const done: string[] = [];
  app.get(LaneRegistry).register(
    laneHandler({
      lane: 'score',
      run: async (claim) => {
        await inCommit(db.units, (tx) => tasks.complete(tx, claim));
        done.push(claim.key);
      },
    }),
  );
  await inCommit(db.units, (tx) => tasks.upsert(tx, { lane: 'score', key: 'k', dueInMs: 0 }));
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
