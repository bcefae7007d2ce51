import { hashToken } from '../../src/common/ids';
import { FakeClock } from '../../tools/support/fake-clock';
import { apiClient } from '../../tools/api-client';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

const ADMIN = { token: ADMIN_TOKEN };

interface KeyJson {
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly vacancies: readonly string[] | null;
  readonly state: string;
  readonly token?: string;
}

interface AuditJson {
  readonly events: readonly {
    readonly id: string;
    readonly actor: string;
    readonly action: string;
    readonly subjectHash: string;
  }[];
  readonly olderCursor: string | null;
}

const clock = new FakeClock();
let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false, env: { ADMIN_TOKEN } });
  await app.addVacancy({ slug: 'butcher' });
});

afterAll(() => app.close());

function get(path: string, by: { readonly token: string } = ADMIN): Promise<Response> {
  return fetch(`${app.url}/api/v1/${path}`, { headers: bearer(by) });
}

function post(path: string, body: unknown, by: { readonly token: string } = ADMIN) {
  return fetch(`${app.url}/api/v1/${path}`, {
    method: 'POST',
    headers: { ...bearer(by), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function made(body: object, by = ADMIN): Promise<KeyJson & { readonly token: string }> {
  const response = await post('keys', body, by);
  expect(response.status).toBe(201);
  return (await response.json()) as KeyJson & { readonly token: string };
}

async function listed(by = ADMIN): Promise<readonly KeyJson[]> {
  return (await apiClient(app.url, by.token).GET('/api/v1/keys')).data?.keys ?? [];
}

async function audit(query: string): Promise<AuditJson> {
  return (await (await get(`audit?${query}`)).json()) as AuditJson;
}

/** A decision about somebody new, who is invited to these vacancies. */
async function decideOn(reason: string, slugs: readonly string[]): Promise<void> {
  await app.sql(
    `with c as (
       insert into candidate (id, created_at) values (gen_random_uuid(), now()) returning id),
     i as (
       insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
       select gen_random_uuid(), v.id, c.id, $1 || v.slug, now()
       from vacancy v, c where v.slug = any ($2::text[]))
     insert into decision (candidate_id, decided_by, reason, decided_at)
     select id, 'Nora', $1, now() from c returning id`,
    [reason, slugs],
  );
}

describe('keys over the API', () => {
  test('are made with their token, listed without it, and revoked', async () => {
    const scopes = ['interviews:read', 'attention:read'];
    const { token, ...key } = await made({ name: 'crm', scopes, vacancies: ['baker'] });

    expect(key).toMatchObject({ name: 'crm', scopes, vacancies: ['baker'], state: 'live' });
    expect(key).toMatchObject({ createdBy: 'ADMIN_TOKEN', usedAt: null, revokedAt: null });
    expect(await outcomeOf(await get('admin/attention', { token }))).toBe('200');
    const [first] = await listed();
    expect(first).toEqual({ ...key, usedAt: clock.now().toISOString() });

    const revoked = await post(`keys/${key.id}/revoke`, {});
    const again = await post('keys/crm/revoke', {});

    expect([revoked.status, again.status]).toEqual([200, 200]);
    expect(await revoked.json()).toMatchObject({ name: 'crm', state: 'revoked' });
    expect(await outcomeOf(await get('admin/attention', { token }))).toBe('401 key_revoked');
    const { events } = await audit(`subjectId=${key.id}`);
    expect(events.map(({ actor, action }) => `${actor}: ${action}`)).toEqual([
      'ADMIN_TOKEN: key.revoke',
      'ADMIN_TOKEN: key.create',
    ]);
  });

  test.each<[string, object, string]>([
    ['a scope that there is not', { scopes: ['decisions:write'] }, '422 invalid_body'],
    ['no scope', { scopes: [] }, '422 invalid_body'],
    ['a name with a space', { name: 'the crm' }, '422 invalid_body'],
    ['a name in capitals', { name: 'CRM' }, '422 invalid_body'],
    ['a vacancy that there is not', { vacancies: ['cook'] }, '404 vacancy_unknown'],
    ['no vacancy', { vacancies: [] }, '422 invalid_body'],
    ['a slug that cannot be stored', { vacancies: ['a\u0000'] }, '422 invalid_body'],
    ['an end in the past', { expiresAt: '2026-03-01T00:00:00Z' }, '422 key_end_invalid'],
    ['an end in two years', { expiresAt: '2028-03-01T00:00:00Z' }, '422 key_end_invalid'],
    ['an end that is no time', { expiresAt: 'tomorrow' }, '422 invalid_body'],
  ])('are refused with %s, and nothing is stored', async (_, changes, refusal) => {
    const before = await listed();

    const response = await post('keys', { name: 'wrong', scopes: ['interviews:read'], ...changes });

    expect(await outcomeOf(response)).toBe(refusal);
    expect(await listed()).toEqual(before);
  });

  test('are made once by a repeated request, which gets the same token', async () => {
    const repeat = () =>
      fetch(`${app.url}/api/v1/keys`, {
        method: 'POST',
        headers: { ...bearer(ADMIN), 'content-type': 'application/json', 'idempotency-key': '1' },
        body: JSON.stringify({ name: 'once', scopes: ['interviews:read'] }),
      });
    const [first, second] = [await repeat(), await repeat()];

    expect(first.status).toBe(201);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await second.json()).toEqual(await first.json());
  });

  test('are refused with the name of another key', async () => {
    await made({ name: 'sheet', scopes: ['interviews:read'] });

    const again = await post('keys', { name: 'sheet', scopes: ['interviews:read'] });

    expect(await outcomeOf(again)).toBe('409 key_name_taken');
  });

  test.each(['ratings:write', 'decisions:write', 'users:write', 'retention:run'])(
    'are refused with the scope %s: they judge nobody and let nobody in',
    async (scope) => {
      expect(await outcomeOf(await post('keys', { name: 'judge', scopes: [scope] }))).toBe(
        '422 invalid_body',
      );
    },
  );
});

describe('a key that manages keys', () => {
  test('makes only keys that can do and reach no more than itself', async () => {
    const own = { scopes: ['keys:write', 'interviews:read'], vacancies: ['baker'] };
    const manager = await made({ name: 'manager', ...own });
    const { scopes, vacancies } = own;
    const attempts: [string, object][] = [
      ['more-scopes', { scopes: [...scopes, 'candidates:erase'], vacancies }],
      ['all-vacancies', { scopes }],
      ['another-vacancy', { scopes, vacancies: ['baker', 'butcher'] }],
      ['as-much', own],
      ['less', { scopes: ['interviews:read'], vacancies }],
    ];

    const outcomes: Record<string, string> = {};
    for (const [name, rights] of attempts) {
      outcomes[name] = await outcomeOf(await post('keys', { name, ...rights }, manager));
    }

    expect(outcomes).toEqual({
      'more-scopes': '403 beyond_key',
      'all-vacancies': '403 beyond_key',
      'another-vacancy': '404 vacancy_unknown',
      'as-much': '201',
      less: '201',
    });
    expect((await listed(manager)).map(({ name }) => name)).toEqual(['less', 'as-much', 'manager']);
  });

  test('makes no key that outlives it, and without an end one that ends with it', async () => {
    const end = '2026-06-01T00:00:00.000Z';
    const rights = { scopes: ['keys:write'] };
    const manager = await made({ name: 'until-june', ...rights, expiresAt: end });

    const later = { name: 'july', ...rights, expiresAt: '2026-06-01T00:00:00.001Z' };
    const longer = await post('keys', later, manager);
    const child = await made({ name: 'june', ...rights }, manager);

    expect(await outcomeOf(longer)).toBe('403 beyond_key');
    expect(child).toMatchObject({ name: 'june', expiresAt: end });
  });

  test('revokes no key that has more rights than itself', async () => {
    const manager = await made({ name: 'small', scopes: ['keys:write'] });
    const large = await made({ name: 'large', scopes: ['keys:write', 'interviews:read'] });

    const response = await post(`keys/${large.id}/revoke`, {}, manager);

    expect(await outcomeOf(response)).toBe('404 key_unknown');
    expect((await listed()).find(({ name }) => name === 'large')?.state).toBe('live');
  });
});

describe('a key that is limited to a vacancy', () => {
  test('lists only the items about its interviews, and reads only their transcripts', async () => {
    const butcher = await app.one<{ id: string; openToken: string }>(
      `select id, open_token as "openToken" from vacancy where slug = 'butcher'`,
    );
    const ours = await TestCandidate.begin({ url: app.url, vacancy: butcher });
    const theirs = await TestCandidate.begin(app);
    for (const candidate of [ours, theirs]) await candidate.post('human');
    const key = await makeKey(app, { vacancyIds: [butcher.id] });

    const { items } = (await (await get('admin/attention?state=all', key)).json()) as {
      items: readonly { conversationId: string }[];
    };
    const read = ({ conversationId }: TestCandidate): Promise<Response> =>
      get(`admin/conversations/${conversationId}/transcript`, key);

    expect(items.map(({ conversationId }) => conversationId)).toEqual([ours.conversationId]);
    expect(await outcomeOf(await read(ours))).toBe('200');
    expect(await outcomeOf(await read(theirs))).toBe('404 conversation_unknown');
  });

  test('lists items that stand under one of no vacancy, which it does not reach', async () => {
    const { conversationId } = await TestCandidate.begin(app);
    const key = await makeKey(app, { vacancyIds: [app.vacancy.id] });
    const above = await app.one<{ id: string }>(
      `insert into attention (kind, subject, reason)
       values ('model', 'model:unavailable', 'it is away') returning id`,
    );
    await app.sql(
      `insert into attention (kind, subject, conversation_id, under, reason)
       values ('dead', 'job:1', $1, 'model:unavailable', 'it failed') returning id`,
      [conversationId],
    );
    const subjects = async (by: { readonly token: string }): Promise<string[]> => {
      const { items } = (await (await get('admin/attention', by)).json()) as {
        items: readonly { subject: string }[];
      };
      return items.map(({ subject }) => subject);
    };

    const [byKey, byAdmin] = [await subjects(key), await subjects(ADMIN)];
    const under = await get(`admin/attention?under=${above.id}`, key);
    const replay = await post(`admin/attention/${above.id}/replay`, {}, key);

    expect([byKey.includes('job:1'), byKey.includes('model:unavailable')]).toEqual([true, false]);
    expect([byAdmin.includes('job:1'), byAdmin.includes('model:unavailable')]).toEqual([
      false,
      true,
    ]);
    expect(await outcomeOf(under)).toBe('404 attention_unknown');
    expect(await outcomeOf(replay)).toBe('404 attention_unknown');
  });

  test('erases no candidate who is known by another vacancy too', async () => {
    const candidate = await TestCandidate.begin(app);
    const { candidateId } = await app.one<{ candidateId: string }>(
      'select candidate_id as "candidateId" from conversation where id = $1',
      [candidate.conversationId],
    );
    const key = await makeKey(app, { vacancyIds: [app.vacancy.id] });
    await app.sql(
      `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
       select gen_random_uuid(), id, $1::uuid, 'of the test', now() from vacancy where slug = 'butcher'
       returning id`,
      [candidateId],
    );
    const erase = () => post(`admin/candidates/${candidateId}/erase`, {}, key);

    const before = await outcomeOf(await erase());
    await app.sql(`delete from invitation where candidate_id = $1 returning id`, [candidateId]);
    const after = await erase();
    const again = await erase();

    expect(before).toBe('403 beyond_key');
    expect(await after.json()).toMatchObject({ isFound: true, conversations: 1 });
    expect(await again.json()).toMatchObject({ isFound: false });
  });

  test('reads and erases nothing of a candidate of no vacancy', async () => {
    const { id } = await app.one<{ id: string }>(
      `insert into candidate (id, name, created_at) values (gen_random_uuid(), 'Nobody', now()) returning id`,
    );
    const key = await makeKey(app, { vacancyIds: [app.vacancy.id] });

    expect(await outcomeOf(await post(`admin/candidates/${id}/erase`, {}, key))).toBe(
      '403 beyond_key',
    );
    expect(await outcomeOf(await get(`admin/candidates/${id}/export`, key))).toBe('403 beyond_key');
    expect((await post(`admin/candidates/${id}/erase`, {})).status).toBe(200);
  });

  test('lists decisions about candidates whom only its vacancies know', async () => {
    const known: Record<string, readonly string[]> = {
      ours: [app.vacancy.slug],
      both: [app.vacancy.slug, 'butcher'],
      theirs: ['butcher'],
      nobody: [],
    };
    for (const [name, slugs] of Object.entries(known)) await decideOn(name, slugs);
    const key = await makeKey(app, { vacancyIds: [app.vacancy.id] });
    const reasonsFor = async (by: { readonly token: string }) => {
      const { items } = (await (await get('decisions', by)).json()) as {
        items: readonly { reason: string }[];
      };
      return items.map(({ reason }) => reason);
    };

    expect(await reasonsFor(key)).toEqual(['ours']);
    expect(await reasonsFor(ADMIN)).toEqual(['nobody', 'theirs', 'both', 'ours']);
  });

  test('does not read the audit, which is about all vacancies', async () => {
    const key = await makeKey(app, { vacancyIds: [app.vacancy.id] });

    expect(await outcomeOf(await get('audit', key))).toBe('403 beyond_key');
  });
});

describe('the audit over the API', () => {
  test('says who did what, of whom and when, by actor, action, subject and time', async () => {
    const key = await makeKey(app);
    const actor = encodeURIComponent(`key ${key.name}`);
    const [one, two] = [await TestCandidate.begin(app), await TestCandidate.begin(app)];
    const read = ({ conversationId }: TestCandidate, what: string): Promise<Response> =>
      get(`admin/conversations/${conversationId}/${what}`, key);
    await read(one, 'transcript');
    clock.advance(1000);
    const between = clock.now().toISOString();
    await read(two, 'files');
    await read(two, 'transcript');

    const actions = async (query: string): Promise<string[]> =>
      (await audit(query)).events.map(({ action }) => action);

    expect(await actions(`actor=${actor}`)).toEqual([
      'transcript.read',
      'file.list',
      'transcript.read',
    ]);
    expect(await actions(`actor=${actor}&action=file.list`)).toEqual(['file.list']);
    expect(await actions(`actor=${actor}&since=${between}`)).toEqual([
      'transcript.read',
      'file.list',
    ]);
    expect(await actions(`actor=${actor}&until=${between}`)).toEqual(['transcript.read']);
    const { events } = await audit(`subjectId=${one.conversationId.toUpperCase()}`);
    expect(events).toMatchObject([
      { actor: `key ${key.name}`, subjectHash: hashToken(one.conversationId) },
    ]);
  });

  test('is read in pages, each row once, to the last one', async () => {
    const key = await makeKey(app);
    const { conversationId } = await TestCandidate.begin(app);
    for (let n = 0; n < 5; n += 1) await get(`admin/conversations/${conversationId}/files`, key);
    const ids: string[] = [];
    let cursor: string | null = null;
    const sizes: number[] = [];
    do {
      const before: string = cursor === null ? '' : `&beforeId=${cursor}`;
      const page = await audit(`subjectId=${conversationId}&limit=2${before}`);
      ids.push(...page.events.map(({ id }) => id));
      sizes.push(page.events.length);
      cursor = page.olderCursor;
    } while (cursor !== null);

    expect(sizes).toEqual([2, 2, 1]);
    expect(new Set(ids).size).toBe(5);
    expect(ids.map(Number)).toEqual(ids.map(Number).toSorted((a, b) => b - a));
  });
});
