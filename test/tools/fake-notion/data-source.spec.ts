import { type Client, type DataSourceObjectResponse, isFullDataSource } from '@notionhq/client';
import { NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf } from './notion-calls';

describe('a data source', () => {
  let notion: NotionServer;
  let client: Client;

  beforeEach(async () => {
    notion = await NotionServer.start();
    notion.limits.lift();
    client = clientOf(notion);
  });
  afterEach(() => notion.close());

  async function schema(id: string): Promise<DataSourceObjectResponse['properties']> {
    const source = await client.dataSources.retrieve({ data_source_id: id });
    if (!isFullDataSource(source)) throw new Error('expected a full data source');
    return source.properties;
  }

  test('returns its columns with their types, and the groups of a status', async () => {
    const board = notion.workspace.board();

    const { Name, Assignee, Status, 'Blocked By': blockedBy } = await schema(board.id);

    expect([Name?.type, Assignee?.type]).toEqual(['title', 'people']);
    expect(blockedBy).toMatchObject({ type: 'relation', relation: { data_source_id: board.id } });
    if (Status?.type !== 'status') throw new Error('expected a status');
    const { options, groups } = Status.status;
    const complete = groups.find(({ name }) => name === 'Complete')?.option_ids ?? [];
    const closed = options.filter(({ id }) => complete.includes(id)).map(({ name }) => name);
    expect(closed).toEqual(['Done', 'Dropped']);
  });

  test('is found under its database', async () => {
    const board = notion.workspace.board({ title: 'Hiring' });
    const database = await client.databases.retrieve({ database_id: board.databaseId });

    expect(database).toMatchObject({ data_sources: [{ id: board.id, name: 'Hiring' }] });
  });

  test('the connection can create missing columns', async () => {
    const board = notion.workspace.board({ without: ['Queue Rank', 'At risk'] });

    await client.dataSources.update({
      data_source_id: board.id,
      properties: {
        'Queue Rank': { number: {} },
        'At risk': { checkbox: {} },
        Stage: { select: { options: [{ name: 'Early' }] } },
      },
    });

    const columns = await schema(board.id);
    expect(columns['Queue Rank']?.type).toBe('number');
    expect(columns['At risk']?.type).toBe('checkbox');
    expect(columns.Stage).toMatchObject({ select: { options: [{ name: 'Early' }] } });
    const task = board.task({ Name: 'One', Stage: 'Early' });
    expect([task.value('Queue Rank'), task.value('Stage')]).toEqual([null, 'Early']);
    expect(notion.journal.violations).toEqual([]);
  });

  test('a renamed column keeps its id, and a retyped one loses its values', async () => {
    const board = notion.workspace.board();
    const task = board.task({ Name: 'One', Importance: 4 });
    const before = (await schema(board.id)).Importance;
    board.renameColumn('Importance', 'Weight');

    const after = await schema(board.id);
    expect(after.Weight?.id).toBe(before?.id);
    expect(after.Importance).toBeUndefined();
    expect(task.value('Weight')).toBe(4);
    board.retypeColumn('Weight', 'rich_text');
    expect((await schema(board.id)).Weight?.type).toBe('rich_text');
    expect(task.value('Weight')).toBe('');
  });

  test('the connection renames and drops columns, but never the title', async () => {
    const board = notion.workspace.board();
    const change = (properties: Record<string, { name: string } | null>): Promise<unknown> =>
      client.dataSources.update({ data_source_id: board.id, properties });

    await change({ Due: { name: 'Deadline' }, Estimate: null });
    const columns = await schema(board.id);
    expect([columns.Deadline?.type, columns.Due, columns.Estimate]).toEqual([
      'date',
      undefined,
      undefined,
    ]);
    expect((await refusalOf(change({ Name: null }))).code).toBe('validation_error');
  });

  test('users are returned as a list, and the bot by "me"', async () => {
    const ada = notion.workspace.user('Ada Byron');

    const me = await client.users.me({});
    expect(me).toMatchObject({ id: notion.botId, type: 'bot', name: 'Colloquy' });
    expect(await client.users.retrieve({ user_id: ada.id })).toMatchObject({
      type: 'person',
      person: { email: 'ada.byron@example.org' },
    });
    const { results } = await client.users.list({});
    expect(results.map(({ id }) => id)).toEqual(expect.arrayContaining([ada.id, me.id]));
  });
});
