import { randomUUID } from 'node:crypto';
import { type TestApp, startTestApp } from '../support/app';
import { outcomeOf } from '../support/keys';
import { makeUser, signIn } from '../support/users';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ isWorking: false });
});

afterAll(() => app.close());

type Headers = Readonly<Record<string, string>>;

async function someone(): Promise<Headers> {
  return signIn(app, await makeUser(app, { role: 'viewer' }));
}

function put(headers: Headers, id: string, body: object): Promise<Response> {
  return fetch(`${app.url}/api/v1/team/views/${id}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function list(headers: Headers): Promise<readonly object[]> {
  const response = await fetch(`${app.url}/api/v1/team/views`, { headers });
  return ((await response.json()) as { views: object[] }).views;
}

test('each colleague has views of their own: saved, renamed and deleted', async () => {
  const [mine, theirs] = [await someone(), await someone()];
  const [first, second] = [randomUUID(), randomUUID()];
  await put(mine, first, { name: ' Needs me ', query: 'state=needs_person' });
  await put(mine, second, { name: 'Bakers', query: 'vacancy=baker' });
  await put(theirs, first, { name: 'Same id', query: '' });
  await put(mine, first, { name: 'Мне', query: 'state=needs_person&text=Ада' });

  expect(await list(mine)).toEqual([
    { id: first, name: 'Мне', query: 'state=needs_person&text=Ада' },
    { id: second, name: 'Bakers', query: 'vacancy=baker' },
  ]);
  expect(await list(theirs)).toEqual([{ id: first, name: 'Same id', query: '' }]);

  const place = `${app.url}/api/v1/team/views/${first}`;
  for (let n = 0; n < 2; n += 1) {
    expect((await fetch(place, { method: 'DELETE', headers: mine })).status).toBe(204);
  }
  expect(await list(mine)).toHaveLength(1);
  expect(await list(theirs)).toHaveLength(1);
});

test('takes at most 30, also when several are saved at once, and no bad one', async () => {
  const mine = await someone();
  const ids = Array.from({ length: 33 }, () => randomUUID());
  const outcomes = await Promise.all(
    ids.map(async (id) => outcomeOf(await put(mine, id, { name: 'View', query: '' }))),
  );

  expect(outcomes.filter((outcome) => outcome === '200')).toHaveLength(30);
  expect(outcomes.filter((outcome) => outcome === '409 too_many_views')).toHaveLength(3);
  const saved = (await list(mine)) as readonly { id: string }[];
  const again = await put(mine, saved[0]?.id ?? '', { name: 'Renamed', query: '' });
  expect(again.status).toBe(200);
  for (const [id, body, outcome] of [
    ['x', { name: 'View', query: '' }, '404 not_found'],
    [randomUUID(), { name: '', query: '' }, '422 invalid_body'],
    [randomUUID(), { name: 'a'.repeat(61), query: '' }, '422 invalid_body'],
    [randomUUID(), { name: 'View', query: '\u0000' }, '422 invalid_body'],
  ] as const) {
    expect(await outcomeOf(await put(await someone(), id, body))).toBe(outcome);
  }
});
