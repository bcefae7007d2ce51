import type { PageObjectResponse } from '@notionhq/client';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import type { Tx } from '../../../src/common/uow';
import type { NotionApi } from '../../../src/notion-sync/api/notion-api';
import { NotionRetries } from '../../../src/notion-sync/api/notion-calls';
import { WebhookHealth, WebhookMetrics } from '../../../src/notion-sync/intake/webhook-health';
import { PageChanges } from '../../../src/notion-sync/intake/page-changes';
import {
  PageReadRepository,
  type PageRepository,
} from '../../../src/notion-sync/sync/page.repository';
import { PageReadWorker } from '../../../src/notion-sync/intake/page-read.worker';
import { PropertyIdRepository } from '../../../src/notion-sync/intake/event.repository';
import type { PermitHolder } from '../../../src/notion-sync/api/limiter/notion-limiter';
import type { BoardSchedule } from '../../../src/notion-sync/sync/board-schedule';
import type { TestDatabase } from '../../support/app-database';
import { settingsForTests } from '../../support/settings';
import type { JobRig } from '../../support/jobs';

const BOARD = 'aaaaaaaa-0000-4000-a000-000000000001';
export const PAGE = 'bbbbbbbb-0000-4000-a000-000000000001';
export const OTHER_PAGE = 'bbbbbbbb-0000-4000-a000-000000000002';

/** How Notion responds when a page is read. */
export type Read = (holder: PermitHolder, pageId: string) => Promise<PageObjectResponse>;

/** The worker of the queue `notion-read`. It enqueues a job for each board that it marks. */
export function queueOn(
  { registry, jobs }: JobRig,
  { db, pages, read }: { db: TestDatabase; pages: PageRepository; read: Read },
): PageReadWorker {
  const settings = settingsForTests({
    NOTION_TOKEN: 't',
    NOTION_DATA_SOURCE_ID: BOARD,
    NOTION_MAX_TRIES: '0',
  });
  const boards = {
    mark: async (tx: Tx, userIds: readonly string[]) => {
      for (const key of userIds) {
        await jobs.enqueue(tx, { queue: 'notion-sync', key, dueInMs: 3_600_000 });
      }
    },
  };
  const reads = new PageReadRepository(jobs, db.clock);
  const worker = new PageReadWorker(
    settings,
    {
      retrievePage: read,
      retrieveDataSource: () => Promise.resolve({ properties: {} }),
    } as unknown as NotionApi,
    new NotionRetries(settings, db.clock),
    jobs,
    reads,
    new PageChanges(
      pages,
      boards as unknown as BoardSchedule,
      new PropertyIdRepository(settings, db.clock),
    ),
    new WebhookHealth(new PeerHealth(), db.clock),
    new WebhookMetrics(new Metrics()),
  );
  registry.register(worker);
  return worker;
}

/** A page as the API returns it, with only the fields that are read. */
export function page(assigneeIds: readonly string[], id = PAGE): PageObjectResponse {
  const people = assigneeIds.map((id) => ({ object: 'user', id }));
  return {
    object: 'page',
    id,
    parent: { type: 'data_source_id', data_source_id: BOARD },
    in_trash: false,
    properties: { Assignee: { id: 'a', type: 'people', people } },
  } as unknown as PageObjectResponse;
}
