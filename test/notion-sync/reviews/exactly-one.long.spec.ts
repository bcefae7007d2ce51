import { ReviewRepository } from '../../../src/notion-sync/reviews/review.repository';
import { REVIEW_COLUMNS, ReviewStage, TIMEOUT_MS } from './review-stage';

const OUTAGE_MS = 3_600_000;
/** Longer than the longest pause of the queue after failures. */
const LATER_MS = 120_000;

describe('exactly one page', () => {
  let stage: ReviewStage;

  beforeEach(async () => {
    stage = await ReviewStage.open();
  });
  afterEach(async () => {
    jest.restoreAllMocks();
    await stage.close();
  });

  test('is made even if the process dies between the call and its commit', async () => {
    jest.spyOn(ReviewRepository.prototype, 'show').mockRejectedValueOnce(new Error('killed'));
    await stage.finished();
    const { id } = stage.page;

    await stage.pass(LATER_MS);

    expect(stage.page.id).toBe(id);
    const rows = await stage.rows('select state, page_id from notion_review');
    expect(rows).toEqual([{ state: 'shown', page_id: id }]);
  });

  test.each(['drop', 'hang'] as const)(
    'is made even if the response to its create call is lost (%s)',
    async (kind) => {
      stage.notion.faults.on('createPage', { kind, when: 'after' });
      await stage.finished();
      await stage.pass(TIMEOUT_MS);

      await stage.pass(LATER_MS);

      expect(stage.page.title).toBe('Interview: Ada, Baker');
      expect(stage.notion.journal.calls('createPage')).toHaveLength(1);
    },
  );

  test('is made even if its create call never arrived', async () => {
    stage.notion.faults.on('createPage', { kind: 'drop' });
    await stage.finished();

    await stage.pass(LATER_MS);

    expect(stage.page.title).toBe('Interview: Ada, Baker');
  });

  test('is found by its link even if people have renamed the property', async () => {
    stage.notion.faults.on('createPage', { kind: 'drop', when: 'after' });
    await stage.finished();
    stage.board.renameColumn('Transcript', 'Record');

    await stage.pass(LATER_MS);

    expect(stage.pages).toHaveLength(1);
    expect(stage.notion.journal.calls('createPage')).toHaveLength(1);
  });

  test('is made after an outage of an hour at the end of the interview', async () => {
    await stage.notion.goDown();
    await stage.finished();
    for (let passedMs = 0; passedMs < OUTAGE_MS; passedMs += 10 * 60_000) {
      await stage.pass(10 * 60_000);
    }
    await stage.notion.comeUp();

    await stage.pass(LATER_MS);

    expect(stage.page.title).toBe('Interview: Ada, Baker');
    const dead = await stage.rows(`select 1 from job where state = 'dead'`);
    expect(dead).toEqual([]);
  });

  test('is made for each of two interviews of people with the same name', async () => {
    const one = await stage.finished();
    const other = await stage.finished();

    const links = stage.pages.map((page) => String(page.value('Transcript')));
    expect(links.map((link) => link.slice(link.lastIndexOf('/') + 1)).sort()).toEqual(
      [one.conversationId, other.conversationId].sort(),
    );
  });
});

test('without a link, a page that may exist is found by its title, but not the page of another interview', async () => {
  const { Transcript: _without, ...columns } = REVIEW_COLUMNS;
  const stage = await ReviewStage.open({ board: { columns } });
  try {
    await stage.finished();
    await stage.pass(LATER_MS);
    stage.notion.faults.on('createPage', { kind: 'drop', when: 'after' });
    await stage.finished();

    await stage.pass(LATER_MS);

    expect(stage.pages).toHaveLength(2);
    expect(stage.notion.journal.calls('createPage')).toHaveLength(2);
    const rows = await stage.rows<{ page_id: string }>('select page_id from notion_review');
    expect(rows.map(({ page_id }) => page_id).sort()).toEqual(
      stage.pages.map(({ id }) => id).sort(),
    );
  } finally {
    await stage.close();
  }
});
