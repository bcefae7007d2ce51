import { SWEEP } from '../../../../src/notion-sync/sync/sweep.repository';
import { inCommit } from '../../../support/jobs';
import { NO_COUNTS } from '../schedule/board-queue';
import { NotionApi } from '../../../../src/notion-sync/api/notion-api';
import { HOUR_MS, LOOK_MS, BoardSweeps } from './board-sweeps';

const CALL_MS = 60_000 / 18;

let setup: BoardSweeps;

beforeAll(async () => {
  setup = await BoardSweeps.open();
});
afterAll(() => setup.close());
afterEach(() => {
  jest.restoreAllMocks();
  return setup.reset();
});

const ada = () => setup.notion.workspace.user('Ada');

describe('the scan', () => {
  test('finds people whom no webhook has named, and their boards are ranked', async () => {
    const [one, two] = [ada(), setup.notion.workspace.user('Bob')];
    const task = setup.board.task({ Name: 'One', Assignee: one });
    setup.board.task({ Name: 'Two', Assignee: [one, two] });
    setup.board.task({ Name: 'Nobody’s' });
    await setup.live(30_000);

    expect(await people()).toEqual([one.id, two.id].sort());
    expect((await setup.pages())[task.id]).toEqual([one.id]);
    expect(Object.keys(await setup.pages())).toHaveLength(2);
    expect([...setup.boards.began].sort()).toEqual([one.id, two.id].sort());
    expect(setup.notion.journal.violations).toEqual([]);
  });

  test('reads batch by batch within its share, and continues where it stopped', async () => {
    const person = ada();
    for (let n = 0; n < 350; n += 1) setup.board.task({ Name: `${n}`, Assignee: person });
    await setup.live(60_000);

    expect(Object.keys(await setup.pages())).toHaveLength(350);
    const starts = setup.notion.journal.calls('queryDataSource').map(({ atMs }) => atMs);
    expect(starts).toHaveLength(4);
    const gaps = starts.slice(1).map((atMs, n) => atMs - (starts[n] ?? 0));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(CALL_MS - LOOK_MS);
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(3 * CALL_MS - LOOK_MS);
  });

  test('begins once in each interval', async () => {
    setup.board.task({ Name: 'One', Assignee: ada() });
    await setup.live(HOUR_MS - 60_000, 30_000);
    expect(setup.notion.journal.calls('queryDataSource')).toHaveLength(1);

    await setup.live(120_000);
    expect(setup.notion.journal.calls('queryDataSource')).toHaveLength(2);
  });

  test('checks the boards of both people of a task that was reassigned without an event', async () => {
    const [one, two, three] = [ada(), ada(), ada()];
    const task = setup.board.task({ Name: 'One', Assignee: [one, three] });
    await setup.live(60_000);
    setup.boards.forget();
    await setup.sql('update notion_user set looked_at = $1', [setup.clock.now()]);
    task.edit({ Assignee: [two, three] });
    await setup.sql('update notion_sweep set scan_ended_at = null');
    await setup.sql(`update job set due_at = $1 where queue = 'notion-scan'`, [setup.clock.now()]);
    await setup.live(30_000);

    expect([...setup.boards.began].sort()).toEqual([one.id, two.id].sort());
  });

  test('forgets pages that are gone or unassigned, and checks the boards of their former assignees', async () => {
    const [one, two] = [ada(), ada()];
    const gone = setup.board.task({ Name: 'Gone', Assignee: one });
    const left = setup.board.task({ Name: 'Left', Assignee: two });
    await setup.live(60_000);
    gone.delete();
    setup.boards.forget();
    await setup.sql(`update notion_user set looked_at = $1`, [
      new Date(setup.clock.now().getTime() + HOUR_MS),
    ]);
    await setup.live(HOUR_MS + 30_000, 30_000);

    expect(await setup.pages()).toEqual({ [left.id]: [two.id] });
    expect(setup.boards.began[0]).toBe(one.id);
  });

  test('forgets no page that an event named while the scan was under way', async () => {
    const person = ada();
    setup.board.task({ Name: 'One', Assignee: person });
    await setup.sweep.run();
    await inCommit(setup.units, async (tx) => {
      await tx.query(`insert into notion_page values ($1, '{}', $2)`, [
        person.id,
        new Date(setup.clock.now().getTime() + 1000),
      ]);
    });
    await setup.workAll();

    expect(await setup.pages()).toHaveProperty(person.id);
  });

  test('marks people who have lost a task at once, even if their board was checked recently', async () => {
    const [one, two] = [ada(), ada()];
    const task = setup.board.task({ Name: 'One', Assignee: one });
    await setup.live(60_000);
    task.edit({ Assignee: two });
    // The sweep is paused, so only the scan marks boards now.
    await setup.sql(`update notion_sweep set scan_ended_at = null, paid_until = '2100-01-01'`);
    await setup.sql(`update job set due_at = $1 where queue = 'notion-scan'`, [setup.clock.now()]);
    await setup.workAll();

    const marked = await setup.sql<{ key: string }>(
      `select key from job where queue = 'notion-sync' and state = 'open'`,
    );
    expect(marked).toEqual([{ key: one.id }]);
  });

  test('covers only open tasks; a closed one is forgotten', async () => {
    const [one, two] = [ada(), ada()];
    setup.board.task({ Name: 'Done', Assignee: one, Status: 'Done' });
    const open = setup.board.task({ Name: 'Open', Assignee: two, Status: 'In progress' });
    const none = setup.board.task({ Name: 'No status', Assignee: two });
    await setup.live(60_000);

    expect(await people()).toEqual([two.id]);
    expect(Object.keys(await setup.pages()).sort()).toEqual([open.id, none.id].sort());
    open.edit({ Status: 'Dropped' });
    await setup.live(HOUR_MS, 30_000);
    expect(Object.keys(await setup.pages())).toEqual([none.id]);
  });

  test('recognises people who have left by their missing name, unless all names are missing', async () => {
    const [here, gone] = [ada(), ada()];
    setup.board.task({ Name: 'One', Assignee: here });
    setup.board.task({ Name: 'Two', Assignee: gone });
    const left = () => setup.sql('select user_id as id from notion_user where has_left');
    gone.leaves();
    here.leaves();
    await setup.live(60_000);
    expect(await left()).toEqual([]);

    here.person.isGone = false;
    await setup.live(HOUR_MS, 30_000);
    expect(await left()).toEqual([{ id: gone.id }]);
  });

  test('continues after the pages that one query returns', async () => {
    const person = ada();
    setup.notion.queryLimit = 120;
    for (let minute = 0; minute < 4; minute += 1) {
      for (let n = 0; n < 80; n += 1) setup.board.task({ Name: `${n}`, Assignee: person });
      setup.clock.advance(60_000);
    }
    const before = await setup.metrics('notion_scans_total', { end: 'whole' });
    await setup.live(180_000);

    expect(Object.keys(await setup.pages())).toHaveLength(320);
    expect((await setup.metrics('notion_scans_total', { end: 'whole' })) - before).toBe(1);
    expect(setup.notion.journal.violations).toEqual([]);
    expect(await setup.sql('select scan_from as at from notion_sweep')).toEqual([{ at: null }]);
  });

  test('reports a minute with more pages than a query returns, continues after it, and forgets nothing', async () => {
    const person = ada();
    setup.notion.queryLimit = 120;
    const first = setup.board.task({ Name: 'First', Assignee: person });
    setup.clock.advance(60_000);
    const crowded = setup.clock.now().toISOString().slice(0, 16);
    for (let n = 0; n < 130; n += 1) setup.board.task({ Name: `${n}`, Assignee: person });
    setup.clock.advance(60_000);
    const last = setup.board.task({ Name: 'Last', Assignee: person });
    const stranger = '00000000-0000-4000-a000-0000000000aa';
    await setup.sql(`insert into notion_page values ($1, '{}', '2000-01-01')`, [stranger]);
    await setup.live(180_000);

    const known = await setup.pages();
    expect(Object.keys(known)).toHaveLength(1 + 120 + 1 + 1);
    expect(known).toMatchObject({
      [first.id]: [person.id],
      [last.id]: [person.id],
      [stranger]: [],
    });
    expect(setup.log.lines.filter((line) => line.includes(`from ${crowded}`))).toHaveLength(1);
    expect(await setup.metrics('notion_scans_total', { end: 'incomplete' })).toBe(1);
    expect(await scanAttention()).toEqual([expect.stringContaining('did not read all open tasks')]);

    setup.notion.queryLimit = 10_000;
    await setup.live(HOUR_MS, 30_000);
    expect(await scanAttention()).toEqual([]);
  });

  test('reports why it cannot distinguish open and closed tasks', async () => {
    setup.board.task({ Name: 'One', Assignee: ada() });
    setup.board.renameColumn('Status', 'State');
    const before = await setup.metrics('notion_scans_total', { end: 'refused' });
    await setup.live(60_000);
    setup.board.renameColumn('State', 'Status');
    const [reason] = await scanAttention();
    expect(reason).toMatch(/^the open tasks cannot be scanned: .*"Status" is missing/);

    expect(setup.notion.journal.calls('queryDataSource')).toEqual([]);
    expect(setup.log.lines.join()).toContain('The property "Status" is missing');
    expect((await setup.metrics('notion_scans_total', { end: 'refused' })) - before).toBe(1);
  });

  test('that Notion refuses ends, is reported, and starts again in the next interval', async () => {
    setup.board.task({ Name: 'One', Assignee: ada() });
    setup.notion.faults.on('queryDataSource', { kind: 'status', status: 400 });
    await setup.live(60_000);
    expect(await setup.pages()).toEqual({});
    expect(await setup.sql(`select from job where state in ('retry', 'dead')`)).toEqual([]);

    expect(await scanAttention()).toHaveLength(1);

    await setup.live(HOUR_MS, 30_000);
    expect(Object.keys(await setup.pages())).toHaveLength(1);
    expect(await scanAttention()).toEqual([]);
  });

  test('that ends early forgets nothing', async () => {
    const person = ada();
    for (let n = 0; n < 150; n += 1) setup.board.task({ Name: `${n}`, Assignee: person });
    await setup.live(60_000);
    setup.notion.faults.on(
      'queryDataSource',
      { kind: 'status', status: 400 },
      { matching: ({ start_cursor }) => start_cursor !== undefined },
    );
    await setup.live(HOUR_MS, 30_000);

    expect(Object.keys(await setup.pages())).toHaveLength(150);
  });

  test('waits while Notion is unavailable, and continues where it stopped', async () => {
    const person = ada();
    for (let n = 0; n < 150; n += 1) setup.board.task({ Name: `${n}`, Assignee: person });
    setup.notion.faults.on('queryDataSource', { kind: 'status', status: 503 }, { times: 6 });
    await setup.live(180_000);

    expect(Object.keys(await setup.pages())).toHaveLength(150);
  });
});

