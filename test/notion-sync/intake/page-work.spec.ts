import { Logger } from '@nestjs/common';
import {
  NotionNotFoundError,
  NotionRefusedError,
  NotionUnauthorizedError,
  NotionUnavailableError,
  NotionPausedError,
} from '../../../src/notion-sync/api/errors';
import type { PageReadWorker } from '../../../src/notion-sync/intake/page-read.worker';
import { PageReadRepository, PageRepository } from '../../../src/notion-sync/sync/page.repository';
import { LimiterRepository } from '../../../src/notion-sync/api/limiter/limiter.repository';
import { type Claim, LeaseLostError, type JobFlow } from '../../../src/jobs';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { settingsForTests } from '../../support/settings';
import { type JobRig, inCommit, jobRig, queueOf } from '../../support/jobs';
import { gate } from '../../../tools/http-fake/gate';
import { OTHER_PAGE, PAGE, type Read, queueOn, page } from './page-queue';

const ADA = 'cccccccc-0000-4000-a000-000000000001';
const BOB = 'cccccccc-0000-4000-a000-000000000002';
const HOUR_MS = 3_600_000;

let db: TestDatabase;
let rig: JobRig;
let queue: PageReadWorker;
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
  read = () => Promise.reject(new Error('the test has set no response of Notion'));
  queue = queueOn(rig, { db, pages, read: (...given) => read(...given) });
});

/** Somebody has changed the page. */
const event = (pageId = PAGE, author = ADA) =>
  inCommit(db.units, (tx) =>
    new PageReadRepository(rig.jobs, db.clock).add(tx, new Map([[pageId, author]])),
  );

async function pass(): Promise<void> {
  await rig.worker.tick();
  await rig.worker.waitUntilSettled(HOUR_MS);
}

/** The newest job of the queue `notion-read`. */
async function task(): Promise<Record<string, unknown>> {
  const [found] = await db.dataSource.query<Record<string, unknown>[]>(
    `select state, failures, claim_no, last_error from job where queue = 'notion-read'
     order by id desc limit 1`,
  );
  return found ?? {};
}

async function waiting(): Promise<string[]> {
  const rows = await db.dataSource.query<{ id: string }[]>(
    'select page_id as id from notion_read order by turn, asked_at',
  );
  return rows.map(({ id }) => id);
}

async function marked(): Promise<string[]> {
  const rows = await db.dataSource.query<{ key: string }[]>(
    `select key from job where queue = 'notion-sync' order by key`,
  );
  return rows.map(({ key }) => key);
}

const remember = (assigneeIds: readonly string[]) =>
  inCommit(db.units, (tx) => pages.remember(tx, [{ pageId: PAGE, assigneeIds }]));
const known = () =>
  inCommit(db.units, async (tx) => (await pages.assigneesOf(tx, [PAGE])).get(PAGE) ?? null);

test('boards, remembered pages and the end of the job are one commit', async () => {
  await remember([ADA]);
  await event();
  read = () => Promise.resolve(page([BOB]));
  await pass();

  expect(await task()).toMatchObject({ state: 'done', failures: 0 });
  expect(await waiting()).toEqual([]);
  expect(await marked()).toEqual([ADA, BOB]);
  expect(await known()).toEqual([BOB]);
});

test('the worker holds no connection while a page is being read', async () => {
  await event();
  const seen: number[] = [];
  read = () => {
    seen.push(db.units.committing);
    return Promise.resolve(page([]));
  };
  await pass();

  expect(seen).toEqual([0]);
});

describe('a lease that is lost while the page is being read', () => {
  /** Another worker takes the job over. */
  const takeOver = () => db.dataSource.query('update job set claim_no = claim_no + 1');

  test('stores nothing, because the fence rolls everything back', async () => {
    await remember([ADA]);
    await event();
    read = async () => {
      await takeOver();
      return page([BOB]);
    };
    await pass();

    expect(await task()).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
    expect(await waiting()).toEqual([PAGE]);
    expect(await marked()).toEqual([]);
    expect(await known()).toEqual([ADA]);
  });

  test('is noticed before the permit is used', async () => {
    await event();
    let isHeld: boolean | undefined;
    read = async ({ lease }) => {
      await takeOver();
      const held = lease?.() ?? null;
      const checked = await inCommit(db.units, (tx) =>
        new LimiterRepository(db.clock, settingsForTests()).check(tx, 'now', held),
      );
      isHeld = checked.isHeld;
      throw held?.lost() ?? new Error('the page is read without a lease');
    };
    await pass();

    expect(isHeld).toBe(false);
    expect(await marked()).toEqual([]);
  });

  test('is noticed by the clock before a call is made', async () => {
    let calls = 0;
    read = () => {
      calls += 1;
      return Promise.resolve(page([BOB]));
    };
    await event();
    const {
      rows: [claimed],
    } = await rig.claims.claimReady(queueOf('notion-read'), 1);
    const claim = { ...claimed, takenOver: false } as Claim;
    const late: JobFlow = {
      uow: db.units.open('test'),
      signal: new AbortController().signal,
      holdsLease: false,
      assertLease: () => {
        throw LeaseLostError.of(claim);
      },
      peerResponded: () => undefined,
    };

    await expect(queue.run(claim, late)).rejects.toBeInstanceOf(LeaseLostError);
    late.uow.close();
    expect(calls).toBe(0);
  });
});

