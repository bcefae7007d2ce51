import { ImportSweep } from '../../src/invitations';
import { PersonalDataService } from '../../src/privacy';
import { VacancyRepository } from '../../src/vacancies';
import { type ApiClient, apiClient } from '../../tools/api-client';
import { type TestApp, startTestApp } from '../support/app';
import { ADMIN_TOKEN } from '../support/secrets';

const CSV = [
  'Имя;Телефон;id;Источник',
  'Иванов Пётр;+7 916 123-45-67;crm-1;hh.ru',
  '????????;7,9E+10;crm-2;hh.ru',
  'Смирнова Анна;;crm-3;',
].join('\r\n');

interface Progress {
  readonly id: string;
  readonly state: string;
  readonly rows: number;
  readonly created: number;
  readonly refused: number;
  readonly waiting: number;
  readonly linkKey: string;
  readonly columns: unknown;
}

interface Row {
  readonly row: number;
  readonly line: number | null;
  readonly state: string;
  readonly externalId: string | null;
  readonly candidateId: string | null;
  readonly problems: readonly { code: string; column: string | null; en: string; ru: string }[];
  readonly link: { web: string; telegram: string | null; pin: string } | null;
}

let app: TestApp;

beforeEach(async () => {
  app = await startTestApp({ isWorking: false, env: { ADMIN_TOKEN } });
});
afterEach(() => app.close());

function client(): ApiClient {
  return apiClient(app.url, ADMIN_TOKEN);
}

function call(path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, ...(init.headers as object) };
  return fetch(`${app.url}/api/v1/${path}`, { ...init, headers });
}

function send(
  body: string,
  headers: Readonly<Record<string, string>> = {},
  slug = app.vacancy.slug,
): Promise<Response> {
  return call(`vacancies/${slug}/invitation-imports`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/csv', ...headers },
  });
}

async function accepted(body: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await send(body, headers);
  expect(response.status).toBe(202);
  return (await response.json()) as Progress;
}

async function progressOf(id: string) {
  const { data } = await client().GET('/api/v1/invitation-imports/{id}', {
    params: { path: { id } },
  });
  return data;
}

async function rowsOf(
  id: string,
  query: { state?: 'created' | 'refused' | 'waiting'; limit?: number } = {},
  header: { 'x-link-key'?: string } = {},
) {
  const { data } = await client().GET('/api/v1/invitation-imports/{id}/rows', {
    params: { path: { id }, query, header },
  });
  return data?.items ?? [];
}

async function problemOf(response: Response) {
  const { code, title } = (await response.json()) as { code: string; title: string };
  return { status: response.status, code, title };
}

function names(count: number): string {
  const rows = Array.from({ length: count }, (_, at) => `Ada,crm-${String(at + 1)}\n`);
  return `name,id\n${rows.join('')}`;
}

/** One job of the queue, to its end. */
async function onePortion(): Promise<void> {
  await app.worker.tick();
  await app.until('the portion is stored', () => app.isIdle());
}

/** All jobs of the queue, without the pauses after failures. */
async function workAll(): Promise<void> {
  const live = `queue = 'invite' and state in ('open', 'running', 'retry')`;
  while ((await app.sql(`select from job where ${live}`)).length > 0) {
    await app.sql(`update job set due_at = now() where queue = 'invite' and state = 'retry'`);
    await onePortion();
  }
}

/** As if the rows of the table had been made so much earlier. */
async function age(table: 'idempotent_request' | 'invitation_import', days: number): Promise<void> {
  await app.sql(`update ${table} set created_at = created_at - interval '${String(days)} days'`);
}

