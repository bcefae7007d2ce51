import { FakeClock } from '../../../tools/support/fake-clock';
import { type NotionPage, NotionServer } from '../../../tools/fake-notion';
import { clientOf, refusalOf, send } from './notion-calls';

describe('the parameters of a call', () => {
  let notion: NotionServer;
  let task: NotionPage;

  beforeEach(async () => {
    notion = await NotionServer.start({ clock: new FakeClock() });
    notion.limits.lift();
    task = notion.workspace.board().task({ Name: 'One', Importance: 1 });
  });
  afterEach(() => notion.close());

  test.each<[string, unknown, string]>([
    ['an unknown parameter', { propertys: {} }, 'the call has no parameter "propertys"'],
    [
      'a wrong type',
      { properties: { Importance: { number: '5' } } },
      'properties.Importance.number must be number,null',
    ],
    [
      'an unknown type of property',
      { properties: { Importance: { numbre: 5 } } },
      'properties.Importance has no parameter "numbre"',
    ],
  ])('%s is refused with 400 and noted', async (_case, body, violation) => {
    const refused = await send(notion, 'PATCH', `pages/${task.id}`, body);

    expect(refused.status).toBe(400);
    expect(await refused.json()).toMatchObject({ object: 'error', code: 'validation_error' });
    expect(notion.journal.violations).toEqual([`updatePage: ${violation}`]);
    expect(task.value('Importance')).toBe(1);
  });

  test('a wrong filter is found deep inside', async () => {
    const filter = { and: [{ property: 'Importance', number: { equal: 1 } }] };
    const id = notion.workspace.board().id;

    const refused = await send(notion, 'POST', `data_sources/${id}/query`, { filter });

    expect(refused.status).toBe(400);
    expect(notion.journal.violations).toEqual([
      'queryDataSource: filter.and.0.number has no parameter "equal"',
    ]);
  });

  test('the version has to be one with data sources', async () => {
    const none = await fetch(`${notion.url}/v1/users/me`, {
      headers: { authorization: `Bearer ${notion.token}` },
    });
    expect(await none.json()).toMatchObject({ status: 400, code: 'missing_version' });
    const old = await send(notion, 'GET', 'users/me', undefined, {
      'notion-version': '2022-06-28',
    });
    expect(await old.json()).toMatchObject({ status: 400, code: 'validation_error' });
  });

  test('2026-03-11 neither accepts nor returns "archived"; 2025-09-03 does both', async () => {
    const newer = { 'notion-version': '2026-03-11' };
    const path = `pages/${task.id}`;

    const refused = await send(notion, 'PATCH', path, { archived: true }, newer);
    expect(refused.status).toBe(400);
    expect(notion.journal.violations).toHaveLength(1);
    const told = (await (await send(notion, 'GET', path, undefined, newer)).json()) as object;
    expect(told).toMatchObject({ in_trash: false });
    expect(told).not.toHaveProperty('archived');

    const done = (await (await send(notion, 'PATCH', path, { archived: true })).json()) as object;
    expect(done).toMatchObject({ archived: true, in_trash: true });
  });

  test('a wrong or replaced token is 401', async () => {
    const client = clientOf(notion);
    notion.token = 'ntn_test_token_2';

    expect(await refusalOf(client.users.me({}))).toMatchObject({
      status: 401,
      code: 'unauthorized',
    });
    expect(await clientOf(notion).users.me({})).toMatchObject({ type: 'bot' });
  });

  test('an invalid JSON body and an unknown address are refused', async () => {
    const garbled = await send(notion, 'PATCH', `pages/${task.id}`, '{"properties":');
    expect(await garbled.json()).toMatchObject({ status: 400, code: 'invalid_json' });
    const nowhere = await send(notion, 'GET', 'tasks');
    expect(await nowhere.json()).toMatchObject({ status: 400, code: 'invalid_request_url' });
    expect(notion.journal.violations).toHaveLength(2);
  });

  test('an operation that this server lacks is refused', async () => {
    const refused = await send(notion, 'PATCH', `pages/${task.id}`, { is_locked: true });

    expect(refused.status).toBe(501);
    expect(await refused.json()).toMatchObject({ message: 'this test server has no is_locked' });
  });
});
