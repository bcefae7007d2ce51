import { type DynamicModule, Global, Module, type Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { Clock } from '../../../src/common/clock';
import { Settings } from '../../../src/common/config';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { UnitOfWorkFactory } from '../../../src/common/uow';
import { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionBoardsModule } from '../../../src/notion-sync/notion-boards.module';
import { NotionSyncModule } from '../../../src/notion-sync/notion-sync.module';
import { BoardSweep } from '../../../src/notion-sync/sync/board-sweep';
import { NotionReplaysModule } from '../../../src/notion-sync/sync/replays';
import { BoardWorker } from '../../../src/notion-sync/sync/board.worker';
import { NotionWebhookController } from '../../../src/notion-sync/intake/webhook.controller';
import {
  ReviewRequests,
  ReviewRequestsModule,
} from '../../../src/notion-sync/reviews/review-requests';
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

const ALL: readonly Type[] = [
  NotionBoardsModule,
  NotionSyncModule,
  NotionReplaysModule,
  ReviewRequestsModule,
];

test('the module of boards needs only the core providers, and shows Notion among the peers', async () => {
  const app = await Test.createTestingModule({
    imports: [Core.on(db), NotionBoardsModule],
  }).compile();

  expect(app.get(NotionApi, { strict: false })).toBeInstanceOf(NotionApi);
  expect(app.get(PeerHealth).all()).toEqual([
    { peer: 'notion', trouble: null },
    { peer: 'notion_board', trouble: null },
    { peer: 'notion_limiter', trouble: null },
  ]);
  await app.close();
});

describe('the modules of Notion', () => {
  test('are four, and each provider is in one of them', () => {
    const providers = ALL.flatMap((one) => listed('providers', one));
    const twice = providers.filter((one, place) => providers.indexOf(one) !== place);

    expect(ALL).toHaveLength(4);
    expect(twice).toEqual([]);
  });

  test('run nothing in commands: no handler of jobs, no timer, no webhook', () => {
    const parts = [NotionBoardsModule, NotionReplaysModule].flatMap(allOf);

    expect(parts.filter(isRunning)).toEqual([]);
    expect(parts).toContain(NotionClient);
    // The same check finds what the application runs.
    expect(allOf(NotionSyncModule).filter(isRunning)).toEqual(
      expect.arrayContaining([BoardSweep, BoardWorker, NotionWebhookController]),
    );
  });

  test('handle events about interviews without a token, and load no client of Notion for that', () => {
    const parts = [ReviewRequestsModule, NotionReplaysModule].flatMap(allOf);

    expect(parts).toContain(ReviewRequests);
    expect(parts).not.toContain(NotionClient);
  });
});

function listed(kind: 'imports' | 'providers' | 'controllers', module: Type): Type[] {
  return (Reflect.getMetadata(kind, module) ?? []) as Type[];
}

/** Notion's providers and controllers of a module and of those that it imports. */
function allOf(module: Type): Type[] {
  if (!ALL.includes(module)) return [];
  const own = [...listed('providers', module), ...listed('controllers', module)];
  return [...own, ...listed('imports', module).flatMap(allOf)];
}

/** A controller, a handler of jobs, or one that a timer or the application's start calls. */
function isRunning(part: Type): boolean {
  const kinds = Reflect.getMetadataKeys(part).map(String);
  if (kinds.includes('path') || kinds.includes('Symbol(JobHandler)')) return true;
  const methods = Object.entries(Object.getOwnPropertyDescriptors(part.prototype));
  return methods.some(
    ([name, { value }]) =>
      name === 'onApplicationBootstrap' ||
      (typeof value === 'function' && Reflect.hasMetadata('SCHEDULER_TYPE', value as object)),
  );
}
