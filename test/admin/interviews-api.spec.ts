import type { Tx } from '../../src/common/uow';
import {
  INTERVIEW_STAGES,
  type InterviewFilter,
  InterviewListRepository,
  WaitingListRepository,
} from '../../src/interview';
import { INVITATION_STATES, OneInvitation } from '../../src/invitations';
import { CandidateRecordsRepository } from '../../src/privacy';
import { type ApiClient, type ApiSchemas, apiClient } from '../../tools/api-client';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

const ADMIN = { token: ADMIN_TOKEN };

interface InvitationJson {
  readonly id: string;
  readonly state: string;
  readonly interviewId: string | null;
  readonly candidate: { readonly id: string; readonly name: string | null };
  readonly externalId: string | null;
  readonly metadata: object;
  readonly validUntil: string;
  readonly link?: { readonly web: string; readonly telegram: string | null; readonly pin: string };
}

interface InterviewJson {
  readonly id: string;
  readonly state: string;
  readonly vacancy: string;
  readonly externalId: string | null;
  readonly candidate: { readonly name: string | null };
}

interface Page<Item> {
  readonly items: readonly Item[];
  readonly cursor: string | null;
}

type InterviewPage = ApiSchemas['InterviewListDto_Output'];

let app: TestApp;
let admin: ApiClient;

beforeAll(async () => {
  app = await startTestApp({ isWorking: false, env: { ADMIN_TOKEN } });
  admin = apiClient(app.url, ADMIN_TOKEN);
  await app.addVacancy({ slug: 'butcher' });
});

afterAll(() => app.close());

async function get<Body>(place: string, by: { readonly token: string } = ADMIN): Promise<Body> {
  const response = await fetch(`${app.url}/api/v1/${place}`, { headers: bearer(by) });
  expect(response.status).toBe(200);
  return (await response.json()) as Body;
}

