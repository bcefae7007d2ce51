import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/common/clock';
import { Settings } from '../../../src/common/config';
import { Drain, PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { NotionSweepModule } from '../../../src/notion-sync/sync/notion-sweep.module';
import { NotionDesk } from '../../../src/notion-sync/sync/notion-desk';
import { BoardSweep } from '../../../src/notion-sync/sync/board-sweep';
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
  static on({ units, control, clock }: TestDatabase): DynamicModule {
    const providers = [
      { provide: UnitOfWorkFactory, useValue: units },
      { provide: ControlConnection, useValue: control },
      { provide: Clock, useValue: clock },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
      { provide: Drain, useValue: new Drain(clock, 1000) },
      { provide: NotionDesk, useValue: { raise: () => undefined, settle: () => undefined } },
      PeerHealth,
    ];
    return { module: Core, providers, exports: providers };
  }
}

test('the sweep composes from the ground alone, and its walk is work of the queue notion-event', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), NotionSweepModule],
  }).compile();
  await app.init();

  expect(await app.get(BoardSweep).run()).toBe(0);
  const [walk] = await db.control.query<{ key: string }>(
    `select key from job where queue = 'notion-event'`,
  );
  expect(walk?.key).toMatch(/^walk:/);
  await app.close();
});

test('a sweep that fails is tried again with the next look', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), NotionSweepModule],
  }).compile();
  await app.init();
  const sweep = app.get(BoardSweep);
  await db.dataSource.query('alter table notion_sweep rename to away');
  await sweep.runOnSchedule();
  await db.dataSource.query('alter table away rename to notion_sweep');
  await db.dataSource.query('delete from job');
  await sweep.runOnSchedule();

  expect(await db.dataSource.query('select 1 from job')).toHaveLength(1);
  await app.close();
});
