import { QUERY_LAG_MS, ReviewCalls } from '../../../src/notion-sync/reviews/review-calls';
import { ReviewedInterviews } from './reviewed-interviews';

/** Longer than the longest pause of the queue after failures. */
const LATER_MS = 120_000;
const TITLE = 'Interview: Ada, Baker';

let setup: ReviewedInterviews;

afterEach(async () => {
  jest.restoreAllMocks();
  await setup.close();
});

/** In steps that are shorter than the lag, so that jobs run meanwhile. */
async function passInSteps(): Promise<void> {
  for (let passedMs = 0; passedMs <= LATER_MS; passedMs += QUERY_LAG_MS / 2) {
    await setup.pass(QUERY_LAG_MS / 2);
  }
}

/** What is left of a create whose process died: its row, and its job in the hands of nobody. */
async function diedAfterCreate(begunMsAgo: number): Promise<void> {
  const now = setup.clock.now();
  await setup.rows(
    `update notion_review set state = 'creating', page_id = null, shown_digest = null,
       begun_at = $1`,
    [new Date(now.getTime() - begunMsAgo)],
  );
  await setup.rows(
    `update job set state = 'running', due_at = $1, leased_until = null, worker = null,
       ended_at = null
     where queue = 'notion-review'`,
    [now],
  );
}

describe('while the queries of Notion show a new page late', () => {
  beforeEach(async () => {
    setup = await ReviewedInterviews.start();
    setup.notion.queryLagMs = QUERY_LAG_MS;
  });

  test.each(['drop', 'hang'] as const)(
    'one page is created although the response of its call is lost (%s)',
    async (kind) => {
      setup.notion.faults.on('createPage', { kind, when: 'after' });
      await setup.finished();

      await passInSteps();

      expect(setup.pages.map(({ title }) => title)).toEqual([TITLE]);
      expect(setup.notion.journal.calls('createPage')).toHaveLength(1);
      const rows = await setup.rows('select state, page_id from notion_review');
      expect(rows).toEqual([{ state: 'shown', page_id: setup.page.id }]);
    },
  );

  test('one page is created although its call began long after its commit', async () => {
    const waited = jest.spyOn(ReviewCalls.prototype, 'create');
    waited.mockImplementationOnce(async function (this: ReviewCalls, ...call) {
      await setup.rows(`update notion_review set begun_at = begun_at - interval '10 minutes'`);
      // The original, because the mock is used once.
      return this.create(...call);
    });
    setup.notion.faults.on('createPage', { kind: 'drop', when: 'after' });
    await setup.finished();

    await passInSteps();

    expect(setup.notion.journal.calls('createPage')).toHaveLength(1);
    expect(setup.page.title).toBe(TITLE);
  });

  test('one page is created although its process died after the call, long after its begin', async () => {
    await setup.finished();
    const { id } = setup.page;
    await diedAfterCreate(10 * LATER_MS);

    await passInSteps();

    expect(setup.pages.map((page) => page.id)).toEqual([id]);
    const rows = await setup.rows('select state, page_id from notion_review');
    expect(rows).toEqual([{ state: 'shown', page_id: id }]);
  });

  test('a create that never arrived is repeated when queries would show its page', async () => {
    setup.notion.faults.on('createPage', { kind: 'drop' });
    await setup.finished();
    const beganMs = setup.notion.journal.calls('createPage')[0]?.atMs ?? 0;

    await passInSteps();

    expect(setup.pages.map(({ title }) => title)).toEqual([TITLE]);
    const again = setup.notion.journal.calls('createPage')[1]?.atMs ?? 0;
    expect(again - beganMs).toBeGreaterThanOrEqual(QUERY_LAG_MS);
    expect(await setup.rows(`select 1 from job where state = 'dead'`)).toEqual([]);
  });
});

describe('a page that was created without a link', () => {
  beforeEach(async () => {
    setup = await ReviewedInterviews.start({ env: { ADMIN_TOKEN: '' } });
  });

  test('is looked up by its title among pages without a link', async () => {
    setup.notion.faults.on('createPage', { kind: 'drop' });
    const link = 'https://interviews.example.org/console/transcripts/other';
    const other = setup.board.task({ Name: TITLE, Transcript: link });
    await setup.finished();

    await setup.pass(LATER_MS);

    expect(other.value('Transcript')).toBe(link);
    expect(setup.pages).toHaveLength(2);
    const rows = await setup.rows<{ page_id: string }>('select page_id from notion_review');
    expect(rows[0]?.page_id).not.toBe(other.id);
  });

  test('is not looked up by a title that is not known', async () => {
    await setup.finished();
    await setup.rows(
      `update notion_review set state = 'removing', page_id = null, title_digest = null`,
    );
    await setup.rows(
      `insert into job (queue, key, due_at, first_at)
       select 'notion-removal', 'removal:' || id, $1, $1 from notion_review`,
      [setup.clock.now()],
    );

    await setup.settle();

    expect(await setup.rows('select failed_searches from notion_review')).toEqual([
      { failed_searches: 1 },
    ]);
    expect(setup.calls).not.toContain('queryDataSource');
    expect(setup.pages).toHaveLength(1);
  });
});
