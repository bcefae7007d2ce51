import { RUN } from '../../../../src/notion-sync/sync/board-writer';
import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, idsOf, ranksOf } from './ranked-board';

const setup = new RankedBoard();
afterEach(() => {
  jest.restoreAllMocks();
});

/** From now on, writes of this page fail with this status. */
function refuse(page: NotionPage, status: number, message?: string): void {
  setup.notion.faults.on(
    'updatePage',
    { kind: 'status', status, ...(message === undefined ? {} : { message }) },
    { times: 99, matching: ({ page_id }) => page_id === page.id },
  );
}

describe('what is written', () => {
  test('is only what differs in value, the top rank first', async () => {
    const pages = setup.rankedTasks(6);
    const [, second, third] = pages as [NotionPage, NotionPage, NotionPage];
    third.edit({ Importance: 5.5 });
    second.edit({ 'At risk': true });
    await setup.colloquy.run(setup.ada);

    const writes = setup.notion.journal.calls('updatePage');
    expect(writes.map(({ params }) => [params.page_id, params.properties])).toEqual([
      [third.id, { 'Queue Rank': { number: 2 } }],
      [second.id, { 'Queue Rank': { number: 3 }, 'At risk': { checkbox: false } }],
    ]);
  });

  test('goes from the top down, with several calls at once when calls are slow', async () => {
    setup.notion.latencyMs = 900;
    const pages = setup.tasks(12);
    const startedMs = setup.runs.nowMs;
    await setup.colloquy.run(setup.ada);

    expect(setup.written).toEqual(idsOf(pages));
    // One after the other the writes would take 12 × 900 ms, after two other calls.
    expect(setup.runs.nowMs - startedMs).toBeLessThan(8000);
    expect(setup.notion.journal.mostWithin(1000)).toBe(3);
    expect(setup.notion.journal.refused(429)).toEqual([]);
  });

  test('is only a chunk of a large board while another board waits; another run continues', async () => {
    const { ada, colloquy } = setup;
    const tasks = setup.tasks(40);
    let isWaiting = true;
    const isAnotherReady = () => Promise.resolve(isWaiting);
    expect(await colloquy.run(ada, { isAnotherReady })).toMatchObject({
      kind: 'partly',
      counts: { updated: 10 },
    });

    isWaiting = false;
    expect(await colloquy.run(ada, { isAnotherReady })).toMatchObject({
      kind: 'ranked',
      counts: { updated: 30 },
    });
    expect(ranksOf(tasks)).toEqual(tasks.map((_, n) => n + 1));
  });

  test.each([50, 100])(
    'uses nine tenths of the rate and keeps its order when the database is %i ms away',
    async (roundTripMs) => {
      setup.notion.latencyMs = 600;
      const pages = setup.tasks(24);
      const colloquy = setup.runs.process(setup.board, {}, () => roundTripMs / 2);
      await colloquy.run(setup.ada);

      expect(setup.written).toEqual(idsOf(pages));
      // The first writes wait for the limiter to learn how far away the database is.
      const times = setup.notion.journal.calls('updatePage').map(({ atMs }) => atMs);
      const [sixth = 0, last = 0] = [times[5], times.at(-1)];
      expect((times.length - 6) / ((last - sixth) / 1000)).toBeGreaterThan(0.9 * 3);
      expect(setup.notion.journal.refused(429)).toEqual([]);
    },
  );

  test('is a chunk of a large board at a time, and each chunk is planned with new values', async () => {
    const pages = setup.tasks(7);
    jest.replaceProperty(RUN, 'chunkSize', 3);
    const colloquy = setup.runs.process(setup.board);

    expect(await colloquy.run(setup.ada)).toMatchObject({ kind: 'partly', counts: { updated: 3 } });
    expect(ranksOf(pages)).toEqual([1, 2, 3, null, null, null, null]);
    pages.at(-1)?.edit({ Importance: 99 });
    expect(await colloquy.run(setup.ada)).toMatchObject({ kind: 'partly', counts: { updated: 3 } });
    expect(ranksOf(pages)).toEqual([2, 3, 3, null, null, null, 1]);
    expect(await colloquy.run(setup.ada)).toMatchObject({ kind: 'partly', counts: { updated: 3 } });
    expect(await colloquy.run(setup.ada)).toMatchObject({ kind: 'ranked', counts: { updated: 1 } });
    expect(ranksOf(pages)).toEqual([2, 3, 4, 5, 6, 7, 1]);
  });

  test('costs at most a tenth more calls than the query and the changed pages', async () => {
    setup.tasks(40);
    const { counts } = await setup.colloquy.run(setup.ada);

    expect(counts.updated).toBe(40);
    expect(counts.apiCalls).toBeLessThanOrEqual(1.1 * 41);
    expect(counts.apiCalls).toBe(setup.notion.journal.all.length);
  });
});

