import {
  type Board,
  type NotionPage,
  type NotionUser,
  NotionServer,
} from '../../tools/fake-notion';
import { newId } from '../../src/common/ids';
import type { CliRun } from '../support/run-cli';
import { cli, inCommit } from './cli-database';

let notion: NotionServer;
let board: Board;
let ada: NotionUser;

beforeEach(async () => {
  notion = await NotionServer.start();
  notion.limits.lift();
  ada = notion.workspace.user('Ada Lovelace');
  board = notion.workspace.board();
});
afterEach(() => notion.close());

function run(args: string[], input = ''): Promise<CliRun> {
  const env = {
    NOTION_TOKEN: notion.token,
    NOTION_API_URL: notion.url,
    NOTION_DATA_SOURCE_ID: board.id,
    NOTION_MAX_RPS: '100',
    NOTION_BUDGET_PER_MINUTE: '180',
  };
  return cli(['notion', ...args], env, input);
}

function task(name: string, said: Parameters<Board['task']>[0] = {}): NotionPage {
  return board.task({ Name: name, Assignee: [ada], ...said });
}

const permits = (): Promise<{ grants: number }[]> =>
  inCommit((tx) => tx.query('select cardinality(grants) as grants from notion_limiter'));

describe('notion plan', () => {
  test('shows what a run would write and how long it would take, and writes nothing', async () => {
    task('Second', { Importance: 1 });
    task('First', { Importance: 2, Due: '2020-01-01', Estimate: 1 });

    const { code, out, err } = await run(['plan', '--user', 'ada lovelace']);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n').slice(0, 2)).toEqual([
      `The board of Ada Lovelace (${ada.id})`,
      '2 open tasks: 2 writes, about 1 s',
    ]);
    expect(out).toMatch(/ {2}1\. First: Queue Rank = 1, Projected Completion = \S+, At risk = yes/);
    expect(out).toContain('  2. Second: Queue Rank = 2\n');
    expect(notion.journal.calls('updatePage')).toEqual([]);
    expect((await permits())[0]?.grants).toBe(notion.journal.all.length);
  });

  test('has its fields in --json', async () => {
    const second = task('Second', { Importance: 1 });
    task('First', { Importance: 2, 'Queue Rank': 1 });

    const { out } = await run(['plan', '--user', 'ada lovelace', '--json']);

    expect(JSON.parse(out)).toMatchObject({
      lines: [`The board of Ada Lovelace (${ada.id})`, expect.any(String), expect.any(String)],
      people: [{ id: ada.id, name: 'Ada Lovelace' }],
      person: { id: ada.id, name: 'Ada Lovelace' },
      openTasks: 2,
      writes: [{ pageId: second.id, rank: 2, properties: { 'Queue Rank': { number: 2 } } }],
      isBraked: false,
    });
  });

  test('accepts an id as Notion copies it, without hyphens', async () => {
    task('One', { Importance: 1 });

    const { out } = await run(['plan', '--user', ada.id.replaceAll('-', '').toUpperCase()]);

    expect(out).toContain(`The board of ${ada.id}\n1 open tasks`);
  });

  test("says nothing of the brake for a board's first ranking, which is never stopped", async () => {
    for (let n = 1; n <= 10; n += 1) task(`Task ${n}`, { Importance: n, 'Queue Rank': n });

    const { out } = await run(['plan', '--user', ada.id]);

    expect(out).toContain('10 open tasks');
    expect(out).not.toContain('brake');
  });

  test('says that the brake would stop the run', async () => {
    for (let n = 1; n <= 10; n += 1) task(`Task ${n}`, { Importance: n, 'Queue Rank': n });
    await inCommit((tx) =>
      tx.query('insert into notion_user (user_id, runs, total_updated) values ($1, 1, 10)', [
        ada.id,
      ]),
    );

    const { out } = await run(['plan', '--user', ada.id]);

    expect(out).toContain(
      'The brake would hold it back until a person approves it: 9 of 10 ranked tasks would change places.',
    );
    expect(notion.journal.calls('listUsers')).toEqual([]);
  });

  test('names the page whose date cannot be read, as "why" of any task of the board does', async () => {
    const fine = task('Fine');
    const odd = task('Odd', { Due: 'someday' });
    const reason = `not a date on the page ${odd.id}: correct it there`;

    expect((await run(['plan', '--user', ada.id])).out).toContain(reason);
    expect((await run(['why', '--page', fine.id])).out).toContain(reason);
  });

  test('refuses an unknown name, and lists two people with one name', async () => {
    const other = notion.workspace.user('Ada Lovelace');

    expect(await run(['plan', '--user', 'Nobody'])).toEqual({
      code: 4,
      out: '',
      err: 'There is no person "Nobody" in the workspace.\n',
    });
    const { out } = await run(['plan', '--user', 'Ada Lovelace']);
    expect(out).toContain(ada.id);
    expect(out).toContain(other.id);
    const { out: json } = await run(['plan', '--user', 'Ada Lovelace', '--json']);
    expect(JSON.parse(json)).toMatchObject({
      people: expect.arrayContaining([
        expect.objectContaining({ id: ada.id }),
        expect.objectContaining({ id: other.id }),
      ]) as unknown[],
      person: null,
      writes: null,
    });
  });
});

