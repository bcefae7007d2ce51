import { Logger } from '@nestjs/common';
import { PageReadRepository, PageRepository } from '../../../src/notion-sync/sync/page.repository';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type JobRig, inCommit, jobRig } from '../../support/jobs';
import { type Read, queueOn, page } from './page-queue';

const ADA = 'cccccccc-0000-4000-a000-000000000001';
const BOB = 'cccccccc-0000-4000-a000-000000000002';
const HOUR_MS = 3_600_000;

let db: TestDatabase;
let rig: JobRig;
let pages: PageRepository;
/** How Notion responds to a read; each test sets it. */
let read: Read;

beforeAll(async () => {
  Logger.overrideLogger(false);
  db = await openTestDatabase();
});
afterAll(() => db.close());

beforeEach(async () => {
  await db.dataSource.query('truncate job, notion_page, notion_read, notion_property');
  rig = jobRig(db);
  pages = new PageRepository(db.clock);
  queueOn(rig, { db, pages, read: (...given) => read(...given) });
});

/** Somebody has changed the page. */
const event = (pageId: string, author: string) =>
  inCommit(db.units, (tx) =>
    new PageReadRepository(rig.jobs, db.clock).add(tx, new Map([[pageId, author]])),
  );

async function pass(): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

async function waiting(): Promise<string[]> {
  const rows = await db.dataSource.query<{ id: string }[]>(
    'select page_id as id from notion_read order by turn, asked_at',
  );
  return rows.map(({ id }) => id);
}

describe('pages that wait', () => {
  const pageOf = (n: number) => `dddddddd-0000-4000-a000-${String(n).padStart(12, '0')}`;

  test('are read in rounds, one page per author, so an import delays no other author', async () => {
    for (let n = 0; n < 40; n += 1) await event(pageOf(n), ADA);
    const asked: string[] = [];
    read = async (_holder, pageId) => {
      asked.push(pageId);
      // While the import is being read, somebody else changes three pages.
      if (asked.length === 10) for (let n = 100; n < 103; n += 1) await event(pageOf(n), BOB);
      return page([], pageId);
    };
    await pass();

    expect(asked).toHaveLength(43);
    const places = [100, 101, 102].map((n) => asked.indexOf(pageOf(n)));
    expect(Math.max(...places)).toBeLessThanOrEqual(16);
    // In the order in which they were asked for.
    expect(places).toEqual([...places].sort((a, b) => a - b));
  });

  test('are read one at a time, however many replicas there are', async () => {
    const others = [rig, jobRig(db)];
    for (const other of others.slice(1))
      queueOn(other, { db, pages, read: (...given) => read(...given) });
    for (let n = 0; n < 12; n += 1) await event(pageOf(n), n % 2 === 0 ? ADA : BOB);
    let [underWay, most, reads] = [0, 0, 0];
    read = async (_holder, pageId) => {
      underWay += 1;
      reads += 1;
      most = Math.max(most, underWay);
      await Promise.all(others.map(({ worker }) => worker.tick()));
      underWay -= 1;
      return page([], pageId);
    };
    await Promise.all(others.map(({ worker }) => worker.tick()));
    for (const { worker } of others) await worker.waitUntilSettled(HOUR_MS);

    expect({ reads, most }).toEqual({ reads: 12, most: 1 });
  });

  test('get the better of two places when two people have changed the same page', async () => {
    for (let n = 0; n < 5; n += 1) await event(pageOf(n), ADA);
    await event(pageOf(4), BOB);

    expect((await waiting()).indexOf(pageOf(4))).toBeLessThanOrEqual(1);
  });
});
