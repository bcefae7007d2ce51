import { hashToken } from '../../src/common/ids';
import { PersonalDataService } from '../../src/privacy';
import { HiringDecisions } from '../../src/scoring';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { type Colleague, colleague } from '../support/colleague';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';

interface Subject {
  readonly id: string;
  readonly candidateId: string;
}

const BODY = { isAdverse: true, reason: 'Two of the must-haves are missing.' };

let app: TestApp;
let nora: Colleague;
let omar: Colleague;

beforeAll(async () => {
  app = await startTestApp({ isWorking: false, env: { ADMIN_TOKEN } });
  nora = await colleague(app, { name: 'Nora', role: 'recruiter' });
  omar = await colleague(app, { name: 'Omar', role: 'recruiter' });
});

afterAll(() => app.close());

async function interview(vacancy = app.vacancy): Promise<Subject> {
  const { conversationId: id } = await TestCandidate.begin({ url: app.url, vacancy });
  const { candidateId } = await app.one<{ candidateId: string }>(
    'select candidate_id as "candidateId" from conversation where id = $1',
    [id],
  );
  return { id, candidateId };
}

const placeOf = ({ id }: Subject): string => `/api/v1/interviews/${id}/decisions`;

/** `seen`: the ETag of what the user has read. */
function decide(
  by: Colleague,
  of: Subject,
  { seen = '"none"', key, body = BODY }: { seen?: string; key?: string; body?: object } = {},
): Promise<Response> {
  const headers = { 'if-match': seen, ...(key === undefined ? {} : { 'idempotency-key': key }) };
  return by.request('POST', placeOf(of), { body, headers });
}

async function read(by: Colleague, of: Subject) {
  const response = await by.request('GET', placeOf(of));
  const { items } = (await response.json()) as {
    items: { id: string; decidedBy: string; reason: string; isAdverse: boolean }[];
  };
  return { items, etag: response.headers.get('etag') ?? '' };
}

async function stored({ candidateId }: Subject): Promise<number> {
  const { count } = await app.one<{ count: number }>(
    'select count(*)::int as count from decision where candidate_id = $1',
    [candidateId],
  );
  return count;
}

async function audited({ candidateId }: Subject): Promise<string[]> {
  const rows = await app.sql<{ line: string }>(
    `select actor || ': ' || action as line from audit_event where subject_hash = $1 order by id`,
    [hashToken(candidateId)],
  );
  return rows.map(({ line }) => line);
}

test('a user decides under their own name, with a reason, and everybody reads it afterwards', async () => {
  const subject = await interview();

  const made = await decide(nora, subject);

  expect(made.status).toBe(201);
  const { id } = (await made.json()) as { id: string };
  const { items, etag } = await read(omar, subject);
  expect(items).toMatchObject([{ id, decidedBy: 'Nora', ...BODY }]);
  expect(etag).toBe(`"${id}"`);
  expect(await audited(subject)).toEqual(['user Nora: decision.write', 'user Omar: decision.read']);
  const { name } = await app.one<{ name: string }>(
    'select u.name from decision d join app_user u on u.id = d.user_id where d.id = $1',
    [id],
  );
  expect(name).toBe('Nora');
});

test('of two who decide at once one wins, and the other is told who, when and which way', async () => {
  const subject = await interview();

  const responses = await Promise.all([
    decide(nora, subject),
    decide(omar, subject, { body: { isAdverse: false, reason: 'Strong.' } }),
  ]);

  const [won, lost] = await Promise.all(
    responses
      .toSorted((a, b) => a.status - b.status)
      .map(async (one) => ({
        status: one.status,
        body: (await one.json()) as Readonly<Record<string, unknown>>,
      })),
  );
  expect([won?.status, lost?.status]).toEqual([201, 409]);
  const { decidedBy, isAdverse } = won?.body ?? {};
  const way = isAdverse === true ? 'against the candidate' : "in the candidate's favour";
  expect(lost?.body).toMatchObject({
    code: 'decided_meanwhile',
    title: expect.stringMatching(
      new RegExp(
        `^${String(decidedBy)} has decided ${way} on \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC\\.`,
      ),
    ) as string,
  });
  expect(await stored(subject)).toBe(1);
});

test('who has read the decision of another may decide after it, and both stay', async () => {
  const subject = await interview();
  await decide(nora, subject);
  const { etag } = await read(omar, subject);

  const later = await decide(omar, subject, { seen: etag });

  expect(later.status).toBe(201);
  const { items } = await read(nora, subject);
  expect(items.map(({ decidedBy }) => decidedBy)).toEqual(['Omar', 'Nora']);
});