describe('notion why', () => {
  test.each([
    ["a page's address", (id: string) => `https://www.notion.so/Shared-${id}`],
    [
      'the address of a page beside its board',
      (id: string) =>
        `https://www.notion.so/crumb/${'b0'.repeat(16)}?v=${'c1'.repeat(16)}&p=${id}&pm=s`,
    ],
  ])(
    "explains a shared task's rank on its first assignee's board, by %s",
    async (_what, addressOf) => {
      const bob = notion.workspace.user('Bob');
      const shared = task('Shared', { Importance: 1, Assignee: [ada, bob] });
      task('Urgent', { Importance: 5 });
      const address = addressOf(shared.id.replaceAll('-', ''));

      const { code, out, err } = await run(['why', '--page', address]);

      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out.split('\n')).toEqual([
        'Several people have this task: it is ranked on the board of the first.',
        'The board of Ada Lovelace',
        '  "Shared" is number 2 of 2.',
        '  After "Urgent" (number 1): importance 5 against 1.',
        '  It has no estimate, or is too far away for a projected completion.',
        '',
      ]);
    },
  );

  test('has its fields in --json', async () => {
    const shared = task('Shared', { Importance: 1 });
    task('Urgent', { Importance: 5 });

    const { out } = await run(['why', '--page', shared.id, '--json']);

    expect(JSON.parse(out)).toEqual({
      lines: expect.any(Array) as string[],
      pageId: shared.id,
      person: { id: ada.id, name: 'Ada Lovelace' },
      rank: 2,
      openTasks: 2,
      reasons: [
        '"Shared" is number 2 of 2.',
        'After "Urgent" (number 1): importance 5 against 1.',
        'It has no estimate, or is too far away for a projected completion.',
      ],
    });
  });

  test('names a page that is gone, and what to do', async () => {
    const pageId = newId();

    expect(await run(['why', '--page', pageId])).toEqual({
      code: 4,
      out: '',
      err: `The page ${pageId} is gone, or not shared with the integration: share it in Notion.\n`,
    });
  });

  test('says why a page is not ranked at all', async () => {
    const closed = task('Closed', { Status: 'Done' });
    const nobodys = board.task({ Name: "Nobody's" });
    const elsewhere = notion.workspace.board().task({ Name: 'Elsewhere' });

    const why = async (page: NotionPage): Promise<string> =>
      (await run(['why', '--page', page.id])).out;
    expect(await why(closed)).toContain('It is not among the open tasks there');
    expect(await why(nobodys)).toContain('has no assignee');
    expect(await why(elsewhere)).toContain('not in the data source of the tasks');
  });
});

