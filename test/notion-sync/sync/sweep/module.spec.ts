import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../../src/common/clock';
import { Settings } from '../../../../src/common/config';
import { DomainEventsModule } from '../../../../src/common/events';
import { FailedAttempts } from '../../../../src/common/http';
import { Drain, PeerHealth } from '../../../../src/common/lifecycle';
import { Metrics } from '../../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../../src/common/uow';
import { NotionSyncModule } from '../../../../src/notion-sync/notion-sync.module';
import { BoardSweep } from '../../../../src/notion-sync/sync/board-sweep';
import { JobRegistry } from '../../../../src/jobs';
import { ControlConnection } from '../../../../src/persistence';
import { type TestDatabase, openTestDatabase } from '../../../support/app-database';
import { settingsForTests } from '../../../support/settings';

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
      { provide: Settings, useValue: settingsForTests({ NOTION_API_URL: 'http://127.0.0.1:9' }) },
      { provide: Metrics, useValue: new Metrics() },
      { provide: Drain, useValue: new Drain(clock, 1000) },
      FailedAttempts,
      PeerHealth,
    ];
    return { module: Core, providers, exports: providers };
  }
}

test('the module starts, has one handler for each queue, and its sweep enqueues a scan', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), DomainEventsModule, NotionSyncModule],
  }).compile();
  await app.init();

  const queues = [
    'notion-sync',
    'notion-read',
    'notion-scan',
    'notion-review',
    'notion-removal',
  ] as const;
  const registry = app.get(JobRegistry, { strict: false });
  const limits = queues.map((queue) => [
    registry.get(queue).concurrency,
    registry.get(queue).single,
  ]);
  expect(limits).toEqual([
    [1, true],
    [1, false],
    [1, false],
    [2, false],
    [2, false],
  ]);
  expect(await app.get(BoardSweep, { strict: false }).run()).toBe(0);
  const [scan] = await db.control.query<{ key: string }>(
    `select key from job where queue = 'notion-scan'`,
  );
  expect(scan?.key).toMatch(/^scan:/);
  await app.close();
});

test('a failed sweep is repeated at the next interval', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), DomainEventsModule, NotionSyncModule],
  }).compile();
  await app.init();
  const sweep = app.get(BoardSweep, { strict: false });
  await db.dataSource.query('alter table notion_sweep rename to away');
  await sweep.runOnSchedule();
  await db.dataSource.query('alter table away rename to notion_sweep');
  await db.dataSource.query('delete from job');
  await sweep.runOnSchedule();

  expect(await db.dataSource.query('select 1 from job')).toHaveLength(1);
  await app.close();
});