function post(place: string, body: object = {}, headers: object = {}): Promise<Response> {
  return fetch(`${app.url}/api/v1/${place}`, {
    method: 'POST',
    headers: { ...bearer(ADMIN), 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

async function invite(body: ApiSchemas['InvitationCreateDto'], slug = 'baker') {
  const { data, response } = await admin.POST('/api/v1/vacancies/{slug}/invitations', {
    params: { path: { slug } },
    body,
  });
  if (data === undefined) throw new Error(`no invitation: ${String(response.status)}`);
  return data;
}

/** Candidates `Many n` from this number on, each with an interview and an invitation of an external id. */
async function addMany(first: number, count: number): Promise<void> {
  await app.sql(
    `with many as (
       insert into candidate (id, name) select gen_random_uuid(), 'Many ' || n
       from generate_series($2::int, $2::int + $3::int - 1) n returning id, name),
     interviews as (
       insert into conversation (id, vacancy_id, candidate_id, language, plan, state, status)
       select gen_random_uuid(), $1, id, 'en', '{"questions": []}', '{}', 'active' from many)
     insert into invitation (id, vacancy_id, candidate_id, token_hash, expires_at, external_id)
     select gen_random_uuid(), $1, id, name, now() + interval '1 day', 'ext ' || name
     from many returning id`,
    [app.vacancy.id, first, count],
  );
}

function open({ link }: Required<InvitationJson>): Promise<TestCandidate> {
  return TestCandidate.arrive(app, link.web.split('/').at(-1));
}

describe('invitations', () => {
  test('one is made with its links, opened by its candidate, listed and read', async () => {
    const { link, ...invitation } = await invite({
      name: 'Grace Hopper',
      externalId: 'crm-1',
      metadata: { list: 7 },
    });

    expect(invitation).toMatchObject({
      state: 'invited',
      interviewId: null,
      externalId: 'crm-1',
      metadata: { list: 7 },
      candidate: { name: 'Grace Hopper' },
    });
    expect(link.pin).toMatch(/^\d{4}-\d{4}-\d{4}$/);
    expect(await get(`invitations/${invitation.id}`)).toEqual(invitation);
    const candidate = await open({ ...invitation, link });
    const opened = await get<InvitationJson>(`invitations/${invitation.id}`);
    expect(opened).toEqual({
      ...invitation,
      state: 'opened',
      interviewId: candidate.conversationId,
      interviewState: 'opened',
    });
    const ids = async (query: string) =>
      (await get<Page<InvitationJson>>(`invitations?${query}`)).items.map(({ id }) => id);
    for (const query of [
      'text=hop',
      'text=crm-1',
      'state=opened&vacancy=baker',
      'text=gr%20HOPPER',
    ]) {
      expect([query, await ids(query)]).toEqual([query, [invitation.id]]);
    }
    for (const query of ['text=opper', 'state=invited', 'vacancy=butcher', 'vacancy=none']) {
      expect([query, await ids(query)]).toEqual([query, []]);
    }
  });

  test.each<[string, object, string]>([
    ['nothing of a person', {}, '422 invitation_refused'],
    ['a damaged phone number', { name: 'Ann', phone: '7.9E+10' }, '422 invitation_refused'],
    ['a name of question marks', { name: '???' }, '422 invitation_refused'],
    [
      'an end after more than a year',
      { name: 'Ann', validUntil: '2036-01-01' },
      '422 invitation_refused',
    ],
    [
      'a day with two meanings',
      { name: 'Ann', validUntil: '05/06/2027' },
      '422 invitation_refused',
    ],
    ['an unknown field', { name: 'Ann', mail: 'a@example.org' }, '422 invalid_body'],
    [
      'an external id that another has',
      { name: 'Ann', externalId: 'crm-1' },
      '409 external_id_taken',
    ],
  ])('with %s is refused, and nobody is stored', async (_, body, refusal) => {
    const count = 'select count(*)::int as count from candidate';
    const before = await app.one(count);

    expect(await outcomeOf(await post('vacancies/baker/invitations', body))).toBe(refusal);
    expect(await app.one(count)).toEqual(before);
  });

  test('a repeated request with its Idempotency-Key gets the same links', async () => {
    const headers = { 'idempotency-key': 'once' };
    const first = await post('vacancies/baker/invitations', { name: 'Once' }, headers);
    const second = await post('vacancies/baker/invitations', { name: 'Once' }, headers);

    expect(await second.json()).toEqual(await first.json());
    const other = await post('vacancies/baker/invitations', { name: 'Two' }, headers);
    expect(await outcomeOf(other)).toBe('422 idempotency_key_reused');
  });

  test('one that is issued again has other links, and the old ones work no more', async () => {
    const first = await invite({ name: 'Lost', externalId: 'crm-2', metadata: { a: 1 } });

    const response = await post(`invitations/${first.id}/reissue`, {});
    const second = (await response.json()) as Required<InvitationJson>;

    expect(response.status).toBe(201);
    expect(second.id).not.toBe(first.id);
    expect(second).toMatchObject({ externalId: 'crm-2', metadata: { a: 1 }, state: 'invited' });
    expect(second.candidate).toEqual(first.candidate);
    await expect(open(first)).rejects.toThrow('410');
    await open(second);
    expect((await get<InvitationJson>(`invitations/${first.id}`)).state).toBe('revoked');
    const again = await post(`invitations/${first.id}/reissue`, {});
    expect(await outcomeOf(again)).toBe('409 invitation_revoked');
    const wrong = await post(`invitations/${second.id}/reissue`, { validUntil: 'soon' });
    expect(await outcomeOf(wrong)).toBe('422 invitation_refused');
  });

  test('of two that issue one again at the same time, one does', async () => {
    const { id } = await invite({ name: 'Twice' });
    const responses = await Promise.all([1, 2, 3].map(() => post(`invitations/${id}/reissue`, {})));

    const outcomes = await Promise.all(responses.map(outcomeOf));
    expect(outcomes.toSorted()).toEqual([
      '201',
      '409 invitation_revoked',
      '409 invitation_revoked',
    ]);
  });

  test('one that is revoked opens nothing, and signs its candidate out', async () => {
    const made = await invite({ name: 'Gone' });
    const candidate = await open(made);

    const revoked = (await (await post(`invitations/${made.id}/revoke`)).json()) as InvitationJson;

    expect(revoked.state).toBe('revoked');
    expect((await candidate.get('/api/v1/conversation')).status).toBe(401);
    await expect(open(made)).rejects.toThrow('410');
    expect((await post(`invitations/${made.id}/revoke`)).status).toBe(200);
    const unknown = await post(`invitations/${candidate.conversationId}/revoke`);
    expect(await outcomeOf(unknown)).toBe('404 invitation_unknown');
  });
});

describe('interviews', () => {
  const states = async (query = '') => {
    const { items } = await get<Page<InterviewJson>>(`interviews?vacancy=butcher&${query}`);
    return items.map(({ candidate, state }) => `${candidate.name ?? 'nobody'}: ${state}`);
  };

  /** An interview of the butcher in this state of its row. */
  async function interviewOf(name: string, changes = 'status = status'): Promise<string> {
    const candidate = await open(await invite({ name }, 'butcher'));
    const { conversationId } = candidate;
    await app.sql(`update conversation set ${changes} where id = $1 returning id`, [
      conversationId,
    ]);
    return conversationId;
  }

  test('each has one state, and is listed by it, the newest first', async () => {
    await interviewOf('Opened');
    await interviewOf('Started', "status = 'active', consent_accepted = true");
    const waiting = await interviewOf('Waiting', "status = 'active'");
    await app.sql(
      `insert into job (queue, key, state, first_at, due_at)
       values ('flush', $1, 'retry', now(), now() + interval '1 day') returning id`,
      [waiting],
    );
    await interviewOf('Asked', "status = 'active', owner = 'asked'");
    await interviewOf('Paused', "status = 'handed_over'");
    await interviewOf('Finished', "status = 'completed'");
    const scored = await interviewOf('Scored', "status = 'completed'");
    const decided = await interviewOf('Decided', "status = 'completed'");
    for (const id of [scored, decided]) {
      await app.sql(
        `insert into score_run (id, conversation_id, state, started_at)
         values (gen_random_uuid(), $1, 'done', now()) returning id`,
        [id],
      );
    }
    await app.sql(
      `insert into decision (candidate_id, decided_by, reason, decided_at)
       select candidate_id, 'Nora', 'A reason.', now() from conversation where id = $1 returning id`,
      [decided],
    );
    await interviewOf('Withdrawn', "status = 'withdrawn'");
    await interviewOf('Declined', "status = 'declined'");
    await interviewOf('Expired', "status = 'expired'");

    const all = await states();

    expect(all).toEqual([
      'Expired: expired',
      'Declined: withdrawn',
      'Withdrawn: withdrawn',
      'Decided: decided',
      'Scored: scored',
      'Finished: finished',
      'Paused: needs_person',
      'Asked: needs_person',
      'Waiting: waiting_for_us',
      'Started: started',
      'Opened: opened',
    ]);
    for (const state of new Set(all.map((one) => one.split(': ')[1] ?? ''))) {
      const expected = all.filter((one) => one.endsWith(`: ${state}`));
      expect([state, await states(`state=${state}`)]).toEqual([state, expected]);
    }
  });

  test('pages follow each other without a gap and without a repetition', async () => {
    const all = await states('limit=100');
    const paged: string[] = [];
    let cursor: string | null = null;
    do {
      const after: { cursor?: string } = cursor === null ? {} : { cursor };
      const query = { vacancy: 'butcher', limit: 3, ...after };
      const page: InterviewPage | undefined = (
        await admin.GET('/api/v1/interviews', { params: { query } })
      ).data;
      const items = page?.items ?? [];
      paged.push(...items.map(({ candidate, state }) => `${candidate.name ?? ''}: ${state}`));
      cursor = page?.cursor ?? null;
    } while (cursor !== null);

    expect(paged).toEqual(all);
  });

  test('they are found by text, and by the time at which they were opened', async () => {
    const { externalId, ...rest } = await invite(
      { name: 'Анна Ковалёва', externalId: 'ats/9' },
      'butcher',
    );
    const { conversationId } = await open({ ...rest, externalId });
    const ids = async (query: string) =>
      (await get<Page<InterviewJson>>(`interviews?${query}`)).items.map(({ id }) => id);
    const minute = (offset: number) =>
      new Date(app.realOrFakeClock.now().getTime() + offset * 60_000).toISOString();

    for (const query of [
      'text=ковал',
      'text=АННА',
      'text=Ковалева',
      'text=ковалёва',
      'text=ats/9',
    ]) {
      expect([query, await ids(query)]).toEqual([query, [conversationId]]);
    }
    for (const query of ["text='", 'text=%26', 'text=валёва', `since=${minute(2)}`]) {
      expect([query, await ids(query)]).toEqual([query, []]);
    }
    expect(await ids(`since=${minute(-600)}&limit=1`)).toEqual([conversationId]);
    expect(await ids(`until=${minute(-600)}`)).toEqual([]);
  });

  test('one is read with what its invitation is known by, its progress and its questions', async () => {
    const made = await invite({ name: 'Read', externalId: 'crm-9', metadata: { b: [1] } });
    const { conversationId } = await open(made);

    const { data: read } = await admin.GET('/api/v1/interviews/{id}', {
      params: { path: { id: conversationId } },
    });

    expect(read).toMatchObject({
      id: conversationId,
      state: 'opened',
      vacancy: 'baker',
      externalId: 'crm-9',
      metadata: { b: [1] },
      progress: { question: 1, of: 3, unanswered: [] },
      coverage: { counted: 'must-ask', of: 2, asked: 1, answered: 0 },
      completedAt: null,
    });
    expect(read?.questions.map(({ id, kind, state }) => [id, kind, state])).toEqual([
      ['last', 'open', 'not_asked'],
      ['why', 'open', 'not_asked'],
      ['early', 'knockout', 'not_asked'],
    ]);
  });

  test('a key of another vacancy lists and reads none of them', async () => {
    const { conversationId } = await open(await invite({ name: 'Hidden' }));
    const { id } = await app.addVacancy({ slug: 'elsewhere' });
    const key = await makeKey(app, { vacancyIds: [id] });

    expect(await get('interviews', key)).toEqual({ items: [], cursor: null });
    expect(await get('interviews?vacancy=baker', key)).toEqual({ items: [], cursor: null });
    expect(await get('invitations?text=Hidden', key)).toEqual({ items: [], cursor: null });
    const read = await fetch(`${app.url}/api/v1/interviews/${conversationId}`, {
      headers: bearer(key),
    });
    expect(await outcomeOf(read)).toBe('404 conversation_unknown');
  });

  test('a list of 30,000 reads few rows, whatever is asked for and however old', async () => {
    // In portions, each far below the time limit of statements.
    for (let first = 1; first <= 30_000; first += 2000) {
      await addMany(first, 2000);
      // Every interview that has ended is decided: two states have none of so many.
      await app.sql(
        `insert into decision (candidate_id, decided_by, reason, decided_at)
         select candidate_id, 'Nora', 'A reason.', now() from conversation where not is_decided`,
      );
    }
    await app.sql(
      `update conversation set status = 'completed' where id < '80000000-0000-0000-0000-000000000000'`,
    );
    await app.sql('analyze');
    const vacancyIds = [app.vacancy.id];
    const texts = [undefined, 'many 77', 'crm-1'];
    const plans: [object, string[]][] = [];
    for (const ids of [null, vacancyIds]) {
      for (const before of [undefined, '40000000-0000-0000-0000-000000000000']) {
        const page = { before, limit: 50 };
        const asked: Omit<InterviewFilter, 'vacancyIds'>[] = [
          ...texts.map((text) => ({ text })),
          { since: new Date(0), until: new Date() },
          ...INTERVIEW_STAGES.map((stage) => ({ stage })),
        ];
        for (const one of asked) {
          const filter = { vacancyIds: ids, ...one };
          const list = (tx: Tx) => app.get(InterviewListRepository).list(tx, filter, page);
          plans.push([{ filter, before }, await planOf(list)]);
        }
        for (const state of [undefined, ...INVITATION_STATES]) {
          const filter = { vacancyIds: ids, state };
          const list = (tx: Tx) => app.get(OneInvitation).list(tx, filter, page);
          plans.push([{ invitations: filter, before }, await planOf(list)]);
        }
      }
    }

    const waiting = (tx: Tx) =>
      app.get(WaitingListRepository).list(tx, { vacancyIds: null, limit: 50 });
    plans.push([{ waiting: true }, await planOf(waiting)]);
    const { id: few } = await app.addVacancy({ slug: 'few' });
    await app.sql(
      'update conversation set vacancy_id = $1 where id = (select id from conversation order by id desc limit 1) returning 1',
      [few],
    );
    const known = (tx: Tx) =>
      app.get(CandidateRecordsRepository).list(tx, { vacancyIds: [few] }, { limit: 50 });
    plans.push([{ candidates: true }, await planOf(known)]);

    const many = plans.flatMap(([asked, plan]) => {
      const lines = plan.filter((line) => rowsOf(line) > 1000);
      return lines.length === 0 ? [] : [[asked, lines]];
    });
    expect(many).toEqual([]);
  });

  /** How PostgreSQL runs the one statement of `list`. */
  async function planOf(list: (tx: Tx) => Promise<unknown>): Promise<string[]> {
    let rows: { 'QUERY PLAN': string }[] = [];
    const explaining = {
      query: async (text: string, values: unknown[]) => {
        rows = await app.sql(`explain (analyze, timing off, summary off) ${text}`, values);
        return [];
      },
    };
    await list(explaining as unknown as Tx);
    return rows.map((row) => row['QUERY PLAN']);
  }
});

/** How many rows a line of a plan says to have read or left out. */
function rowsOf(line: string): number {
  const counts = [...line.matchAll(/(?:actual rows=|Rows Removed by [\w ]+: )(\d+)/g)];
  return Math.max(0, ...counts.map(([, count]) => Number(count)));
}
