import { inCommit } from '../../support/tasks';
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
  test('finds people whom no webhook ever named, and their boards are ranked', async () => {
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

  test('goes page by page within its share, and goes on where it was', async () => {
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

  test('begins once in the interval', async () => {
    fixture.board.task({ Name: 'One', Assignee: ada() });
    await fixture.live(HOUR_MS - 60_000, 30_000);
    expect(fixture.notion.journal.calls('queryDataSource')).toHaveLength(1);

    await fixture.live(120_000);
    expect(fixture.notion.journal.calls('queryDataSource')).toHaveLength(2);
  });

  test('a task that changed hands without a word: who lost it and who got it are looked at', async () => {
    const [one, two, three] = [ada(), ada(), ada()];
    const task = fixture.board.task({ Name: 'One', Assignee: [one, three] });
    await fixture.live(60_000);
    fixture.boards.forget();
    await fixture.sql('update notion_user set looked_at = $1', [fixture.db.clock.now()]);
    task.edit({ Assignee: [two, three] });
    await fixture.sql('update notion_sweep set walk_ended_at = null');
    await fixture.sql(`update task set due_at = $1 where lane = 'notion-event'`, [
      fixture.db.clock.now(),
    ]);
    await fixture.live(30_000);

    expect([...fixture.boards.began].sort()).toEqual([one.id, two.id].sort());
  });

  test('forgets pages that are gone or nobody’s, and looks at whose they were', async () => {
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

  test('forgets nothing of what an event told of while it was under way', async () => {
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

  test('that Notion refuses ends, is told of, and is tried again in the next interval', async () => {
    fixture.board.task({ Name: 'One', Assignee: ada() });
    fixture.notion.faults.on('queryDataSource', { kind: 'status', status: 400 });
    await fixture.live(60_000);
    expect(await fixture.pages()).toEqual({});
    expect(await fixture.sql(`select from task where state in ('retry', 'dead')`)).toEqual([]);

    await fixture.live(HOUR_MS, 30_000);
    expect(Object.keys(await fixture.pages())).toHaveLength(1);
  });

  test('cut short forgets nothing', async () => {
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

  test('waits while Notion is away, and goes on where it was', async () => {
    const person = ada();
    for (let n = 0; n < 150; n += 1) fixture.board.task({ Name: `${n}`, Assignee: person });
    fixture.notion.faults.on('queryDataSource', { kind: 'status', status: 503 }, { times: 6 });
    await fixture.live(180_000);

    expect(Object.keys(await fixture.pages())).toHaveLength(150);
  });
});