describe('a file of invitations', () => {
  test('is accepted at once, and each row gets its fate', async () => {
    const { id, linkKey, columns, ...progress } = await accepted(CSV);
    await workAll();

    expect(progress).toMatchObject({ state: 'running', rows: 3, refused: 1, waiting: 2 });
    expect(columns).toEqual([
      { header: 'Имя', as: 'name' },
      { header: 'Телефон', as: 'phone' },
      { header: 'id', as: 'externalId' },
      { header: 'Источник', as: 'metadata' },
    ]);
    expect(await progressOf(id)).toMatchObject({ state: 'finished', created: 2, refused: 1 });
    const [first, second, third] = await rowsOf(id, {}, { 'x-link-key': linkKey });
    expect(first).toMatchObject({ row: 1, line: 2, state: 'created', externalId: 'crm-1' });
    expect(second).toMatchObject({ row: 2, line: 3, state: 'refused', externalId: 'crm-2' });
    expect(second?.problems.map(({ code, column }) => [code, column])).toEqual([
      ['letters_lost', 'Имя'],
      ['exponent', 'Телефон'],
    ]);
    expect(third).toMatchObject({ row: 3, line: 4, state: 'created', problems: [] });
  });

  test('makes candidates and invitations as the command line does, with ids and metadata', async () => {
    await accepted(CSV);
    await workAll();

    const stored = await app.sql(
      `select c.name, c.contact, i.external_id, i.metadata, i.pin_key is not null as has_pin
       from invitation i join candidate c on c.id = i.candidate_id order by i.external_id`,
    );
    expect(stored).toEqual([
      {
        name: 'Иванов Пётр',
        contact: '+7 916 123-45-67',
        external_id: 'crm-1',
        metadata: { Источник: 'hh.ru' },
        has_pin: true,
      },
      {
        name: 'Смирнова Анна',
        contact: null,
        external_id: 'crm-3',
        metadata: {},
        has_pin: true,
      },
    ]);
  });

  test('shows the links to whoever has its key, and stores none of them', async () => {
    const { id, linkKey } = await accepted(CSV);
    await workAll();

    const [withKey] = await rowsOf(id, {}, { 'x-link-key': linkKey });
    const [without] = await rowsOf(id);
    const wrong = await call(`invitation-imports/${id}/rows`, {
      headers: { 'x-link-key': linkKey.toUpperCase() },
    });

    const token = withKey?.link?.web.split('/').at(-1) ?? '';
    expect((await fetch(`${app.url}/api/v1/invites/${token}`)).status).toBe(200);
    expect(withKey?.link?.pin).toMatch(/^\d{4}-\d{4}-\d{4}$/);
    expect(without?.link).toBeNull();
    expect(await problemOf(wrong)).toMatchObject({ status: 403, code: 'link_key_wrong' });
    const pin = withKey?.link?.pin.replaceAll('-', '') ?? '';
    expect(await app.rowsWith([token, pin, linkKey])).toEqual([]);
  });

  test('keeps nothing of a refused row but its id, and of the others nothing once they are stored', async () => {
    const { id } = await accepted(CSV);
    await workAll();

    const kept = await app.sql<{ given: unknown }>(
      'select given from invitation_import_row where import_id = $1',
      [id],
    );
    expect(kept.map(({ given }) => given)).toEqual([null, null, null]);
    expect(await app.rowsWith(['7,9E+10', '????????'])).toEqual([]);
  });

  test('is worked off in portions, 300 bad rows of which harm no other', async () => {
    const lines = Array.from({ length: 330 }, (_, at) => (at % 11 === 0 ? 'Ada' : '?'));
    const { id } = await accepted(`name\n${lines.join('\n')}`);
    await onePortion();
    const half = await progressOf(id);
    await workAll();

    expect(half).toMatchObject({ state: 'running', created: 25, refused: 300, waiting: 5 });
    expect(await progressOf(id)).toMatchObject({ state: 'finished', created: 30, refused: 300 });
    expect(await rowsOf(id, { state: 'created', limit: 500 })).toHaveLength(30);
  });

  test('is finished at once when all of its rows are bad', async () => {
    const { id } = await accepted('name\n?\n??\n');

    expect(await progressOf(id)).toMatchObject({ state: 'finished', created: 0, refused: 2 });
    expect(await app.sql(`select from job where queue = 'invite'`)).toEqual([]);
  });

  test('gives each row that is left that sentence when the vacancy closes meanwhile', async () => {
    const { id } = await accepted(names(30));
    await onePortion();
    await app.commit((tx) => app.get(VacancyRepository).setClosed(tx, app.vacancy.slug, true));
    await workAll();

    expect(await progressOf(id)).toMatchObject({ state: 'finished', created: 25, refused: 5 });
    const left = await rowsOf(id, { state: 'refused' });
    expect(left.map(({ row }) => row)).toEqual([26, 27, 28, 29, 30]);
    expect(new Set(left.map(({ problems }) => problems[0]?.en))).toEqual(
      new Set(['The vacancy was closed before the row was stored.']),
    );
  });

  test('invites nobody a second time under the same external id', async () => {
    await accepted(names(3));
    await workAll();
    const { id } = await accepted(`name,id\nBob,crm-3\nCid,crm-4\n`);
    await workAll();

    expect((await rowsOf(id)).map(({ state, problems }) => [state, problems[0]?.code])).toEqual([
      ['refused', 'external_id_taken'],
      ['created', undefined],
    ]);
  });

  test('loses one row that the database refuses, and no other', async () => {
    await app.sql(
      `create function refuse_bob() returns trigger language plpgsql as
       $$ begin if new.name = 'Bob' then raise exception 'no Bob'; end if; return new; end $$`,
    );
    await app.sql(
      'create trigger refuse_bob before insert on candidate for each row execute function refuse_bob()',
    );
    const { id } = await accepted('name\nAda\nBob\nCid\n');
    await workAll();

    expect((await rowsOf(id)).map(({ state, problems }) => [state, problems[0]?.code])).toEqual([
      ['created', undefined],
      ['refused', 'internal'],
      ['created', undefined],
    ]);
  });

  test('pages through its rows by a cursor', async () => {
    const { id } = await accepted('name\n?\n??\n???\n');

    const page = await call(`invitation-imports/${id}/rows?limit=2`);
    const { items, cursor } = (await page.json()) as { items: Row[]; cursor: string };
    const rest = await call(`invitation-imports/${id}/rows?limit=2&cursor=${cursor}`);

    expect(items.map(({ row }) => row)).toEqual([1, 2]);
    expect(await rest.json()).toMatchObject({ items: [{ row: 3 }], cursor: null });
  });

  test('forgets the row of a candidate who is erased, and all of it after 30 days', async () => {
    const { id } = await accepted(names(2));
    await workAll();
    const [first] = await rowsOf(id);
    const candidateId = first?.candidateId ?? '';
    await app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId, 'nora'));
    const left = await rowsOf(id);
    await age('invitation_import', 31);

    expect(left.map(({ row }) => row)).toEqual([2]);
    expect(await app.get(ImportSweep).run()).toBe(1);
    expect(await problemOf(await call(`invitation-imports/${id}`))).toMatchObject({
      status: 404,
      code: 'import_unknown',
    });
  });

  test('says who imported it and who read its links', async () => {
    const { id, linkKey } = await accepted(names(1));
    await rowsOf(id);
    await rowsOf(id, {}, { 'x-link-key': linkKey });

    const audited = await app.sql<{ action: string }>('select action from audit_event order by id');
    expect(audited.map(({ action }) => action)).toEqual(['invitation.import', 'invitation.links']);
  });
});

