import { hashToken } from '../../src/common/ids';
import { FakeClock } from '../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

interface AuditRow {
  readonly actor: string;
  readonly action: string;
  readonly subjectHash: string;
  readonly subject: { readonly kind: string; readonly id: string; readonly name: string } | null;
}

interface Found {
  readonly id: string;
  readonly name: string | null;
  readonly externalIds: readonly string[];
  readonly interviews: readonly { readonly id: string; readonly vacancy: string }[];
  readonly heldSince: string | null;
}

const clock = new FakeClock();
let app: TestApp;
let ada: Colleague;
let rex: Colleague;
let people = 0;

beforeAll(async () => {
  app = await startTestApp({
    clock,
    isWorking: false,
    env: { ADMIN_TOKEN, RETENTION_TRANSCRIPT_DAYS: '100', RETENTION_NOT_STARTED_DAYS: '30' },
  });
  await app.stopSweeps();
});

beforeEach(async () => {
  people += 1;
  ada = await colleague(app, { name: `Ada ${String(people)}`, role: 'admin' });
  rex = await colleague(app, { name: `Rex ${String(people)}`, role: 'recruiter' });
});

afterAll(() => app.close());

/** Somebody in an interview, by this name. */
async function interviewed(name: string): Promise<{ id: string; candidateId: string }> {
  const { conversationId: id } = await TestCandidate.begin(app);
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [id],
  );
  await app.sql('update candidate set name = $2 where id = $1 returning id', [candidateId, name]);
  return { id, candidateId };
}

async function read<Body>(by: Colleague, place: string): Promise<Body> {
  const response = await by.request('GET', `/api/v1/${place}`);
  expect([place, response.status]).toEqual([place, 200]);
  return (await response.json()) as Body;
}

async function audit(by: Colleague, query: string): Promise<readonly AuditRow[]> {
  return (await read<{ events: AuditRow[] }>(by, `audit?${query}`)).events;
}

async function found(by: Colleague, text: string): Promise<readonly Found[]> {
  const place = `admin/candidates?text=${encodeURIComponent(text)}`;
  return (await read<{ items: Found[] }>(by, place)).items;
}

