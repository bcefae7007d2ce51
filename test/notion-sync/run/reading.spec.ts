import { PageReadRepository } from '../../../src/notion-sync/sync/page.repository';
import { jobRig } from '../../support/jobs';
import { RunStage, ranksOf } from './stage';

const stage = new RunStage();

describe('the query of a run', () => {
  test('filters by person and open statuses, and returns only the needed properties', async () => {
    const { board, ada, notion } = stage;
    board.addColumn('Notes', 'rich_text');
    const [task] = stage.tasks(1);
    board.task({ Name: 'Done', Assignee: [ada], Status: 'Done' });
    board.task({ Name: 'Dropped', Assignee: [ada], Status: 'Dropped' });
    board.task({ Name: "Bob's", Assignee: [notion.workspace.user('Bob')] });

    expect(await stage.colloquy.run(ada)).toEqual({
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
    stage.tasks(4);
    await stage.colloquy.run(stage.ada);
    stage.notion.journal.clear();

    expect(await stage.colloquy.run(stage.ada)).toEqual({
      kind: 'ranked',
      counts: { loaded: 4, processed: 4, updated: 0, dropped: 0, apiCalls: 1 },
    });
    expect(stage.fixture.operations).toEqual(['queryDataSource']);
  });

  test('reads every batch of a large board', async () => {
    stage.rankedTasks(205);

    expect((await stage.colloquy.run(stage.ada)).counts).toEqual({
      loaded: 205,
      processed: 205,
      updated: 0,
      dropped: 0,
      apiCalls: 4,
    });
  });

  describe('of a large board pauses for another board', () => {
    const large = () => stage.rankedTasks(2500);
    /** A run while another board waits. */
    const pausedRun = () =>
      stage.colloquy.run(stage.ada, { isAnotherReady: () => Promise.resolve(true) });

    test('after ten calls, and the next run continues there', async () => {
      large();
      expect(await pausedRun()).toMatchObject({ kind: 'partly', counts: { updated: 0 } });
      expect(stage.notion.journal.calls('queryDataSource')).toHaveLength(10);

      expect(await stage.colloquy.run(stage.ada)).toMatchObject({
        kind: 'ranked',
        counts: { loaded: 2500, updated: 0, apiCalls: 15 },
      });
      expect(stage.notion.journal.violations).toEqual([]);
    });

    test('and starts again if the board was requested meanwhile', async () => {
      // Notion returns the newest of these pages first, so this one was read already.
      const changed = large().slice(-1);
      await pausedRun();
      for (const task of changed) task.edit({ 'Queue Rank': 7 });

      const { kind, counts } = await stage.colloquy.run(stage.ada, { isAskedAgain: true });
      expect({ kind, updated: counts.updated }).toEqual({ kind: 'partly', updated: 0 });
      expect((await stage.colloquy.run(stage.ada)).kind).toBe('ranked');
      expect(ranksOf(changed)).toEqual([2500]);
    });

    test('but starts again after a long pause, and is not paused again', async () => {
      large();
      await pausedRun();
      stage.fixture.world.clock.advance(61_000);
      stage.notion.journal.clear();

      expect((await pausedRun()).kind).toBe('ranked');
      expect(stage.notion.journal.calls('queryDataSource')).toHaveLength(25);
    });
  });

  test('stores the assignees of each page', async () => {
    const bob = stage.notion.workspace.user('Bob');
    const shared = stage.board.task({ Name: 'Both', Assignee: [stage.ada, bob] });
    await stage.colloquy.run(stage.ada);

    const rows = await stage.fixture.commit((tx) =>
      tx.query('select page_id, assignee_ids from notion_page'),
    );
    expect(rows).toEqual([{ page_id: shared.id, assignee_ids: [stage.ada.id, bob.id] }]);
  });

  test('forgets a page that is closed or gone, unless another person has it too', async () => {
    const { ada, colloquy, fixture } = stage;
    const bob = stage.notion.workspace.user('Bob');
    const [open, closed, gone] = stage.tasks(3);
    const shared = stage.board.task({ Name: 'Both', Assignee: [ada, bob] });
    await colloquy.run(ada);
    fixture.world.clock.advance(1000);
    closed?.edit({ Status: 'Done' });
    gone?.delete();
    shared.edit({ Status: 'Done' });
    await colloquy.run(ada);

    const rows = await fixture.commit((tx) =>
      tx.query<{ id: string }>('select page_id as id from notion_page'),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([open?.id, shared.id].sort());
  });

  test('removes waiting reads of its pages, except recent ones and those of shared pages', async () => {
    const { ada, colloquy, fixture } = stage;
    const bob = stage.notion.workspace.user('Bob');
    const [long, again, now] = stage.tasks(3).map(({ id }) => id);
    const shared = stage.board.task({ Name: 'Both', Assignee: [ada, bob] }).id;
    const reads = new PageReadRepository(jobRig(fixture.world.db).jobs, fixture.world.clock);
    const named = (...ids: (string | undefined)[]) =>
      fixture.commit((tx) => reads.add(tx, new Map(ids.map((id) => [id ?? '', 'somebody']))));
    await named(long, again, shared);
    fixture.world.clock.advance(11_000);
    await named(again, now);
    await colloquy.run(ada);

    const rows = await fixture.commit((tx) =>
      tx.query<{ id: string }>('select page_id as id from notion_read'),
    );
    expect(rows.map(({ id }) => id).sort()).toEqual([again, now, shared].sort());
  });

  test('tells the circuit breaker of the queue about each response of Notion', async () => {
    stage.notion.faults.on('getDataSource', { kind: 'status', status: 503 }, { times: 1 });
    const away = stage.colloquy.begin(stage.ada);
    await expect(stage.colloquy.end(away)).rejects.toMatchObject({ code: 'notion_unavailable' });
    expect(away.answers).toBe(0);

    const run = stage.colloquy.begin(stage.ada);
    await stage.colloquy.end(run);
    expect(run.answers).toBe(2);
  });

  test('is made once per run if the first call fails; a later call that fails is retried', async () => {
    stage.tasks(101);
    await stage.colloquy.run(stage.ada);
    stage.notion.journal.clear();
    stage.notion.faults.on('queryDataSource', { kind: 'status', status: 502 }, { times: 1 });
    const away = stage.colloquy.begin(stage.ada);
    await expect(stage.colloquy.end(away)).rejects.toMatchObject({ code: 'notion_unavailable' });
    expect(stage.fixture.operations).toEqual(['queryDataSource']);

    stage.notion.journal.clear();
    stage.notion.faults.on(
      'queryDataSource',
      { kind: 'status', status: 502 },
      { times: 1, after: 1 },
    );
    await stage.colloquy.run(stage.ada);
    expect(stage.notion.journal.calls('queryDataSource')).toHaveLength(3);
  });

  test('waits, after a takeover, until the calls of the previous claim have ended', async () => {
    const startedMs = stage.fixture.world.nowMs;
    await stage.colloquy.run(stage.ada, { isTakenOver: true });

    expect(stage.notion.journal.all[0]?.atMs).toBeGreaterThanOrEqual(startedMs + 5000);
  });
});

test('an incomplete result of Notion is not ranked', async () => {
  stage.tasks(2);
  const body = JSON.stringify({
    object: 'list',
    type: 'page_or_data_source',
    page_or_data_source: {},
    results: [],
    has_more: false,
    next_cursor: null,
    request_status: { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
  });
  stage.notion.faults.on('queryDataSource', { kind: 'body', status: 200, body });

  const end = await stage.colloquy.run(stage.ada);

  expect(end).toMatchObject({ kind: 'refused', counts: { updated: 0 } });
  expect(end.reason).toContain('an incomplete board is not ranked');
});