describe('a scan through another data source', () => {
  const OTHER = 'another-data-source';
  const PLACE = 'scan_cursor as cursor, scan_from as "from", scan_source as source';

  /** What a scan leaves that has reached the second batch of another data source. */
  async function leavePlace(): Promise<void> {
    await setup.sql(
      `update notion_sweep set scan_cursor = $1, scan_from = $2, scan_reached = $2,
         scan_began_at = $2, scan_is_whole = false, scan_closed = '{Shipped}', scan_source = $3`,
      ['its-cursor', setup.clock.now(), OTHER],
    );
  }

  test('is not continued when NOTION_DATA_SOURCE_ID has changed: a scan begins anew', async () => {
    const person = ada();
    const task = setup.board.task({ Name: 'Older than the other place', Assignee: person });
    setup.clock.advance(10 * 60_000);
    await leavePlace();
    const before = await setup.metrics('notion_scans_total', { end: 'whole' });

    await setup.live(60_000);

    expect(await setup.pages()).toEqual({ [task.id]: [person.id] });
    expect(setup.notion.journal.violations).toEqual([]);
    expect((await setup.metrics('notion_scans_total', { end: 'whole' })) - before).toBe(1);
    expect(await scanAttention()).toEqual([]);
    expect(await setup.sql(`select ${PLACE} from notion_sweep`)).toEqual([
      { cursor: null, from: null, source: setup.board.id },
    ]);
  });

  test('is not moved by a scan that was under way when it began', async () => {
    setup.board.task({ Name: 'One', Assignee: ada() });
    const unseen = '00000000-0000-4000-a000-0000000000aa';
    await setup.sql(`insert into notion_page values ($1, '{}', '2000-01-01')`, [unseen]);
    await setup.sweep.run();
    const queried = jest.spyOn(NotionApi.prototype, 'queryDataSource');
    queried.mockImplementationOnce(async function (this: NotionApi, ...call) {
      // The original, because the mock is used once.
      const found = await this.queryDataSource(...call);
      await leavePlace();
      return found;
    });
    await setup.workAll();
    queried.mockRestore();

    expect(Object.keys(await setup.pages())).toEqual([unseen]);
    expect(await setup.sql(`select ${PLACE} from notion_sweep`)).toMatchObject([
      { cursor: 'its-cursor', source: OTHER },
    ]);
    expect(await setup.sql(`select state from job where queue = 'notion-scan'`)).toEqual([
      { state: 'done' },
    ]);
  });
});