describe('the audit', () => {
  test('names whom a row is about while they are there, and nobody after an erasure', async () => {
    const { id, candidateId } = await interviewed('Grace Hopper');
    await rex.request('GET', `/api/v1/interviews/${id}`);
    await rex.request('GET', `/api/v1/admin/candidates/${candidateId}`);
    const actor = encodeURIComponent(`user ${rex.name}`);

    const before = await audit(ada, `actor=${actor}`);
    const erased = await rex.request('POST', `/api/v1/admin/candidates/${candidateId}/erase`);
    const after = await audit(ada, `actor=${actor}`);

    expect(before.map(({ action, subject }) => [action, subject])).toEqual([
      ['candidate.read', { kind: 'candidate', id: candidateId, name: 'Grace Hopper' }],
      ['interview.read', { kind: 'interview', id, name: 'Grace Hopper' }],
    ]);
    expect(erased.status).toBe(200);
    expect(after.map(({ action, subject }) => [action, subject])).toEqual([
      ['candidate.erase', null],
      ['candidate.read', null],
      ['interview.read', null],
    ]);
    expect(JSON.stringify(after)).not.toMatch(/Grace/);
    expect(after[0]?.subjectHash).toBe(hashToken(candidateId));
  });

  test('names vacancies, colleagues and keys', async () => {
    const key = await makeKey(app);
    await ada.request('POST', `/api/v1/keys/${key.id}/revoke`);
    await ada.request('POST', `/api/v1/vacancies/${app.vacancy.slug}/close`);
    await ada.request('POST', `/api/v1/vacancies/${app.vacancy.slug}/reopen`);

    const rows = await audit(ada, `actor=${encodeURIComponent(`user ${ada.name}`)}`);

    expect(rows.map(({ subject }) => [subject?.kind, subject?.name])).toEqual([
      ['vacancy', app.vacancy.title],
      ['vacancy', app.vacancy.title],
      ['key', key.name],
    ]);
  });

  test('names nobody to a key that may not read interviews', async () => {
    const { id } = await interviewed('Nobody’s business');
    await rex.request('GET', `/api/v1/interviews/${id}`);
    const subjectsFor = async (scopes: readonly string[]) => {
      const response = await fetch(`${app.url}/api/v1/audit?subjectId=${id}`, {
        headers: bearer(await makeKey(app, { scopes })),
      });
      const { events } = (await response.json()) as { events: AuditRow[] };
      return events.map(({ subject }) => subject?.name ?? null);
    };

    expect(await subjectsFor(['keys:write'])).toEqual([null]);
    expect(await subjectsFor(['keys:write', 'interviews:read'])).toEqual(['Nobody’s business']);
  });

  test('is a file without names, over many pages, and the file is in the audit', async () => {
    const { id } = await interviewed('Not in a file');
    await app.sql(
      `insert into audit_event (at, actor, action, subject_hash)
       select now(), 'user Bulk', 'interview.read', $1 from generate_series(1, 2500) returning id`,
      [hashToken(id)],
    );

    const csv = await ada.request('GET', '/api/v1/audit/export?actor=user%20Bulk&language=ru');
    const json = await ada.request('GET', '/api/v1/audit/export?actor=user%20Bulk&format=json');

    const text = await csv.text();
    expect(text.split('\r\n')[0]).toBe('Время (UTC);Кто;Действие;О ком (SHA-256 номера)');
    expect(text.split('\r\n')).toHaveLength(2502);
    expect(text).not.toContain('Not in a file');
    const { events } = (await json.json()) as { events: { id: string; subject?: unknown }[] };
    expect(new Set(events.map((one) => one.id)).size).toBe(2500);
    expect(events.every((one) => !('subject' in one))).toBe(true);
    const mine = await audit(ada, `actor=${encodeURIComponent(`user ${ada.name}`)}`);
    expect(mine.map(({ action }) => action)).toEqual(['audit.export', 'audit.export']);
  });

  test('is for admins alone, and its file for those who have just shown their password', async () => {
    const outcomes = [
      await outcomeOf(await rex.request('GET', '/api/v1/audit')),
      await outcomeOf(await rex.request('GET', '/api/v1/audit/export')),
    ];
    clock.advance(11 * 60_000);

    expect(outcomes).toEqual(['403 scope_missing', '403 scope_missing']);
    expect(await outcomeOf(await ada.request('GET', '/api/v1/audit'))).toBe('200');
    expect(await outcomeOf(await ada.request('GET', '/api/v1/audit/export'))).toBe(
      '403 password_needed',
    );
  });
});