describe('a file that is refused', () => {
  test.each([
    ['en', 'A quotation mark that opens in line 2 is never closed'],
    ['ru', 'Кавычка, открытая в строке 2, не закрыта'],
  ])('says why in %s, and nothing of it is stored', async (language, start) => {
    const refused = await send('name,note\nAda,"x\nBob,y\n', { 'accept-language': language });

    const { status, code, title } = await problemOf(refused);
    expect([status, code]).toEqual([422, 'invitation_file_refused']);
    expect(title.startsWith(start)).toBe(true);
    expect(await app.sql('select from invitation_import')).toEqual([]);
  });

  test.each([
    ['of an unknown vacancy', 'nothing', 'text/csv', 404, 'vacancy_unknown'],
    ['of another type', null, 'text/plain', 415, 'unsupported_media_type'],
    ['of a form', null, 'multipart/form-data; boundary=x', 415, 'unsupported_media_type'],
  ])('%s', async (_title, slug, type, status, code) => {
    const refused = await send('name\nAda\n', { 'content-type': type }, slug ?? app.vacancy.slug);

    expect(await problemOf(refused)).toMatchObject({ status, code });
  });

  test('of a closed vacancy', async () => {
    await app.commit((tx) => app.get(VacancyRepository).setClosed(tx, app.vacancy.slug, true));

    expect(await problemOf(await send('name\nAda\n'))).toMatchObject({
      status: 410,
      code: 'vacancy_closed',
    });
  });

  test('of no token', async () => {
    const refused = await send('name\nAda\n', { authorization: 'Bearer nobody' });

    expect(refused.status).toBe(401);
  });

  test('other routes take no CSV', async () => {
    const refused = await call('admin/attention/1/close', {
      method: 'POST',
      body: 'by,resolution\n',
      headers: { 'content-type': 'text/csv' },
    });

    expect(refused.status).toBe(415);
  });
});