describe('a write that fails', () => {
  test('temporarily is retried after 250 ms, 1 s and 2 s, and every try is counted', async () => {
    setup.tasks(1);
    await setup.colloquy.run(setup.ada);
    setup.notion.journal.clear();
    const [page] = setup.board.tasks;
    page?.edit({ 'Queue Rank': 7 });
    setup.notion.faults.on('updatePage', { kind: 'status', status: 503 }, { times: 3 });

    const end = await setup.colloquy.run(setup.ada);

    expect(end).toEqual({
      kind: 'ranked',
      counts: { loaded: 1, processed: 1, updated: 1, dropped: 0, apiCalls: 5 },
    });
    const times = setup.notion.journal.calls('updatePage').map(({ atMs }) => atMs);
    const gaps = times.slice(1).map((at, n) => at - (times[n] ?? 0));
    for (const [n, leastMs] of [250, 1000, 2000].entries()) {
      expect(gaps[n]).toBeGreaterThanOrEqual(leastMs);
    }
  });

  test('permanently is logged with its page and dropped; the others are written', async () => {
    const pages = setup.tasks(4);
    refuse(pages[1] as NotionPage, 400, 'the sum of all my secrets');

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'ranked',
      counts: { updated: 3, dropped: 1 },
    });
    expect(ranksOf(pages)).toEqual([1, null, 3, 4]);
    const told = setup.runs.log.lines.filter((line) => line.includes(pages[1]?.id ?? ''));
    expect(told).toHaveLength(1);
    expect(told[0]).not.toContain('secrets');
  });

  test('permanently at the top of a board takes no place in the chunk, so each run gets further', async () => {
    const pages = setup.tasks(6);
    for (const page of pages.slice(0, 3)) refuse(page, 400);
    jest.replaceProperty(RUN, 'chunkSize', 2);
    const colloquy = setup.runs.process(setup.board);

    expect(await colloquy.run(setup.ada)).toMatchObject({
      kind: 'partly',
      counts: { updated: 2, dropped: 3 },
    });
    expect(await colloquy.run(setup.ada)).toMatchObject({
      kind: 'ranked',
      counts: { updated: 1, dropped: 3 },
    });
    expect(ranksOf(pages)).toEqual([null, null, null, 4, 5, 6]);
  });

  test('permanently at the top of a board does not keep the rest from being written while another board waits', async () => {
    const pages = setup.tasks(30);
    for (const page of pages.slice(0, 10)) refuse(page, 400);
    const isAnotherReady = () => Promise.resolve(true);
    const first = await setup.colloquy.run(setup.ada, { isAnotherReady });

    expect(first).toMatchObject({ kind: 'partly', counts: { updated: 10, dropped: 10 } });
    const second = await setup.colloquy.run(setup.ada, { isAnotherReady });
    expect(second.counts.updated).toBe(10);
    expect(ranksOf(pages)).toEqual(pages.map((_, n) => (n < 10 ? null : n + 1)));
  });

  test.each([
    [
      'deleted',
      (page: NotionPage) => {
        page.delete();
      },
    ],
    [
      'unshared',
      (page: NotionPage) => {
        refuse(page, 404);
      },
    ],
  ])('because the page was %s meanwhile is not logged', async (_, happen) => {
    const pages = setup.tasks(3);
    setup.notion.faults.on('updatePage', { kind: 'hang' });
    const run = setup.colloquy.begin(setup.ada);
    await setup.untilHanging(run);
    happen(pages[2] as NotionPage);
    setup.notion.faults.release();

    expect(await setup.colloquy.end(run)).toMatchObject({
      kind: 'ranked',
      counts: { updated: 2, dropped: 0 },
    });
    expect(setup.runs.log.lines.filter((line) => line.includes('left as it is'))).toEqual([]);
  });

  test('every time, while other writes succeed, is treated as a problem of its page', async () => {
    const pages = setup.tasks(3);
    refuse(pages[0] as NotionPage, 500);

    expect(await setup.colloquy.run(setup.ada)).toMatchObject({
      kind: 'ranked',
      counts: { updated: 2, dropped: 1 },
    });
    expect(setup.notion.journal.calls('getSelf')).toHaveLength(1);
  });

  test('on two pages, every time, is treated as a problem of Notion: the run ends', async () => {
    const pages = setup.tasks(5);
    refuse(pages[0] as NotionPage, 500);
    refuse(pages[1] as NotionPage, 500);

    await expect(setup.colloquy.run(setup.ada)).rejects.toMatchObject({
      code: 'notion_unavailable',
    });
  });

  test('on two pages for the same property refuses the board: nothing more is written', async () => {
    const pages = setup.tasks(8);
    await setup.colloquy.run(setup.ada);
    for (const page of pages) page.edit({ 'Queue Rank': null });
    setup.notion.faults.on('updatePage', { kind: 'hang' });
    const run = setup.colloquy.begin(setup.ada);
    await setup.untilHanging(run);
    setup.board.dropColumn('Queue Rank');
    setup.notion.journal.clear();
    setup.notion.faults.release();

    const end = await setup.colloquy.end(run);

    expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
    expect(end.reason).toContain('the property "Queue Rank"');
    expect(setup.written.length).toBeLessThanOrEqual(3);
    setup.notion.journal.clear();
    expect(await setup.colloquy.run(setup.ada)).toMatchObject({ kind: 'refused' });
    expect(setup.runs.operations).toEqual(['getDataSource']);
  });

  test('because the integration may not write refuses the board', async () => {
    const pages = setup.tasks(6);
    for (const page of pages) refuse(page, 403);

    const end = await setup.colloquy.run(setup.ada);

    expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
    expect(end.reason).toContain('the right to update content');
  });
});