test('with a short interval, scans stay within the share and leave half of it to boards', async () => {
  jest.replaceProperty(SWEEP, 'intervalMs', 1000);
  const short = await BoardSweeps.open();
  try {
    const person = short.notion.workspace.user('Ada');
    short.board.task({ Name: 'One', Assignee: person });
    short.boards.behave = () => ({ kind: 'ranked', counts: { ...NO_COUNTS, apiCalls: 1 } });
    // Jobs run as soon as they are due, but the sweep only looks every five seconds.
    for (let ms = 0; ms < 120_000; ms += 250) {
      if (ms % LOOK_MS === 0) await short.sweep.runOnSchedule();
      await short.workAll();
      short.clock.advance(250);
    }

    const scanned = short.notion.journal.all.length;
    expect(scanned + short.boards.began.length).toBeLessThanOrEqual(2 * 18 + 4);
    expect(scanned).toBeGreaterThan(8);
    expect(short.boards.began.length).toBeGreaterThan(8);
  } finally {
    await short.close();
  }
});

/** The reasons of the open attention items about the scan. */
async function scanAttention(): Promise<string[]> {
  const rows = await setup.sql<{ reason: string }>(
    `select reason from attention where subject = 'notion:scan' and closed_at is null`,
  );
  return rows.map(({ reason }) => reason);
}

async function people(): Promise<string[]> {
  const rows = await setup.sql<{ id: string }>('select user_id as id from notion_user order by 1');
  return rows.map(({ id }) => id);
}
