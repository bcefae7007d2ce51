import { inCommit } from '../../support/jobs';
import { HOUR_MS, LOOK_MS, SweepFixture } from './fixture';

const CALL_MS = 60_000 / 18;

let fixture: SweepFixture;

beforeAll(async () => {
  fixture = await SweepFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const ada = () => fixture.notion.workspace.user('Ada');

describe('the walk', () => {
  test('finds people whom no webhook has named, and their boards are ranked', async () => {
    const [one, two] = [ada(), fixture.notion.workspace.user('Bob')];
    const task = fixture.board.task({ Name: 'One', Assignee: one });
    fixture.board.task({ Name: 'Two', Assignee: [one, two] });
    fixture.board.task({ Name: 'Nobody’s' });
    await fixture.live(30_000);

    expect(await fixture.people()).toEqual([one.id, two.id].sort());
    expect((await fixture.pages())[task.id]).toEqual([one.id]);
    expect(Object.keys(await fixture.pages())).toHaveLength(2);
    expect([...fixture.boards.began].sort()).toEqual([one.id, two.id].sort());
    expect(fixture.notion.journal.violations).toEqual([]);
  });

  test('reads batch by batch within its share, and continues where it stopped', async () => {
    const person = ada();
    for (let n = 0; n < 350; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
    await fixture.live(60_000);

    expect(Object.keys(await fixture.pages())).toHaveLength(350);
    const starts = fixture.notion.journal.calls('queryDataSource').map(({ atMs }) => atMs);
    expect(starts).toHaveLength(4);
    const gaps = starts.slice(1).map((atMs, n) => atMs - (starts[n] ?? 0));
    expect(Math.min(...gaps.slice(1))).toBeGreaterThanOrEqual(CALL_MS - LOOK_MS);
    expect((starts.at(-1) ?? 0) - (starts[0] ?? 0)).toBeGreaterThanOrEqual(3 * CALL_MS - LOOK_MS);
  });

  test('begins once in each interval', async () => {
    fixture.board.task({ Name: 'One', Assignee: ada() });
    await fixture.live(HOUR_MS - 60_000, 30_000);
    expect(fixture.notion.journal.calls('queryDataSource')).toHaveLength(1);

    await fixture.live(120_000);
    expect(fixture.notion.journal.calls('queryDataSource')).toHaveLength(2);
  });

  test('checks the boards of both people of a task that was reassigned without an event', async () => {
    const [one, two, three] = [ada(), ada(), ada()];
    const task = fixture.board.task({ Name: 'One', Assignee: [one, three] });
    await fixture.live(60_000);
    fixture.boards.forget();
    await fixture.sql('update notion_user set looked_at = $1', [fixture.db.clock.now()]);
    task.edit({ Assignee: [two, three] });
    await fixture.sql('update notion_sweep set walk_ended_at = null');
    await fixture.sql(`update job set due_at = $1 where queue = 'notion-walk'`, [
      fixture.db.clock.now(),
    ]);
    await fixture.live(30_000);

    expect([...fixture.boards.began].sort()).toEqual([one.id, two.id].sort());
  });

  test('forgets pages that are gone or unassigned, and checks the boards of their former assignees', async () => {
    const [one, two] = [ada(), ada()];
    const gone = fixture.board.task({ Name: 'Gone', Assignee: one });
    const left = fixture.board.task({ Name: 'Left', Assignee: two });
    await fixture.live(60_000);
    gone.delete();
    fixture.boards.forget();
    await fixture.sql(`update notion_user set looked_at = $1`, [
      new Date(fixture.db.clock.now().getTime() + HOUR_MS),
    ]);
    await fixture.live(HOUR_MS + 30_000, 30_000);

    expect(await fixture.pages()).toEqual({ [left.id]: [two.id] });
    expect(fixture.boards.began[0]).toBe(one.id);
  });

  test('forgets no page that an event named while the walk was under way', async () => {
    const person = ada();
    fixture.board.task({ Name: 'One', Assignee: person });
    await fixture.sweep.run();
    await inCommit(fixture.db.units, async (tx) => {
      await tx.query(`insert into notion_page values ($1, '{}', $2)`, [
        person.id,
        new Date(fixture.db.clock.now().getTime() + 1000),
      ]);
    });
    await fixture.workAll();

    expect(await fixture.pages()).toHaveProperty(person.id);
  });

  test('marks people who have lost a task at once, even if their board was checked recently', async () => {
    const [one, two] = [ada(), ada()];
    const task = fixture.board.task({ Name: 'One', Assignee: one });
    await fixture.live(60_000);
    task.edit({ Assignee: two });
    // The sweep is paused, so only the walk marks boards now.
    await fixture.sql(`update notion_sweep set walk_ended_at = null, paid_until = '2100-01-01'`);
    await fixture.sql(`update job set due_at = $1 where queue = 'notion-walk'`, [
      fixture.db.clock.now(),
    ]);
    await fixture.workAll();

    const marked = await fixture.sql<{ key: string }>(
      `select key from job where queue = 'notion-sync' and state = 'open'`,
    );
    expect(marked).toEqual([{ key: one.id }]);
  });

  test('covers only open tasks; a closed one is forgotten', async () => {
    const [one, two] = [ada(), ada()];
    fixture.board.task({ Name: 'Done', Assignee: one, Status: 'Done' });
    const open = fixture.board.task({ Name: 'Open', Assignee: two, Status: 'In progress' });
    const none = fixture.board.task({ Name: 'No status', Assignee: two });
    await fixture.live(60_000);

    expect(await fixture.people()).toEqual([two.id]);
    expect(Object.keys(await fixture.pages()).sort()).toEqual([open.id, none.id].sort());
    open.edit({ Status: 'Dropped' });
    await fixture.live(HOUR_MS, 30_000);
    expect(Object.keys(await fixture.pages())).toEqual([none.id]);
  });

  test('recognises people who have left by their missing name, unless all names are missing', async () => {
    const [here, gone] = [ada(), ada()];
    fixture.board.task({ Name: 'One', Assignee: here });
    fixture.board.task({ Name: 'Two', Assignee: gone });
    const left = () => fixture.sql('select user_id as id from notion_user where has_left');
    gone.leaves();
    here.leaves();
    await fixture.live(60_000);
    expect(await left()).toEqual([]);

    here.person.isGone = false;
    await fixture.live(HOUR_MS, 30_000);
    expect(await left()).toEqual([{ id: gone.id }]);
  });

  test('continues after the pages that one query returns', async () => {
    const person = ada();
    fixture.notion.queryLimit = 120;
    for (let minute = 0; minute < 4; minute += 1) {
      for (let n = 0; n < 80; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
      fixture.db.clock.advance(60_000);
    }
    const before = await fixture.metric('colloquy_notion_walks_total{end="whole"}');
    await fixture.live(180_000);

    expect(Object.keys(await fixture.pages())).toHaveLength(320);
    expect((await fixture.metric('colloquy_notion_walks_total{end="whole"}')) - before).toBe(1);
    expect(fixture.notion.journal.violations).toEqual([]);
    expect(await fixture.sql('select walk_from as at from notion_sweep')).toEqual([{ at: null }]);
  });

  test('reports a minute with more pages than a query returns, continues after it, and forgets nothing', async () => {
    const person = ada();
    fixture.notion.queryLimit = 120;
    const first = fixture.board.task({ Name: 'First', Assignee: person });
    fixture.db.clock.advance(60_000);
    const crowded = fixture.db.clock.now().toISOString().slice(0, 16);
    for (let n = 0; n < 130; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
    fixture.db.clock.advance(60_000);
    const last = fixture.board.task({ Name: 'Last', Assignee: person });
    const stranger = '00000000-0000-4000-a000-0000000000aa';
    await fixture.sql(`insert into notion_page values ($1, '{}', '2000-01-01')`, [stranger]);
    await fixture.live(180_000);

    const known = await fixture.pages();
    expect(Object.keys(known)).toHaveLength(1 + 120 + 1 + 1);
    expect(known).toMatchObject({
      [first.id]: [person.id],
      [last.id]: [person.id],
      [stranger]: [],
    });
    expect(fixture.logged.filter((line) => line.includes(`from ${crowded}`))).toHaveLength(1);
    expect(await fixture.metric('colloquy_notion_walks_total{end="incomplete"}')).toBe(1);
    expect(await fixture.walkAttention()).toEqual([expect.stringContaining('did not see all')]);

    fixture.notion.queryLimit = 10_000;
    await fixture.live(HOUR_MS, 30_000);
    expect(await fixture.walkAttention()).toEqual([]);
  });

  test('reports why it cannot distinguish open and closed tasks', async () => {
    fixture.board.task({ Name: 'One', Assignee: ada() });
    fixture.board.renameColumn('Status', 'State');
    const before = await fixture.metric('colloquy_notion_walks_total{end="refused"}');
    await fixture.live(60_000);
    fixture.board.renameColumn('State', 'Status');
    const [reason] = await fixture.walkAttention();
    expect(reason).toMatch(/^the boards cannot be walked through: .*"Status" is missing/);

    expect(fixture.notion.journal.calls('queryDataSource')).toEqual([]);
    expect(fixture.logged.join()).toContain('The property "Status" is missing');
    expect((await fixture.metric('colloquy_notion_walks_total{end="refused"}')) - before).toBe(1);
  });

  test('that Notion refuses ends, is reported, and starts again in the next interval', async () => {
    fixture.board.task({ Name: 'One', Assignee: ada() });
    fixture.notion.faults.on('queryDataSource', { kind: 'status', status: 400 });
    await fixture.live(60_000);
    expect(await fixture.pages()).toEqual({});
    expect(await fixture.sql(`select from job where state in ('retry', 'dead')`)).toEqual([]);

    expect(await fixture.walkAttention()).toHaveLength(1);

    await fixture.live(HOUR_MS, 30_000);
    expect(Object.keys(await fixture.pages())).toHaveLength(1);
    expect(await fixture.walkAttention()).toEqual([]);
  });

  test('that ends early forgets nothing', async () => {
    const person = ada();
    for (let n = 0; n < 150; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
    await fixture.live(60_000);
    fixture.notion.faults.on(
      'queryDataSource',
      { kind: 'status', status: 400 },
      { matching: ({ start_cursor }) => start_cursor !== undefined },
    );
    await fixture.live(HOUR_MS, 30_000);

    expect(Object.keys(await fixture.pages())).toHaveLength(150);
  });

  test('waits while Notion is unavailable, and continues where it stopped', async () => {
    const person = ada();
    for (let n = 0; n < 150; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
    fixture.notion.faults.on('queryDataSource', { kind: 'status', status: 503 }, { times: 6 });
    await fixture.live(180_000);

    expect(Object.keys(await fixture.pages())).toHaveLength(150);
  });
});
