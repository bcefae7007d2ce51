import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/common/clock';
import { Settings } from '../../../src/common/config';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { NotionRunModule } from '../../../src/notion-sync/sync/notion-run.module';
import { ControlConnection } from '../../../src/persistence';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { settingsForTests } from '../../support/settings';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

@Global()
@Module({})
class Core {
  static on({ units, clock, control }: TestDatabase): DynamicModule {
    const providers = [
      { provide: UnitOfWorkFactory, useValue: units },
      { provide: Clock, useValue: clock },
      { provide: ControlConnection, useValue: control },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
      PeerHealth,
    ];
    return { module: Core, providers, exports: providers };
  }
}

test('without a desk, on which a person sees what is held back, the runs do not start', async () => {
  const imports = [Core.on(db), NotionRunModule];
  const app = await Test.createTestingModule({ imports }).compile();

  await expect(app.init()).rejects.toThrow('NotionDesk');
});