describe('JSON', () => {
  test('is taken as rows with metadata of any form', async () => {
    const validUntil = new Date(Date.now() + 30 * 86_400_000).toISOString();
    const rows = [
      { name: 'Ada', externalId: 7, metadata: { tags: ['a'] }, validUntil },
      { name: 'Bob', mail: 'bob@example.org' },
    ];
    const { id } = await accepted(JSON.stringify(rows), { 'content-type': 'application/json' });
    await workAll();

    expect((await rowsOf(id)).map(({ line, state }) => [line, state])).toEqual([
      [null, 'created'],
      [null, 'refused'],
    ]);
    expect(await app.one('select external_id, metadata, expires_at from invitation')).toEqual({
      external_id: '7',
      metadata: { tags: ['a'] },
      expires_at: new Date(validUntil),
    });
  });
});

describe('the stream of an import', () => {
  /** All frames of a stream that ends. */
  async function framesOf(id: string, lastId?: string): Promise<string[]> {
    const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
    const response = await call(`invitation-imports/${id}/events`, { headers });
    const text = await response.text();
    return text
      .replaceAll(': ok\n', '')
      .split('\n\n')
      .filter((frame) => frame !== '');
  }

  test('sends every row in its order, its number as the last line, and ends', async () => {
    const { id } = await accepted(CSV);
    await workAll();

    const frames = await framesOf(id);

    const events = frames.map((frame) => /^event: (\w+)/.exec(frame)?.[1]);
    expect(events).toEqual(['row', 'row', 'row', 'finish']);
    expect(frames.slice(0, 3).map((frame) => frame.split('\n').at(-1))).toEqual([
      'id: 1',
      'id: 2',
      'id: 3',
    ]);
    expect(frames.at(-1)).toContain('"created":2,"refused":1');
  });

  test('goes on after the last row that a client has got', async () => {
    const { id } = await accepted(CSV);
    await workAll();

    const frames = await framesOf(id, '2');

    expect(frames.map((frame) => frame.split('\n').at(-1)?.slice(0, 5))).toEqual([
      'id: 3',
      'data:',
    ]);
  });

  test('follows rows that are stored meanwhile', async () => {
    const { id } = await accepted(names(30));
    const frames = framesOf(id);
    await workAll();

    const rows = (await frames).filter((frame) => frame.startsWith('event: row'));
    expect(rows).toHaveLength(30);
  });

  test('of an unknown import is a problem document', async () => {
    const unknown = await call('invitation-imports/00000000-0000-4000-8000-000000000000/events');

    expect(await problemOf(unknown)).toMatchObject({ status: 404, code: 'import_unknown' });
  });
});

describe('a request with an Idempotency-Key', () => {
  const KEY = { 'idempotency-key': 'spring-1' };

  test('is done once, and a repeat gets the first response', async () => {
    const first = await accepted(CSV, KEY);
    const again = await send(CSV, KEY);

    expect(again.status).toBe(202);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await again.json()).toEqual(first);
    expect(await app.one('select count(*)::int as count from invitation_import')).toEqual({
      count: 1,
    });
  });

  test('is refused with another body, and free again after a day', async () => {
    await accepted(CSV, KEY);
    const other = await send(names(1), KEY);
    await age('idempotent_request', 1);
    const later = await send(names(1), KEY);

    expect(await problemOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect(later.status).toBe(202);
  });

  test('that was refused is a new try', async () => {
    const closing = (isClosed: boolean) =>
      app.commit((tx) => app.get(VacancyRepository).setClosed(tx, app.vacancy.slug, isClosed));
    await closing(true);
    const refused = await send(CSV, KEY);
    await closing(false);

    expect(refused.status).toBe(410);
    expect((await send(CSV, KEY)).status).toBe(202);
  });

  test.each(['', 'x'.repeat(256), 'two words'])('whose key is "%s" is refused', async (key) => {
    const refused = await send(CSV, { 'idempotency-key': key });

    expect(await problemOf(refused)).toMatchObject({
      status: 400,
      code: 'idempotency_key_invalid',
    });
  });

  test('leaves neither the key nor the response readable in the database', async () => {
    const { linkKey } = await accepted(CSV, KEY);

    expect(await app.rowsWith(['spring-1', linkKey])).toEqual([]);
  });
});
