import { type DynamicModule, Global, Module } from '@nestjs/common';
import { Test, type TestingModule } from '@nestjs/testing';
import { Attention } from '../../src/attention';
import { Clock } from '../../src/common/clock';
import { Settings } from '../../src/common/config';
import { PeerConditions } from '../../src/common/lifecycle';
import { Metrics } from '../../src/common/metrics';
import { type Tx, UnitsOfWork } from '../../src/common/uow';
import { NotionDeskModule } from '../../src/notion-desk';
import { NotionDesk, NotionSyncModule } from '../../src/notion-sync';
import { BoardRun } from '../../src/notion-sync/run/board-run';
import { BoardRunner } from '../../src/notion-sync/run/board-runner';
import { ControlConnection } from '../../src/persistence';
import { startTestApp } from '../support/app';
import { type TestDatabase, openTestDatabase } from '../support/app-database';
import { settingsForTests } from '../support/settings';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.close());

@Global()
@Module({})
class Ground {
  static on({ units, clock, control }: TestDatabase): DynamicModule {
    const providers = [
      { provide: UnitsOfWork, useValue: units },
      { provide: Clock, useValue: clock },
      { provide: ControlConnection, useValue: control },
      { provide: Settings, useValue: settingsForTests() },
      { provide: Metrics, useValue: new Metrics() },
      PeerConditions,
    ];
    return { module: Ground, providers, exports: providers };
  }
}

function composed(...imports: (typeof NotionSyncModule | typeof NotionDeskModule)[]) {
  return Test.createTestingModule({ imports: [Ground.on(db), ...imports] }).compile();
}

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.units.run('test', (uow) => uow.commit('test', work));
}

const ADA = '6f1c6f0e-8d54-4a2b-9a58-6f7f0c1f2a11';

describe('with the sync and its desk', () => {
  let app: TestingModule;
  beforeEach(async () => {
    app = await composed(NotionSyncModule, NotionDeskModule);
    await app.init();
  });
  afterEach(() => app.close());

  test('boards have somebody who runs them', () => {
    expect(app.get(BoardRun, { strict: false })).toBeInstanceOf(BoardRunner);
  });

  test('to replay a braked board is to approve it: it has a pass, and is ranked soon', async () => {
    const attention = app.get(Attention, { strict: false });
    const item = { kind: 'braked', subject: `board:${ADA}`, reason: 'much' } as const;
    await commit((tx) => attention.raise(tx, item));
    const [raised] = await commit((tx) => attention.list(tx));

    await commit((tx) => attention.replay(tx, raised?.id ?? '', 'Nora'));

    const passes = await commit((tx) => tx.query('select user_id from notion_board_pass'));
    expect(passes).toEqual([{ user_id: ADA }]);
    const tasks = await commit((tx) => tx.query('select lane, key, state from task'));
    expect(tasks).toEqual([{ lane: 'notion-sync', key: ADA, state: 'open' }]);
    expect(await commit((tx) => attention.list(tx))).toEqual([]);
  });
});

test('the application has both where a token is set, and neither where there is none', async () => {
  const env = { NOTION_TOKEN: 'ntn_1', NOTION_DATA_SOURCE_ID: ADA };
  for (const [settings, isThere] of [
    [env, true],
    [{}, false],
  ] as const) {
    const app = await startTestApp({ env: settings, isWorking: false });
    try {
      const find = (): unknown => app.nest.get(NotionDesk, { strict: false });
      if (isThere) expect(find()).toBeInstanceOf(NotionDesk);
      else expect(find).toThrow();
    } finally {
      await app.close();
    }
  }
});

test('without a desk the sync does not start', async () => {
  const app = await composed(NotionSyncModule);

  await expect(app.init()).rejects.toThrow('NotionDesk');
});