test('a decision of the command line counts as one of another person', async () => {
  const subject = await interview();
  const { candidateId } = subject;
  const of = { candidateId, by: 'Vera', reason: 'Invited.', isAdverse: false };
  await app.commit((tx) => app.get(HiringDecisions).record(tx, of));

  const response = await decide(nora, subject);

  expect(await outcomeOf(response)).toBe('409 decided_meanwhile');
  expect(await stored(subject)).toBe(1);
});

test('a repeat with its Idempotency-Key gets the first response and decides nothing anew', async () => {
  const subject = await interview();

  const first = await decide(nora, subject, { key: 'decide-1' });
  const repeated = await decide(nora, subject, { key: 'decide-1' });

  expect([first.status, repeated.status]).toEqual([201, 201]);
  expect(repeated.headers.get('idempotent-replayed')).toBe('true');
  expect(await repeated.json()).toEqual(await first.json());
  expect(await stored(subject)).toBe(1);
  expect(await audited(subject)).toEqual(['user Nora: decision.write']);
});

test.each(['', '*', '"abc"', 'none'])(
  'without a version that was read (%s) nothing is decided',
  async (seen) => {
    const subject = await interview();

    const response = await decide(nora, subject, { seen });

    expect(await outcomeOf(response)).toBe('428 if_match_missing');
    expect(await stored(subject)).toBe(0);
  },
);

test.each([{ isAdverse: true }, { reason: 'Why.' }, { isAdverse: true, reason: ' ' }])(
  'an incomplete decision is refused: %j',
  async (body) => {
    const subject = await interview();

    expect(await outcomeOf(await decide(nora, subject, { body }))).toBe('422 invalid_body');
    expect(await stored(subject)).toBe(0);
  },
);

test('about a candidate who is erased meanwhile nothing is decided and nothing is left', async () => {
  const subject = await interview();
  const { candidateId } = subject;

  const [outcome] = await Promise.all([
    decide(nora, subject).then(outcomeOf),
    app.commit((tx) => app.get(PersonalDataService).erase(tx, candidateId)),
  ]);

  expect(['201', '404 conversation_unknown']).toContain(outcome);
  expect(await stored(subject)).toBe(0);
  expect(await outcomeOf(await decide(nora, subject))).toBe('404 conversation_unknown');
});

test('with a limit to vacancies nobody decides for another vacancy', async () => {
  const smith = await app.addVacancy({ slug: 'smith' });
  const limited = await colleague(app, { name: 'Lena', role: 'recruiter' });
  // No role of today decides and is limited.
  await app.sql(
    `update app_user set vacancy_ids = array[$1::uuid] where name = 'Lena' returning id`,
    [smith.id],
  );
  const [theirs, ours, both] = [
    await interview(),
    await interview(smith),
    await interview(smith),
  ] as const;
  await app.sql(
    `insert into conversation (id, vacancy_id, candidate_id, language, plan, state, status)
     values (gen_random_uuid(), $1, $2, 'en', '{"questions": []}', '{}', 'active') returning id`,
    [app.vacancy.id, both.candidateId],
  );

  const outcomes = [];
  for (const subject of [theirs, ours, both]) {
    outcomes.push(await outcomeOf(await decide(limited, subject)));
  }

  expect(outcomes).toEqual(['404 conversation_unknown', '201', '403 beyond_key']);
  expect([await stored(theirs), await stored(both)]).toEqual([0, 0]);
});

test('an interviewer, a viewer, a key with every scope and the admin token decide nothing', async () => {
  const subject = await interview();
  const vacancyIds = [app.vacancy.id];
  const ida = await colleague(app, { name: 'Ida', role: 'interviewer', vacancyIds });
  const vic = await colleague(app, { name: 'Vic', role: 'viewer', vacancyIds });
  const byToken = (token: string) =>
    fetch(app.url + placeOf(subject), {
      method: 'POST',
      headers: { ...bearer({ token }), 'content-type': 'application/json', 'if-match': '"none"' },
      body: JSON.stringify(BODY),
    });
  const { token } = await makeKey(app);

  const responses = [
    await decide(ida, subject),
    await decide(vic, subject),
    await byToken(token),
    await byToken(ADMIN_TOKEN),
  ];

  expect(await Promise.all(responses.map(outcomeOf))).toEqual(Array(4).fill('403 scope_missing'));
  expect(await stored(subject)).toBe(0);
});
