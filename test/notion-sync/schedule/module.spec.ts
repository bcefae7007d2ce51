import { type DynamicModule, Global, Module, type Provider } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/common/clock';
import { Settings } from '../../../src/common/config';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { BoardRun } from '../../../src/notion-sync/sync/board-run';
import { BoardWorkerModule } from '../../../src/notion-sync/sync/board-worker.module';
import { ControlConnection } from '../../../src/persistence';
import { JobRegistry } from '../../../src/jobs';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { StandInRun } from '../../support/notion-schedule';
import { settingsForTests } from '../../support/settings';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

@Global()
@Module({})
class Core {
  static with(...more: Provider[]): DynamicModule {
    const providers = [
      { provide: UnitOfWorkFactory, useValue: db.units },
      { provide: ControlConnection, useValue: db.control },
      { provide: Clock, useValue: db.clock },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
      ...more,
    ];
    return { module: Core, providers, exports: providers };
  }
}

test('the queue is registered with the work of whatever module provides it', async () => {
  const boards = { provide: BoardRun, useValue: new StandInRun() };
  const app = await Test.createTestingModule({
    imports: [Core.with(boards), BoardWorkerModule],
  }).compile();
  await app.init();

  expect(app.get(JobRegistry, { strict: false }).get('notion-sync').concurrency).toBe(1);
  await app.close();
});

test('without one the application does not start', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.with(), BoardWorkerModule],
  }).compile();

  await expect(app.init()).rejects.toThrow('no module provides a BoardRun');
});
