import { ReviewRepository } from '../../../src/notion-sync/reviews/review.repository';
import { REVIEW_COLUMNS, ReviewedInterviews, TIMEOUT_MS } from './reviewed-interviews';

const OUTAGE_MS = 3_600_000;
/** Longer than the longest pause of the queue after failures. */
const LATER_MS = 120_000;

describe('exactly one page', () => {
  let setup: ReviewedInterviews;

  beforeEach(async () => {
    setup = await ReviewedInterviews.start();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await setup.close();
  });

  test('is made even if the process dies between the call and its commit', async () => {
    jest.spyOn(ReviewRepository.prototype, 'show').mockRejectedValueOnce(new Error('killed'));
    await setup.finished();
    const { id } = setup.page;

    await setup.pass(LATER_MS);

    expect(setup.page.id).toBe(id);
    const rows = await setup.rows('select state, page_id from notion_review');
    expect(rows).toEqual([{ state: 'shown', page_id: id }]);
  });

  test.each(['drop', 'hang'] as const)(
    'is made even if the response to its create call is lost (%s)',
    async (kind) => {
      setup.notion.faults.on('createPage', { kind, when: 'after' });
      await setup.finished();
      await setup.pass(TIMEOUT_MS);

      await setup.pass(LATER_MS);

      expect(setup.page.title).toBe('Interview: Ada, Baker');
      expect(setup.notion.journal.calls('createPage')).toHaveLength(1);
    },
  );

  test('is made even if its create call never arrived', async () => {
    setup.notion.faults.on('createPage', { kind: 'drop' });
    await setup.finished();

    await setup.pass(LATER_MS);

    expect(setup.page.title).toBe('Interview: Ada, Baker');
  });

  test('is found by its link even if people have renamed the property', async () => {
    setup.notion.faults.on('createPage', { kind: 'drop', when: 'after' });
    await setup.finished();
    setup.board.renameColumn('Transcript', 'Record');

    await setup.pass(LATER_MS);

    expect(setup.pages).toHaveLength(1);
    expect(setup.notion.journal.calls('createPage')).toHaveLength(1);
  });

  test('is made after an outage of an hour at the end of the interview', async () => {
    await setup.notion.goDown();
    await setup.finished();
    for (let passedMs = 0; passedMs < OUTAGE_MS; passedMs += 10 * 60_000) {
      await setup.pass(10 * 60_000);
    }
    await setup.notion.comeUp();

    await setup.pass(LATER_MS);

    expect(setup.page.title).toBe('Interview: Ada, Baker');
    const dead = await setup.rows(`select 1 from job where state = 'dead'`);
    expect(dead).toEqual([]);
  });

  test('is made for each of two interviews of people with the same name', async () => {
    const one = await setup.finished();
    const other = await setup.finished();

    const links = setup.pages.map((page) => String(page.value('Transcript')));
    expect(links.map((link) => link.slice(link.lastIndexOf('/') + 1)).sort()).toEqual(
      [one.conversationId, other.conversationId].sort(),
    );
  });
});

test('without a link, a page that may exist is found by its title, but not the page of another interview', async () => {
  const { Transcript: _without, ...columns } = REVIEW_COLUMNS;
  const setup = await ReviewedInterviews.start({ board: { columns } });
  try {
    await setup.finished();
    await setup.pass(LATER_MS);
    setup.notion.faults.on('createPage', { kind: 'drop', when: 'after' });
    await setup.finished();

    await setup.pass(LATER_MS);

    expect(setup.pages).toHaveLength(2);
    expect(setup.notion.journal.calls('createPage')).toHaveLength(2);
    const rows = await setup.rows<{ page_id: string }>('select page_id from notion_review');
    expect(rows.map(({ page_id }) => page_id).sort()).toEqual(
      setup.pages.map(({ id }) => id).sort(),
    );
  } finally {
    await setup.close();
  }
});
