import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/common/clock';
import { Settings } from '../../../src/common/config';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionApiModule } from '../../../src/notion-sync/notion-sync.module';
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
  static on({ units, clock }: TestDatabase): DynamicModule {
    const providers = [
      { provide: UnitOfWorkFactory, useValue: units },
      { provide: Clock, useValue: clock },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
      PeerHealth,
    ];
    return { module: Core, providers, exports: providers };
  }
}

test('the module needs only the core providers, and shows Notion among the peers', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), NotionApiModule],
  }).compile();

  expect(app.get(NotionApi, { strict: false })).toBeInstanceOf(NotionApi);
  expect(app.get(PeerHealth).all()).toEqual([
    { peer: 'notion', trouble: null },
    { peer: 'notion_limiter', trouble: null },
  ]);
  await app.close();
});
