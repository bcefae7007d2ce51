import { PageReadRepository } from '../../../../src/notion-sync/sync/page.repository';
import { jobRig } from '../../../support/jobs';
import type { NotionPage } from '../../../../tools/fake-notion';
import { RankedBoard, ranksOf } from './ranked-board';

const setup = new RankedBoard();

describe('the query of a run', () => {
  test('filters by person and open statuses, and returns only the needed properties', async () => {
    const { board, ada, notion } = setup;
    board.addColumn('Notes', 'rich_text');
    const [task] = setup.tasks(1);
    board.task({ Name: 'Done', Assignee: [ada], Status: 'Done' });
    board.task({ Name: 'Dropped', Assignee: [ada], Status: 'Dropped' });
    board.task({ Name: "Bob's", Assignee: [notion.workspace.user('Bob')] });

    expect(await setup.colloquy.run(ada)).toEqual({
      kind: 'ranked',
      counts: { loaded: 1, processed: 1, updated: 1, dropped: 0, apiCalls: 3 },
    });
    expect(task?.value('Queue Rank')).toBe(1);
    const [query] = notion.journal.calls('queryDataSource');
    expect(query?.params).toMatchObject({
      page_size: 100,
      filter: {
        or: [
          {
            and: [
              { property: 'Assignee', people: { contains: ada.id } },
              { property: 'Status', status: { does_not_equal: 'Done' } },
              { property: 'Status', status: { does_not_equal: 'Dropped' } },
            ],
          },
          {
            and: [
              { property: 'Assignee', people: { contains: ada.id } },
              { property: 'Queue Rank', number: { is_not_empty: true } },
            ],
          },
          {
            and: [
              { property: 'Assignee', people: { is_empty: true } },
              { property: 'Queue Rank', number: { is_not_empty: true } },
            ],
          },
        ],
      },
    });
    const outcome = query?.outcome as unknown as
      { body: { results: { properties: object }[] } } | undefined;
    const results = outcome?.body.results ?? [];
    expect(results).toHaveLength(1);
    expect(Object.keys(results[0]?.properties ?? {})).not.toContain('Notes');
  });

  test('is the only call when the board already shows its ranking', async () => {
    setup.tasks(4);
    await setup.colloquy.run(setup.ada);
    setup.notion.journal.clear();

    expect(await setup.colloquy.run(setup.ada)).toEqual({
      kind: 'ranked',
      counts: { loaded: 4, processed: 4, updated: 0, dropped: 0, apiCalls: 1 },
    });
    expect(setup.runs.operations).toEqual(['queryDataSource']);
  });

  test('reads every batch of a large board', async () => {
    setup.rankedTasks(205);

    expect((await setup.colloquy.run(setup.ada)).counts).toEqual({
      loaded: 205,
      processed: 205,
      updated: 0,
      dropped: 0,
      apiCalls: 4,
    });
  });

  describe('of a large board pauses for another board', () => {
    const large = () => setup.rankedTasks(2500);
    /** A run while another board waits. */
    const pausedRun = () =>
      setup.colloquy.run(setup.ada, { isAnotherReady: () => Promise.resolve(true) });

    test('after ten calls, and the next run continues there', async () => {
      large();
      expect(await pausedRun()).toMatchObject({ kind: 'partly', counts: { updated: 0 } });
      expect(setup.notion.journal.calls('queryDataSource')).toHaveLength(10);

      expect(await setup.colloquy.run(setup.ada)).toMatchObject({
        kind: 'ranked',
        counts: { loaded: 2500, updated: 0, apiCalls: 15 },
      });
      expect(setup.notion.journal.violations).toEqual([]);
    });

    test('and starts again if the board was requested meanwhile', async () => {
      // Notion returns the newest of these pages first, so this one was read already.
      const changed = large().slice(-1);
      await pausedRun();
      for (const task of changed) task.edit({ 'Queue Rank': 7 });

      const { kind, counts } = await setup.colloquy.run(setup.ada, { isAskedAgain: true });
      expect({ kind, updated: counts.updated }).toEqual({ kind: 'partly', updated: 0 });
      expect((await setup.colloquy.run(setup.ada)).kind).toBe('ranked');
      expect(ranksOf(changed)).toEqual([2500]);
    });

    test('but starts again after a long pause, and is not paused again', async () => {
      large();
      await pausedRun();
      setup.runs.clock.advance(61_000);
      setup.notion.journal.clear();

      expect((await pausedRun()).kind).toBe('ranked');
      expect(setup.notion.journal.calls('queryDataSource')).toHaveLength(25);
    });
  });

  test('stores the assignees of each page', async () => {
    const bob = setup.notion.workspace.user('Bob');
    const shared = setup.board.task({ Name: 'Both', Assignee: [setup.ada, bob] });
    await setup.colloquy.run(setup.ada);

    const rows = await setup.runs.commit((tx) =>
      tx.query('select page_id, assignee_ids from notion_page'),
    );
    expect(rows).toEqual([{ page_id: shared.id, assignee_ids: [setup.ada.id, bob.id] }]);
  });

  test('forgets a page that is closed or gone, unless another person has it too', async () => {
    const { ada, colloquy, runs } = setup;
    const bob = setup.notion.workspace.user('Bob');
    const [open, closed, gone] = setup.tasks(3);
    const shared = setup.board.task({ Name: 'Both', Assignee: [ada, bob] });
    await colloquy.run(ada);
    runs.clock.advance(1000);
    closed?.edit({ Status: 'Done' });
    gone?.delete();
    shared.edit({ Status: 'Done' });
    await colloquy.run(ada);

    const rows = await runs.commit((tx) =>
      tx.query<{ id: string }>('select page_id as id from notion_page'),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([open?.id, shared.id].sort());
  });

  test('removes waiting reads of its pages, except recent ones and those of shared pages', async () => {
    const { ada, colloquy, runs } = setup;
    const bob = setup.notion.workspace.user('Bob');
    const [long, again, now] = setup.tasks(3).map(({ id }) => id);
    const shared = setup.board.task({ Name: 'Both', Assignee: [ada, bob] }).id;
    const reads = new PageReadRepository(jobRig(runs).jobs, runs.clock);
    const named = (...ids: (string | undefined)[]) =>
      runs.commit((tx) => reads.add(tx, new Map(ids.map((id) => [id ?? '', 'somebody']))));
    await named(long, again, shared);
    runs.clock.advance(11_000);
    await named(again, now);
    await colloquy.run(ada);

    const rows = await runs.commit((tx) =>
      tx.query<{ id: string }>('select page_id as id from notion_read'),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([again, now, shared].sort());
  });

  test('tells the circuit breaker of the queue about each response of Notion', async () => {
    setup.notion.faults.on('getDataSource', { kind: 'status', status: 503 }, { times: 1 });
    const away = setup.colloquy.begin(setup.ada);
    await expect(setup.colloquy.end(away)).rejects.toMatchObject({ code: 'notion_unavailable' });
    expect(away.answers).toBe(0);

    const run = setup.colloquy.begin(setup.ada);
    await setup.colloquy.end(run);
    expect(run.answers).toBe(2);
  });

  test('is made once per run if the first call fails; a later call that fails is retried', async () => {
    setup.tasks(101);
    await setup.colloquy.run(setup.ada);
    setup.notion.journal.clear();
    setup.notion.faults.on('queryDataSource', { kind: 'status', status: 502 }, { times: 1 });
    const away = setup.colloquy.begin(setup.ada);
    await expect(setup.colloquy.end(away)).rejects.toMatchObject({ code: 'notion_unavailable' });
    expect(setup.runs.operations).toEqual(['queryDataSource']);

    setup.notion.journal.clear();
    setup.notion.faults.on(
      'queryDataSource',
      { kind: 'status', status: 502 },
      { times: 1, after: 1 },
    );
    await setup.colloquy.run(setup.ada);
    expect(setup.notion.journal.calls('queryDataSource')).toHaveLength(3);
  });

  test('waits, after a takeover, until the calls of the previous claim have ended', async () => {
    const startedMs = setup.runs.nowMs;
    await setup.colloquy.run(setup.ada, { isTakenOver: true });

    expect(setup.notion.journal.all[0]?.atMs).toBeGreaterThanOrEqual(startedMs + 5000);
  });
});

test('an incomplete result of Notion is not ranked', async () => {
  setup.tasks(2);
  const body = JSON.stringify({
    object: 'list',
    type: 'page_or_data_source',
    page_or_data_source: {},
    results: [],
    has_more: false,
    next_cursor: null,
    request_status: { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
  });
  setup.notion.faults.on('queryDataSource', { kind: 'body', status: 200, body });

  const end = await setup.colloquy.run(setup.ada);

  expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
  expect(end.reason).toContain('an incomplete board is not ranked');
});

describe('a task with more blockers than Notion shows on a page (25)', () => {
  /** The last task waits for all others, each a day of work; it is more important than any of them. */
  function waiting(count: number) {
    const blockers = setup.tasks(count);
    for (const page of blockers) page.edit({ Estimate: 8 });
    const last = setup.board.task({
      Name: 'Last',
      Assignee: [setup.ada],
      Importance: count + 1,
      Estimate: 8,
      'Blocked By': blockers,
    });
    return { blockers, last };
  }

  const readyOn = (page: NotionPage): string => String(page.value('Projected Completion'));

  /** How many of the pages are completed on an earlier day. */
  const before = (last: NotionPage, pages: readonly NotionPage[]): number =>
    pages.filter((page) => readyOn(page) < readyOn(last)).length;

  test('waits for every one of them, also for those that the page does not show', async () => {
    const { blockers, last } = waiting(30);

    const end = await setup.colloquy.run(setup.ada);

    expect(end.kind).toBe('ranked');
    expect(before(last, blockers)).toBe(30);
    expect(setup.notion.journal.calls('getPageProperty')).toHaveLength(1);
    // The calls of relations wait for permits and are counted like all others.
    expect(end.counts.apiCalls).toBe(setup.notion.journal.all.length);
  });

  test('is read in parts of a hundred', async () => {
    const { blockers, last } = waiting(120);

    await setup.colloquy.run(setup.ada);
    expect(setup.notion.journal.calls('getPageProperty')).toHaveLength(2);

    // A long first run pauses; later ones write the rest.
    for (let runs = 0; runs < 4; runs += 1) await setup.colloquy.run(setup.ada);
    expect(before(last, blockers)).toBe(120);
  });

  test('makes its board refused when there are too many such tasks to read, and nothing is written', async () => {
    const { blockers } = waiting(26);
    for (let n = 0; n < 50; n += 1) {
      setup.board.task({ Name: 'More', Assignee: [setup.ada], 'Blocked By': blockers });
    }

    const end = await setup.colloquy.run(setup.ada);

    expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
    expect(end.reason).toContain('too many relations of more than 25 entries');
    expect(setup.notion.journal.calls('getPageProperty')).toHaveLength(50);
  });

  test('is read again for each run, and a refused read refuses the board in words', async () => {
    waiting(30);
    setup.notion.faults.on('getPageProperty', { kind: 'status', status: 404 });

    const end = await setup.colloquy.run(setup.ada);

    expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
  });
});