describe('notion doctor', () => {
  test('finds no problem in a correct board', async () => {
    const { code, out, err } = await run(['doctor']);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain(`bot ${notion.botId}`);
    expect(out).not.toContain('WRONG');
    expect(out.split('\n').filter((line) => line.startsWith('ok'))).toHaveLength(14);
  });

  test('reports what finished interviews and the webhook lack, and creates the properties', async () => {
    const before = (await run(['doctor'])).out.split('\n');
    const notes = before.filter((line) => line.startsWith('note'));
    expect(notes).toHaveLength(6);
    expect(notes.join()).toMatch(/Candidate.*Vacancy.*Coverage.*Transcript.*Awaiting.*enrol/);

    const { code } = await run(['doctor', '--fix'], 'y\ny\ny\ny\n');
    expect(code).toBe(0);
    const types = Object.fromEntries(board.source.columns.map(({ name, type }) => [name, type]));
    const made = { Candidate: 'rich_text', Coverage: 'rich_text', Transcript: 'url' };
    expect(types).toMatchObject(made);
    expect(notion.journal.violations).toEqual([]);
  });

  test('creates missing properties after a yes, and never changes existing ones', async () => {
    board = notion.workspace.board({
      without: ['Queue Rank', 'At risk', 'Blocked By', 'Estimate'],
      columns: { Due: 'rich_text' },
    });

    const { code, out } = await run(['doctor', '--fix'], 'y\nno\nyes\ny\n');

    expect(code).toBe(5);
    expect(out).toContain('WRONG  The property "Due" is of type rich_text; expected date: ');
    const types = Object.fromEntries(board.source.columns.map(({ name, type }) => [name, type]));
    expect(types).toMatchObject({
      Estimate: 'number',
      'Queue Rank': 'number',
      'At risk': 'checkbox',
      Due: 'rich_text',
    });
    expect(types).not.toHaveProperty('Blocked By');
    expect(out).not.toContain('Create the property "Due"');
    expect(notion.journal.violations).toEqual([]);
  });

  test('says once, and rightly, that boards without closing statuses are not ranked', async () => {
    board = notion.workspace.board({
      columns: {
        Status: { status: { 'To-do': ['Not started'], 'In progress': [], Complete: [] } },
      },
    });

    const { code, out } = await run(['doctor']);

    expect(code).toBe(5);
    const wrong = out.split('\n').filter((line) => line.startsWith('WRONG'));
    expect(wrong).toEqual([expect.stringContaining('"Status" has no group "Complete"')]);
  });

  test('creates nothing without a reply, and says how to', async () => {
    board = notion.workspace.board({ without: ['Queue Rank'] });

    expect((await run(['doctor', '--fix'])).code).toBe(5);
    expect((await run(['doctor'])).out).toContain('./colloquy notion doctor --fix');
    expect(notion.journal.calls('updateDataSource')).toEqual([]);
  });

  test('distinguishes a wrong token from boards that are not shared', async () => {
    board.unshare();
    expect((await run(['doctor'])).out).toContain('not shared with the integration');
    const { token } = notion;
    notion.token = 'ntn_another';
    const env = {
      NOTION_TOKEN: token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: board.id,
    };
    const { code, out } = await cli(['notion', 'doctor'], env);

    expect(code).toBe(5);
    expect(out).toBe(
      "WRONG  NOTION_TOKEN is not the token of an integration that Notion knows: copy it from the integration's page in Notion.\n",
    );
  });
});

test('without a token the commands say so', async () => {
  expect(await cli(['notion', 'doctor'])).toEqual({
    code: 1,
    out: '',
    err: 'NOTION_TOKEN is not set, so the Notion sync is off. Set it and NOTION_DATA_SOURCE_ID (docs/notion.md).\n',
  });
});
