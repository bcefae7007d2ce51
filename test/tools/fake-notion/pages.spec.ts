import { type Client, isFullPage, type PageObjectResponse } from '@notionhq/client';
import { FakeClock } from '../../../tools/support/fake-clock';
import { NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf } from './notion-calls';

describe('pages, by the unmodified SDK', () => {
  let notion: NotionServer;
  let clock: FakeClock;
  let client: Client;

  beforeEach(async () => {
    clock = new FakeClock(new Date('2026-03-02T09:00:42.500Z'));
    notion = await NotionServer.start({ clock });
    notion.limits.lift();
    client = clientOf(notion);
  });
  afterEach(() => notion.close());

  async function read(page_id: string): Promise<PageObjectResponse> {
    const page = await client.pages.retrieve({ page_id });
    if (!isFullPage(page)) throw new Error('expected a full page');
    return page;
  }

  test('the input of a person is read with every type of property', async () => {
    const ada = notion.workspace.user('Ada');
    const board = notion.workspace.board({
      columns: { Notes: 'rich_text', Link: 'url', Stage: { select: ['Early', 'Late'] } },
    });
    const parent = board.task({ Name: 'Ship it' });
    const task = board.task({
      Name: 'Write the report',
      Assignee: ada,
      Importance: 7.5,
      Status: 'In progress',
      Due: '2026-03-10',
      'Parent Task': parent,
      'At risk': true,
      Notes: 'with numbers',
      Link: 'https://example.org',
      Stage: 'Late',
    });

    const { properties, parent: place } = await read(task.id);

    expect(place).toEqual({
      type: 'data_source_id',
      data_source_id: board.id,
      database_id: board.databaseId,
    });
    expect(properties).toMatchObject({
      Name: { id: 'title', type: 'title', title: [{ plain_text: 'Write the report' }] },
      Assignee: { type: 'people', people: [{ id: ada.id, name: 'Ada', type: 'person' }] },
      Importance: { type: 'number', number: 7.5 },
      Status: { type: 'status', status: { name: 'In progress' } },
      Due: { type: 'date', date: { start: '2026-03-10', end: null, time_zone: null } },
      'Parent Task': { type: 'relation', relation: [{ id: parent.id }], has_more: false },
      'At risk': { type: 'checkbox', checkbox: true },
      Notes: { type: 'rich_text', rich_text: [{ plain_text: 'with numbers' }] },
      Link: { type: 'url', url: 'https://example.org' },
      Stage: { type: 'select', select: { name: 'Late' } },
      'Queue Rank': { type: 'number', number: null },
    });
    expect(notion.journal.violations).toEqual([]);
  });

  test('people see writes of the connection with its bot as author', async () => {
    const task = notion.workspace.board().task({ Name: 'Write the report' });

    await client.pages.update({
      page_id: task.id,
      properties: {
        'Queue Rank': { number: 3 },
        'Projected Completion': { date: { start: '2026-03-12' } },
        'At risk': { checkbox: true },
      },
    });

    expect([
      task.value('Queue Rank'),
      task.value('Projected Completion'),
      task.value('At risk'),
    ]).toEqual([3, '2026-03-12', true]);
    const page = await read(task.id);
    expect(page.last_edited_by.id).toBe((await client.users.me({})).id);
    expect(page.created_by.id).not.toBe(notion.botId);
    expect(notion.journal.calls('updatePage')).toMatchObject([{ hadEffect: true }]);
  });

  test('the time of the last edit is rounded down to the minute', async () => {
    const task = notion.workspace.board().task({ Name: 'One' });
    clock.advance(60_000);
    task.edit({ Name: 'Two' });

    const { created_time, last_edited_time } = await read(task.id);
    expect(created_time).toBe('2026-03-02T09:00:00.000Z');
    expect(last_edited_time).toBe('2026-03-02T09:01:00.000Z');
  });

  test('a page is made, put into the trash and taken out of it', async () => {
    const board = notion.workspace.board();
    const made = await client.pages.create({
      parent: { data_source_id: board.id },
      properties: { Name: { title: [{ text: { content: 'Review Ada' } }] } },
    });
    const task = board.page(made.id);
    expect(task.title).toBe('Review Ada');

    await client.pages.update({ page_id: made.id, in_trash: true });
    expect([task.isTrashed, board.tasks.length]).toEqual([true, 0]);
    const late = client.pages.update({
      page_id: made.id,
      properties: { 'Queue Rank': { number: 1 } },
    });
    expect((await refusalOf(late)).message).toContain('archived');
    await client.pages.update({ page_id: made.id, in_trash: false });
    expect(task.isTrashed).toBe(false);
  });

  test.each([
    ['a property that is not there', { Rank: { number: 1 } }, 'Rank is not a property that exists'],
    ['another type', { Importance: { checkbox: true } }, 'Importance is expected to be number'],
    [
      'an unknown status',
      { Status: { status: { name: 'Nope' } } },
      'Status option "Nope" does not exist',
    ],
    ['a date that is none', { Due: { date: { start: 'soon' } } }, 'valid ISO 8601'],
    [
      'a text of 2,001 characters',
      { Name: { title: [{ text: { content: 'a'.repeat(2001) } }] } },
      'should be from 1 to `2000`',
    ],
  ])('%s is refused with 400 and changes nothing', async (_case, properties, words) => {
    const task = notion.workspace.board().task({ Name: 'One' });

    const refused = await refusalOf(client.pages.update({ page_id: task.id, properties }));

    expect(refused).toMatchObject({ status: 400, code: 'validation_error' });
    expect(refused.message.toLowerCase()).toContain(words.toLowerCase());
    expect(notion.journal.violations).toEqual([]);
    expect(notion.journal.all[0]).toMatchObject({ hadEffect: false });
  });

  test('a hundred people fit into a property, one more does not', async () => {
    const task = notion.workspace.board().task({ Name: 'One' });
    const people = Array.from({ length: 101 }, (_, n) => ({
      id: notion.workspace.user(`User ${n}`).id,
    }));
    const write = (count: number): Promise<unknown> =>
      client.pages.update({
        page_id: task.id,
        properties: { Assignee: { people: people.slice(0, count) } },
      });

    await write(100);
    expect(task.value('Assignee')).toHaveLength(100);
    expect((await refusalOf(write(101))).code).toBe('validation_error');
  });

  test('25 related pages are returned with the page, the others by its property', async () => {
    const board = notion.workspace.board();
    const others = Array.from({ length: 30 }, (_, n) => board.task({ Name: `Task ${n}` }));
    const task = board.task({ Name: 'Last', 'Blocked By': others });

    const property = (await read(task.id)).properties['Blocked By'];
    expect(property).toMatchObject({ has_more: true });
    expect(property?.type === 'relation' && property.relation).toHaveLength(25);
    const all = await client.pages.properties.retrieve({
      page_id: task.id,
      property_id: property?.id ?? '',
    });
    expect(all).toMatchObject({ object: 'list', has_more: false });
    expect('results' in all && all.results).toHaveLength(30);
  });

  test('unshared objects are not found, and an invalid id is an error', async () => {
    const board = notion.workspace.board();
    const task = board.task({ Name: 'One' });
    board.unshare();

    expect(await refusalOf(client.pages.retrieve({ page_id: task.id }))).toMatchObject({
      status: 404,
      code: 'object_not_found',
    });
    expect((await refusalOf(client.pages.retrieve({ page_id: 'mine' }))).status).toBe(400);
  });

  test('a person who has left is only an id, and cannot be assigned', async () => {
    const ada = notion.workspace.user('Ada');
    const task = notion.workspace.board().task({ Name: 'One', Assignee: ada });
    ada.leaves();

    const { properties } = await read(task.id);
    expect(properties.Assignee).toMatchObject({ people: [{ object: 'user', id: ada.id }] });
    expect((await refusalOf(client.users.retrieve({ user_id: ada.id }))).status).toBe(404);
    const assign = client.pages.update({
      page_id: task.id,
      properties: { Assignee: { people: [{ id: ada.id }] } },
    });
    expect((await refusalOf(assign)).code).toBe('validation_error');
  });

  test('only the requested properties are returned', async () => {
    const task = notion.workspace.board().task({ Name: 'One', Importance: 2 });
    const { Importance } = (await read(task.id)).properties;
    const some = await client.pages.retrieve({
      page_id: task.id,
      filter_properties: [Importance?.id ?? ''],
    });

    expect(isFullPage(some) && Object.keys(some.properties)).toEqual(['Name', 'Importance']);
  });
});
