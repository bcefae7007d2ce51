import type { Board, NotionPage, NotionUser } from '../../support/notion';
import { RunFixture, type RunProcess } from './fixture';

let fixture: RunFixture;
let board: Board;
let ada: NotionUser;
let colloquy: RunProcess;

beforeAll(async () => {
  fixture = await RunFixture.open();
});
beforeEach(async () => {
  await fixture.reset();
  board = fixture.notion.workspace.board();
  ada = fixture.notion.workspace.user('Ada');
  colloquy = fixture.process(board);
});
afterEach(() => {
  expect(fixture.notion.journal.violations).toEqual([]);
});
afterAll(() => fixture.close());

/** Tasks of Ada, the most important first. */
function tasks(count: number): NotionPage[] {
  return Array.from({ length: count }, (_, n) =>
    board.task({ Name: `Task ${String(n + 1)}`, Assignee: [ada], Importance: count - n }),
  );
}

const ranks = (pages: readonly NotionPage[]): unknown[] =>
  pages.map((page) => page.value('Queue Rank'));

describe('a run on a board', () => {
  test('asks Notion for that person and open statuses, and for the needed properties only', async () => {
    board.addColumn('Notes', 'rich_text');
    const [task] = tasks(1);
    const bob = fixture.notion.workspace.user('Bob');
    board.task({ Name: 'Done', Assignee: [ada], Status: 'Done' });
    board.task({ Name: 'Dropped', Assignee: [ada], Status: 'Dropped' });
    board.task({ Name: "Bob's", Assignee: [bob] });

    expect(await colloquy.run(ada)).toEqual({
      kind: 'ranked',
      counts: { loaded: 1, processed: 1, updated: 1, dropped: 0, apiCalls: 3 },
    });
    expect(task?.value('Queue Rank')).toBe(1);
    const [query] = fixture.notion.journal.calls('queryDataSource');
    expect(query?.params).toMatchObject({
      page_size: 100,
      filter: {
        and: [
          { property: 'Assignee', people: { contains: ada.id } },
          { property: 'Status', status: { does_not_equal: 'Done' } },
          { property: 'Status', status: { does_not_equal: 'Dropped' } },
        ],
      },
    });
    const { body } = query?.outcome as unknown as { body: { results: { properties: object }[] } };
    expect(body.results).toHaveLength(1);
    expect(Object.keys(body.results[0]?.properties ?? {})).not.toContain('Notes');
  });

  test('that shows its ranking costs exactly the query, and no write', async () => {
    tasks(4);
    await colloquy.run(ada);
    fixture.notion.journal.clear();

    expect(await colloquy.run(ada)).toEqual({
      kind: 'ranked',
      counts: { loaded: 4, processed: 4, updated: 0, dropped: 0, apiCalls: 1 },
    });
    expect(fixture.operations).toEqual(['queryDataSource']);
  });
});
