import { FakeClock } from '../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { bearer, makeKey, outcomeOf } from '../support/keys';
import { ADMIN_TOKEN } from '../support/secrets';
import { type TestUser, makeUser, signIn } from '../support/users';

const PASSWORD = 'seven green harbour cranes';
const MINUTE_MS = 60_000;

type Headers = Readonly<Record<string, string>>;

const clock = new FakeClock();
let app: TestApp;
let ada: TestUser;
let session: Headers;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false, env: { ADMIN_TOKEN } });
  ada = await makeUser(app, { role: 'admin', password: PASSWORD, name: 'Ada Lovelace' });
});

beforeEach(async () => {
  session = await signIn(app, ada);
});

afterAll(() => app.close());

function send(
  method: string,
  path: string,
  body?: unknown,
  { headers = session, at = app }: { headers?: Headers; at?: TestApp } = {},
): Promise<Response> {
  return fetch(`${at.url}/api/v1/${path}`, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function invite(
  body: unknown,
  headers: Headers = session,
): Promise<{ id: string; link: string }> {
  const response = await send('POST', 'users/invitations', body, { headers });
  expect(response.status).toBe(201);
  return (await response.json()) as { id: string; link: string };
}

describe('an admin', () => {
  test('invites a colleague, who joins, is listed, changed, shut out and let in, all by name in the audit', async () => {
    const before = await app.sql('select 1 from audit_event');
    const { link } = await invite({ role: 'recruiter', name: 'Nora Lindqvist' });
    expect(link).toMatch(/^http:\/\/localhost:3000\/console\/join\/[\w-]{32}$/);
    const token = link.split('/').at(-1) ?? '';
    const listed = (await (await send('GET', 'users')).json()) as { invitations: object[] };
    expect(listed.invitations).toMatchObject([
      {
        kind: 'invitation',
        name: 'Nora Lindqvist',
        role: 'recruiter',
        createdBy: 'user Ada Lovelace',
      },
    ]);
    expect(JSON.stringify(listed)).not.toContain(token);
    const person = { name: 'Nora Lindqvist', email: 'nora@example.org', password: PASSWORD };
    const joined = await send('POST', `team/links/${token}`, person, { headers: {} });
    const { user } = (await joined.json()) as { user: { id: string } };
    const nora = { cookie: joined.headers.getSetCookie()[0]?.split(';')[0] ?? '' };

    const { users, invitations } = (await (await send('GET', 'users')).json()) as {
      users: { name: string }[];
      invitations: object[];
    };
    expect(invitations).toEqual([]);
    expect(users).toMatchObject([
      { name: 'Ada Lovelace', role: 'admin', createdBy: 'the tests', disabledAt: null },
      { name: 'Nora Lindqvist', role: 'recruiter', createdBy: 'user Ada Lovelace', sessions: 1 },
    ]);
    const change = { role: 'interviewer', vacancies: [app.vacancy.slug] };
    expect(await (await send('PATCH', `users/${user.id}`, change)).json()).toMatchObject(change);
    const mine = await (await send('GET', 'team/session', undefined, { headers: nora })).json();
    expect(mine).toMatchObject({ user: change });
    expect((await send('DELETE', `users/${user.id}/sessions`)).status).toBe(204);
    expect(await outcomeOf(await send('GET', 'team/session', undefined, { headers: nora }))).toBe(
      '401 sign_in_needed',
    );
    for (const end of ['disable', 'enable', 'password-link']) {
      expect((await send('POST', `users/${user.id}/${end}`)).ok).toBe(true);
    }

    const audited = await app.sql<{ row: string }>(
      `select actor || ': ' || action as row from audit_event order by id offset $1`,
      [before.length],
    );
    expect(audited.map(({ row }) => row)).toEqual([
      'user Ada Lovelace: user.invite',
      'user Nora Lindqvist: user.create',
      'user Nora Lindqvist: user.sign_in',
      'user Ada Lovelace: user.change',
      'user Ada Lovelace: session.end',
      'user Ada Lovelace: user.disable',
      'user Ada Lovelace: user.enable',
      'user Ada Lovelace: user.password',
    ]);
    const ofNora = (await (await send('GET', `audit?subjectId=${user.id}`)).json()) as {
      events: object[];
    };
    expect(ofNora.events).toHaveLength(7);
  });

  test('revokes an invitation once', async () => {
    const { id, link } = await invite({ role: 'viewer' });

    expect(await outcomeOf(await send('DELETE', `users/invitations/${id}`))).toBe('204');
    expect(await outcomeOf(await send('DELETE', `users/invitations/${id}`))).toBe(
      '404 team_link_unknown',
    );
    expect(await outcomeOf(await send('DELETE', 'users/invitations/none'))).toBe(
      '404 team_link_unknown',
    );
    const token = link.split('/').at(-1) ?? '';
    expect(await outcomeOf(await send('GET', `team/links/${token}`))).toBe('410 team_link_ended');
  });

  test.each([
    ['an interviewer without vacancies', { role: 'interviewer' }, '422 user_vacancies_wrong'],
    [
      'a recruiter with vacancies',
      { role: 'recruiter', vacancies: ['baker'] },
      '422 user_vacancies_wrong',
    ],
    ['a vacancy that there is not', { role: 'viewer', vacancies: ['cook'] }, '404 vacancy_unknown'],
    ['a role that there is not', { role: 'boss' }, '422 invalid_body'],
    ['a name that is taken', { role: 'viewer', name: 'ADA LOVELACE' }, '409 user_name_taken'],
    ['a name without letters', { role: 'viewer', name: '...' }, '422 invalid_body'],
  ])('does not invite %s', async (_, body, outcome) => {
    expect(await outcomeOf(await send('POST', 'users/invitations', body))).toBe(outcome);
  });

  test('is the last one, and stays an admin', async () => {
    const refused = '409 last_admin';
    expect(await outcomeOf(await send('PATCH', `users/${ada.id}`, { role: 'viewer' }))).toBe(
      refused,
    );
    expect(await outcomeOf(await send('POST', `users/${ada.id}/disable`))).toBe(refused);
  });
});

describe('a request with the cookie of a person', () => {
  const host = () => new URL(app.url).host;

  test.each<[string, () => Headers, string]>([
    ['says nothing of its page', () => ({}), '403 origin_refused'],
    ['is from another site', () => ({ 'sec-fetch-site': 'cross-site' }), '403 origin_refused'],
    [
      'is from another host of the same site',
      () => ({ 'sec-fetch-site': 'same-site' }),
      '403 origin_refused',
    ],
    ['names another origin', () => ({ origin: 'https://evil.example' }), '403 origin_refused'],
    ['names no origin', () => ({ origin: 'null' }), '403 origin_refused'],
    ['is from a page of the same origin', () => ({ 'sec-fetch-site': 'same-origin' }), '204'],
    ['names the own host', () => ({ origin: `http://${host()}` }), '204'],
  ])('that %s', async (_, headers, outcome) => {
    const { cookie } = session as { cookie: string };
    const others = { headers: { cookie, ...headers() } };

    expect(await outcomeOf(await send('DELETE', 'team/sessions', undefined, others))).toBe(outcome);
    expect(await outcomeOf(await send('GET', 'team/session', undefined, others))).toBe('200');
  });

  test('of another site signs nobody out', async () => {
    const { cookie } = session as { cookie: string };
    const headers = { cookie, 'sec-fetch-site': 'cross-site' };

    const left = await send('DELETE', 'team/session', undefined, { headers });

    expect(await outcomeOf(left)).toBe('403 origin_refused');
    expect(await outcomeOf(await send('GET', 'team/session'))).toBe('200');
  });

  test('is of whoever the bearer names, if it has one too; a password of a proxy is none', async () => {
    const key = await makeKey(app, { scopes: ['vacancies:read'] });

    const withKey = { headers: { ...session, ...bearer(key) } };
    expect(await outcomeOf(await send('GET', 'users', undefined, withKey))).toBe(
      '403 scope_missing',
    );
    const wrong = { headers: { ...session, ...bearer({ token: 'wrong' }) } };
    expect(await outcomeOf(await send('GET', 'users', undefined, wrong))).toBe(
      '401 admin_token_wrong',
    );
    const proxied = { headers: { ...session, authorization: 'Basic YTpi' } };
    expect(await outcomeOf(await send('GET', 'users', undefined, proxied))).toBe('200');
  });

  test('counts against the limit of its user alone', async () => {
    const limited = await startReplica(app, {
      env: { ADMIN_TOKEN, RATE_LIMIT_OF_KEY_PER_MINUTE: '2' },
    });
    try {
      const grace = await makeUser(app, { role: 'viewer' });
      const graces = await signIn(app, grace);
      const ask = async (headers: Headers) =>
        outcomeOf(await send('GET', 'team/session', undefined, { headers, at: limited }));

      const outcomes = [await ask(session), await ask(session), await ask(session)];

      expect(outcomes).toEqual(['200', '200', '429 too_many_requests']);
      // Another session of the same user is no way round it.
      expect(await ask(await signIn(app, ada))).toBe('429 too_many_requests');
      expect(await ask(graces)).toBe('200');
    } finally {
      await limited.close();
    }
  });

  test('is told apart from the same one of another user, and repeated once for its own', async () => {
    const grace = await signIn(app, await makeUser(app, { role: 'admin' }));
    const key = { 'idempotency-key': 'one-for-both' };
    const body = { role: 'viewer', name: 'Somebody New' };

    const first = await invite(body, { ...session, ...key });
    const { cookie } = session as { cookie: string };
    const again = await invite(body, { ...session, cookie: `theme=dark; ${cookie}`, ...key });
    const others = await invite(body, { ...grace, ...key });

    expect(again).toEqual(first);
    expect(others.id).not.toBe(first.id);
  });
});

describe('an operation that needs the password again', () => {
  const operations: readonly (readonly [string, string, unknown])[] = [
    ['POST', 'keys', { name: 'crm', scopes: ['vacancies:read'] }],
    ['POST', 'keys/ID/revoke', undefined],
    ['GET', 'admin/candidates/ID/export', undefined],
    ['POST', 'admin/candidates/ID/erase', undefined],
    ['POST', 'decisions/1/export', undefined],
    ['POST', 'users/invitations', { role: 'viewer' }],
    ['DELETE', 'users/invitations/ID', undefined],
    ['PATCH', 'users/ID', { role: 'viewer' }],
    ['POST', 'users/ID/disable', undefined],
    ['POST', 'users/ID/enable', undefined],
    ['DELETE', 'users/ID/sessions', undefined],
    ['POST', 'users/ID/password-link', undefined],
  ];
  const NOBODY = '019aa3c1-5b0e-7c3a-9d14-2f6f0c1b7a55';

  test('is refused ten minutes after the sign-in, and says how the user signs in', async () => {
    clock.advance(10 * MINUTE_MS);
    for (const [method, path, body] of operations) {
      const response = await send(method, path.replace('ID', NOBODY), body);
      expect([path, response.status, await response.json()]).toMatchObject([
        path,
        403,
        { code: 'password_needed', details: { method: 'password' } },
      ]);
    }
    expect(await outcomeOf(await send('GET', 'users'))).toBe('200');
  });

  test('is allowed after the password was shown, on every replica, for ten minutes', async () => {
    const other = await startReplica(app);
    try {
      clock.advance(10 * MINUTE_MS);
      const list = () => send('POST', `users/${NOBODY}/enable`, undefined, { at: other });
      expect(await outcomeOf(await list())).toBe('403 password_needed');

      const wrong = await send('POST', 'team/session/confirm', { password: 'wrong' });
      expect(await outcomeOf(wrong)).toBe('401 sign_in_wrong');
      expect(await outcomeOf(await list())).toBe('403 password_needed');
      const right = await send('POST', 'team/session/confirm', { password: PASSWORD });
      expect(await right.json()).toMatchObject({
        confirmedUntil: new Date(clock.now().getTime() + 10 * MINUTE_MS).toISOString(),
      });

      // At once, whether or not the signal has arrived there.
      expect(await outcomeOf(await list())).toBe('404 user_unknown');
      clock.advance(10 * MINUTE_MS - 1);
      expect(await outcomeOf(await list())).toBe('404 user_unknown');
      clock.advance(1);
      expect(await outcomeOf(await list())).toBe('403 password_needed');
      expect(await (await send('GET', 'team/session')).json()).toMatchObject({
        confirmedUntil: null,
      });
    } finally {
      await other.close();
    }
  });

  test('does not ask keys and tokens, which have no password', async () => {
    clock.advance(10 * MINUTE_MS);
    for (const headers of [bearer(await makeKey(app)), bearer({ token: ADMIN_TOKEN })]) {
      const response = await send('GET', `admin/candidates/${NOBODY}/export`, undefined, {
        headers,
      });
      expect(await outcomeOf(response)).toBe('404 candidate_unknown');
    }
  });
});

test('keys and tokens are nobody who has signed in, and change no users', async () => {
  for (const headers of [bearer(await makeKey(app)), bearer({ token: ADMIN_TOKEN })]) {
    const ask = async (path: string) => outcomeOf(await send('GET', path, undefined, { headers }));
    expect(await ask('team/session')).toBe('403 user_needed');
    expect(await ask('team/sessions')).toBe('403 user_needed');
    expect(await ask('users')).toBe('403 scope_missing');
  }
});

test('the page of the sign-in learns what it may offer, without a session', async () => {
  const ways = await send('GET', 'team/sign-in', undefined, { headers: {} });

  expect(await ways.json()).toEqual({ password: true, oidc: null, company: app.vacancy.company });
});