describe('candidates', () => {
  test('are found by how words of the name begin, by an external id and by their id', async () => {
    const { id, candidateId } = await interviewed('Ёлка Новогодняя');
    await app.sql(
      `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at, external_id)
       values (gen_random_uuid(), $1, $2, 'of this test', now(), 'crm-77') returning id`,
      [app.vacancy.id, candidateId],
    );

    for (const text of ['елк', 'новог ёлка', 'crm-77', candidateId, candidateId.toUpperCase()]) {
      expect([text, await found(rex, text)]).toEqual([
        text,
        [
          expect.objectContaining({
            id: candidateId,
            name: 'Ёлка Новогодняя',
            externalIds: ['crm-77'],
            interviews: [{ id, vacancy: app.vacancy.slug }],
            heldSince: null,
          }),
        ],
      ]);
    }
    for (const text of ['годняя', 'crm-7', '???', id]) expect(await found(rex, text)).toEqual([]);
  });

  test('are listed in pages, each once', async () => {
    await Promise.all(['Page One', 'Page Two', 'Page Three'].map(interviewed));
    const ids: string[] = [];
    let cursor: string | null = null;
    do {
      const after: string = cursor === null ? '' : `&cursor=${cursor}`;
      const page = await read<{ items: Found[]; cursor: string | null }>(
        rex,
        `admin/candidates?text=page&limit=2${after}`,
      );
      ids.push(...page.items.map(({ id }) => id));
      ({ cursor } = page);
    } while (cursor !== null);

    expect(new Set(ids).size).toBe(3);
    expect(ids).toHaveLength(3);
  });

  test('are told with what an erasure deletes, and with their hold, and the reading is audited', async () => {
    const { candidateId } = await interviewed('Held Harold');
    await app.sql(
      `insert into legal_hold (candidate_id, reason, placed_by, placed_at)
       values ($1, 'Claim 17', 'command line', now()) returning 1`,
      [candidateId],
    );

    const told = await read<Found & { stored: Record<string, number>; hold: object }>(
      rex,
      `admin/candidates/${candidateId}`,
    );
    const erased = await rex.request('POST', `/api/v1/admin/candidates/${candidateId}/erase`);
    const again = await rex.request('GET', `/api/v1/admin/candidates/${candidateId}`);

    expect(told).toMatchObject({
      stored: { interviews: 1, recordings: 0, files: 0, invitations: 0, scorings: 0, ratings: 0 },
      hold: { reason: 'Claim 17', placedBy: 'command line' },
      keptDays: 100,
    });
    expect(told.heldSince).not.toBeNull();
    expect(await erased.json()).toMatchObject({
      isFound: true,
      conversations: told.stored['interviews'],
      messages: told.stored['messages'],
    });
    expect(await outcomeOf(again)).toBe('404 candidate_unknown');
    const rows = await audit(ada, `subjectId=${candidateId}`);
    expect(rows.map(({ action }) => action)).toEqual(['candidate.erase', 'candidate.read']);
  });

  test('are no colleagues who look at the page as one', async () => {
    const { id, candidateId } = await interviewed('Preview Pia');
    await app.sql('update conversation set is_preview = true where id = $1 returning id', [id]);

    expect(await found(rex, 'Preview')).toEqual([]);
    expect(
      await outcomeOf(await rex.request('GET', `/api/v1/admin/candidates/${candidateId}`)),
    ).toBe('404 candidate_unknown');
  });

  test('are told with the comments on their interviews, which an erasure deletes', async () => {
    const { id, candidateId } = await interviewed('Commented Cleo');
    const place = `/api/v1/interviews/${id}/comments`;
    const made = await rex.request('POST', place, { body: { text: 'Ask about the oven.' } });
    expect(made.status).toBe(201);

    const told = await read<{ stored: Record<string, number> }>(
      rex,
      `admin/candidates/${candidateId}`,
    );
    await rex.request('POST', `/api/v1/admin/candidates/${candidateId}/erase`);

    expect(told.stored['comments']).toBe(1);
    expect(
      await app.sql('select 1 from interview_comment where conversation_id = $1', [id]),
    ).toEqual([]);
  });

  test('of a vacancy are listed for a key that is limited to it, if no other one knows them', async () => {
    const [own, shared] = [await interviewed('Within One'), await interviewed('Within Two')];
    const { id } = await app.addVacancy({ slug: `other-${String(people)}` });
    await app.sql(
      `insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at)
       values (gen_random_uuid(), $1, $2, $3, now()) returning id`,
      [id, shared.candidateId, shared.id],
    );
    const headers = bearer(await makeKey(app, { vacancyIds: [app.vacancy.id] }));

    const response = await fetch(`${app.url}/api/v1/admin/candidates?text=within`, { headers });

    const { items } = (await response.json()) as { items: Found[] };
    expect(items.map((one) => one.id)).toEqual([own.candidateId]);
  });

  test('of another vacancy are neither found nor told by a key that is limited to one', async () => {
    const { candidateId } = await interviewed('Far Away');
    const { id } = await app.addVacancy({ slug: `elsewhere-${String(people)}` });
    const headers = bearer(await makeKey(app, { vacancyIds: [id] }));
    const get = (place: string) => fetch(`${app.url}/api/v1/${place}`, { headers });

    expect(await (await get('admin/candidates?text=far')).json()).toEqual({
      items: [],
      cursor: null,
    });
    expect(await outcomeOf(await get(`admin/candidates/${candidateId}`))).toBe('403 beyond_key');
  });

  test.each([
    ['admin/candidates?text=', '422 invalid_body'],
    ['admin/candidates?text=%00', '400 malformed_request'],
    ['admin/candidates?cursor=17', '422 invalid_body'],
    ['admin/candidates?limit=101', '422 invalid_body'],
    ['admin/candidates/17', '404 candidate_unknown'],
    ['admin/candidates/019aa3d0-2b10-7a44-8c11-0d9e8f7a6b51', '404 candidate_unknown'],
  ])('are refused by %s', async (place, refusal) => {
    expect(await outcomeOf(await rex.request('GET', `/api/v1/${place}`))).toBe(refusal);
  });
});