describe('a Notion that is unavailable', () => {
  test.each([
    ['does not respond', new NotionUnavailableError('away', { mayHaveArrived: true })],
    ['rejects the token', new NotionUnauthorizedError('unknown token')],
    [
      'asks for a pause',
      new NotionPausedError('later', { retryAfterMs: 1, mayHaveArrived: false }),
    ],
  ])(
    '(it %s) causes a retry that is not counted as a failure, and pauses the queue',
    async (_how, error) => {
      await remember([ADA]);
      await event();
      read = () => Promise.reject(error);
      await pass();

      expect(await waiting()).toEqual([PAGE]);
      expect(await task()).toMatchObject({
        state: 'retry',
        failures: 0,
        last_error: expect.any(String) as string,
      });
      expect(rig.breakers.isOpen('notion-read')).toBe(true);
      expect(await marked()).toEqual([]);
      expect(await known()).toEqual([ADA]);
    },
  );

  test('for an hour makes no job dead, and all waiting pages are read afterwards', async () => {
    await event(PAGE);
    await event(OTHER_PAGE);
    read = () => Promise.reject(new NotionUnavailableError('away', { mayHaveArrived: false }));
    for (let minute = 0; minute < 60; minute += 1) {
      await pass();
      db.clock.advance(60_000);
    }
    expect((await task()).failures).toBe(0);
    expect((await waiting()).sort()).toEqual([PAGE, OTHER_PAGE]);

    read = () => Promise.resolve(page([ADA]));
    for (let n = 0; n < 3; n += 1) {
      await pass();
      db.clock.advance(60_000);
    }
    expect(await waiting()).toEqual([]);
    expect(await task()).toMatchObject({ state: 'done' });
  });

  test('and asks for a pause gets no call before the pause ends', async () => {
    await event();
    let calls = 0;
    read = () => {
      calls += 1;
      return Promise.reject(
        new NotionPausedError('later', { retryAfterMs: 600_000, mayHaveArrived: false }),
      );
    };
    await pass();
    db.clock.advance(599_000);
    await pass();
    expect(calls).toBe(1);

    db.clock.advance(2000);
    await pass();
    expect(calls).toBe(2);
  });
});

describe('a page that Notion will not show', () => {
  test.each([
    ['is not found', new NotionNotFoundError('gone'), null],
    ['is refused', new NotionRefusedError('no'), [ADA]],
  ])(
    '(it %s) marks the boards of its known assignees and ends the job',
    async (_how, error, remembered) => {
      await remember([ADA]);
      await event();
      read = () => Promise.reject(error);
      await pass();

      expect(await task()).toMatchObject({ state: 'done', failures: 0 });
      expect(await waiting()).toEqual([]);
      expect(await marked()).toEqual([ADA]);
      expect(await known()).toEqual(remembered);
    },
  );
});

test('a job that is handed back during the drain ends at once and stays due', async () => {
  await event();
  const asked = gate();
  read = ({ signal }) => {
    asked.open();
    return new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  };
  await rig.worker.tick();
  await asked.opened;
  expect(await rig.worker.handBack()).toBe(1);

  expect(await task()).toMatchObject({ state: 'running', claim_no: 2, failures: 0 });
  expect(await waiting()).toEqual([PAGE]);
  expect(await marked()).toEqual([]);
});

test('a page that can never be read is given up, its known boards are marked, and others are read meanwhile', async () => {
  await remember([ADA]);
  await event();
  await event(OTHER_PAGE);
  const asked: string[] = [];
  read = (_holder, pageId) => {
    asked.push(pageId);
    if (pageId === PAGE) return Promise.reject(new TypeError('a bug'));
    return Promise.resolve(page([BOB], OTHER_PAGE));
  };
  await pass();
  expect(asked).toEqual([PAGE, OTHER_PAGE]);
  expect(await waiting()).toEqual([PAGE]);

  for (let n = 0; n < 4; n += 1) {
    db.clock.advance(60_000);
    await pass();
  }
  expect(asked).toHaveLength(6);
  expect(await waiting()).toEqual([]);
  expect(await marked()).toEqual([ADA, BOB]);
  expect(await task()).toMatchObject({ state: 'done', failures: 0 });
});
