import {
  type Client,
  collectPaginatedAPI,
  isFullPage,
  type QueryDataSourceParameters,
} from '@notionhq/client';
import { type Board, type NotionUser, NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf } from './notion-calls';

type Query = Omit<QueryDataSourceParameters, 'data_source_id'>;

describe('the query of a data source', () => {
  let notion: NotionServer;
  let client: Client;
  let board: Board;
  let ada: NotionUser;

  beforeEach(async () => {
    notion = await NotionServer.start();
    notion.limits.lift();
    client = clientOf(notion);
    board = notion.workspace.board({ columns: { Stage: { select: ['Early', 'Late'] } } });
    ada = notion.workspace.user('Ada');
  });
  afterEach(() => notion.close());

  async function titles(query: Query): Promise<string[]> {
    const { results } = await client.dataSources.query({ data_source_id: board.id, ...query });
    return results.map((page) => {
      const name = isFullPage(page) ? page.properties.Name : undefined;
      return name?.type === 'title' ? name.title.map((item) => item.plain_text).join('') : '?';
    });
  }

  test("a person's open tasks, the most important first", async () => {
    const bob = notion.workspace.user('Bob');
    board.task({ Name: 'Low', Assignee: ada, Importance: 1 });
    board.task({ Name: 'None', Assignee: ada });
    board.task({ Name: 'High', Assignee: [bob, ada], Importance: 9, Status: 'In progress' });
    board.task({ Name: 'Done', Assignee: ada, Importance: 10, Status: 'Done' });
    board.task({ Name: "Bob's", Assignee: bob, Importance: 5 });

    const found = await titles({
      filter: {
        and: [
          { property: 'Assignee', people: { contains: ada.id.replaceAll('-', '') } },
          { property: 'Status', status: { does_not_equal: 'Done' } },
        ],
      },
      sorts: [{ property: 'Importance', direction: 'descending' }],
    });

    expect(found).toEqual(['High', 'Low', 'None']);
    expect(notion.journal.violations).toEqual([]);
  });

  const filters: readonly (readonly [string, NonNullable<Query['filter']>, string[]])[] = [
    ['a checkbox', { property: 'At risk', checkbox: { equals: true } }, ['B']],
    ['a select', { property: 'Stage', select: { equals: 'Late' } }, ['B']],
    ['several statuses', { property: 'Status', status: { equals: ['Done', 'Dropped'] } }, ['C']],
    ['no status', { property: 'Status', status: { is_empty: true } }, ['A']],
    ['a number', { property: 'Importance', number: { greater_than: 2 } }, ['C']],
    ['a date', { property: 'Due', date: { on_or_before: '2026-03-02' } }, ['B']],
    ['a part of the title', { property: 'Name', title: { contains: 'b' } }, ['B']],
    ['nobody', { property: 'Assignee', people: { is_empty: true } }, ['A', 'B']],
    [
      'one or the other',
      {
        or: [
          { property: 'Name', title: { equals: 'A' } },
          { property: 'Importance', number: { equals: 3 } },
        ],
      },
      ['A', 'C'],
    ],
    [
      'or inside and',
      {
        and: [
          { property: 'Importance', number: { is_not_empty: true } },
          {
            or: [
              { property: 'Name', title: { equals: 'A' } },
              { property: 'Name', title: { equals: 'B' } },
            ],
          },
        ],
      },
      ['B'],
    ],
  ];
  test.each(filters)('finds by %s', async (_case, filter, expected) => {
    board.task({ Name: 'A' });
    board.task({
      Name: 'B',
      Importance: 2,
      Due: '2026-03-02',
      'At risk': true,
      Stage: 'Late',
      Status: 'In progress',
    });
    board.task({ Name: 'C', Importance: 3, Status: 'Done', Due: '2026-03-09', Assignee: ada });

    const sorts = [{ property: 'Name', direction: 'ascending' }] as const;
    expect(await titles({ filter, sorts: [...sorts] })).toEqual(expected);
  });

  test('rows come a hundred at a time, and the cursor leads to the next', async () => {
    for (let n = 0; n < 230; n += 1) board.task({ Name: `Task ${n}` });

    const all = await collectPaginatedAPI(client.dataSources.query, { data_source_id: board.id });

    expect(new Set(all.map(({ id }) => id)).size).toBe(230);
    expect(notion.journal.calls('queryDataSource')).toHaveLength(3);
    const large = client.dataSources.query({ data_source_id: board.id, page_size: 101 });
    expect((await refusalOf(large)).code).toBe('validation_error');
  });

  test('a cursor is refused for another query, and when it was never issued', async () => {
    for (let n = 0; n < 3; n += 1) board.task({ Name: `Task ${n}` });
    const first = await client.dataSources.query({ data_source_id: board.id, page_size: 2 });
    const start_cursor = first.next_cursor ?? '';

    const other = { property: 'At risk', checkbox: { equals: false } };
    const misused = client.dataSources.query({
      data_source_id: board.id,
      start_cursor,
      filter: other,
    });
    expect((await refusalOf(misused)).message).toContain('start_cursor');
    expect(await titles({ start_cursor: 'made-up' }).catch(() => 'refused')).toBe('refused');
    expect(await titles({ start_cursor, page_size: 2 })).toHaveLength(1);
  });

  test.each<[string, NonNullable<Query['filter']>, string]>([
    [
      'an unknown property',
      { property: 'Rank', number: { equals: 1 } },
      'Could not find property with name or id: Rank',
    ],
    [
      'another type',
      { property: 'Assignee', number: { equals: 1 } },
      'database property people does not match filter number',
    ],
    [
      'an unknown option',
      { property: 'Status', status: { equals: 'Nope' } },
      'status option "Nope" not found for property "Status".',
    ],
  ])('a filter with %s is refused in words', async (_case, filter, message) => {
    const refused = client.dataSources.query({ data_source_id: board.id, filter });

    expect(await refusalOf(refused)).toMatchObject({ code: 'validation_error', message });
  });

  test('the trash is left out unless it is requested', async () => {
    board.task({ Name: 'Here' });
    board.task({ Name: 'Gone' }).delete();

    expect(await titles({})).toEqual(['Here']);
    expect(await titles({ in_trash: true })).toEqual(['Gone']);
  });
});