describe('retention', () => {
  interface Retention {
    readonly rules: readonly { class: string; keptDays: number | null; count: number }[];
    readonly holds: number;
    readonly nextRunAt: string;
  }

  async function addOld(days: number): Promise<string> {
    const { id } = await app.one<{ id: string }>(
      `insert into candidate (id, name, created_at)
       values (gen_random_uuid(), 'Old', $1::timestamptz - $2 * interval '1 day') returning id`,
      [clock.now(), days],
    );
    return id;
  }

  const dueIn = ({ rules }: Retention): number | undefined =>
    rules.find((rule) => rule.class === 'not_started')?.count;

  test('tells what is due, and an admin begins the run, which is audited', async () => {
    const [old, young] = [await addOld(31), await addOld(29)];

    const before = await read<Retention>(rex, 'retention');
    const run = await ada.request('POST', '/api/v1/retention/run');
    const after = await read<Retention>(rex, 'retention');

    expect(before.rules.find((rule) => rule.class === 'transcript')).toMatchObject({
      keptDays: 100,
      source: 'RETENTION_TRANSCRIPT_DAYS',
    });
    expect(dueIn(before)).toBe(1);
    expect(await run.json()).toMatchObject({ deleted: { not_started: 1 }, hasMore: false });
    expect(dueIn(after)).toBe(0);
    const left = await app.sql<{ id: string }>(
      'select id from candidate where id = any($1::uuid[])',
      [[old, young]],
    );
    expect(left).toEqual([{ id: young }]);
    const rows = await audit(ada, 'subjectId=retention');
    expect(rows[0]).toMatchObject({ actor: `user ${ada.name}`, action: 'retention.run' });
    const { nextRunAt } = before;
    expect(new Date(nextRunAt).getTime() % 3_600_000).toBe(0);
    expect(new Date(nextRunAt).getTime()).toBeGreaterThan(clock.now().getTime());
  });

  test('deletes so much in one request, and says that there is more', async () => {
    for (let n = 0; n < 3; n += 1) {
      await app.sql(
        `insert into candidate (id, created_at)
         select gen_random_uuid(), $1::timestamptz - interval '40 days' from generate_series(1, 70) returning id`,
        [clock.now()],
      );
    }

    const first = await ada.request('POST', '/api/v1/retention/run');
    const second = await ada.request('POST', '/api/v1/retention/run');

    expect(await first.json()).toMatchObject({ deleted: { not_started: 200 }, hasMore: true });
    expect(await second.json()).toMatchObject({ deleted: { not_started: 10 }, hasMore: false });
  });

  test('is begun by nobody but an admin who has just shown the password', async () => {
    const vacancyIds = [app.vacancy.id];
    const run = (headers: Record<string, string>) =>
      fetch(`${app.url}/api/v1/retention/run`, { method: 'POST', headers });
    const outcomes = [
      await rex.request('POST', '/api/v1/retention/run'),
      await run(bearer(await makeKey(app))),
      await run(bearer({ token: ADMIN_TOKEN })),
    ];
    const limited = await fetch(`${app.url}/api/v1/retention`, {
      headers: bearer(await makeKey(app, { vacancyIds })),
    });
    clock.advance(11 * 60_000);
    outcomes.push(await ada.request('POST', '/api/v1/retention/run'));

    expect(await Promise.all(outcomes.map(outcomeOf))).toEqual([
      ...Array<string>(3).fill('403 scope_missing'),
      '403 password_needed',
    ]);
    expect(await outcomeOf(limited)).toBe('403 beyond_key');
  });
});
