import { FakeClock } from '../../tools/support/fake-clock';
import { UserLinks, Users } from '../../src/access';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { BentProvider } from '../support/bent-provider';
import { outcomeOf } from '../support/keys';
import { CLIENT, RealProvider } from '../support/identity-provider';
import { TeamBrowser } from '../support/team-browser';

/* Colleagues sign in by a real provider, the package oidc-provider, which runs in a process of its own. */

const PUBLIC_URL = 'https://interviews.example.org';
const CALLBACK = '/api/v1/team/oidc/callback';
const ADA = { name: 'Ada Lovelace', email: 'ada@example.org', roles: ['boss'] };
const BOB = { name: 'Bob Crane', email: 'bob@example.org', roles: ['hr'] };
const NOBODY = { name: 'Nils Nobody', email: 'nils@example.org', roles: ['cook'] };

const clock = new FakeClock();
let provider: RealProvider;
let app: TestApp;

function envAt(issuer: string): Record<string, string> {
  return {
    PUBLIC_URL,
    TRUST_PROXY: '1',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: 'boss=admin,hr=recruiter,guest=viewer,lead=interviewer',
  };
}

beforeAll(async () => {
  provider = await RealProvider.start({ callbackUrls: [PUBLIC_URL + CALLBACK] });
  app = await startTestApp({ clock, isWorking: false, env: envAt(provider.issuer) });
});

beforeEach(async () => {
  await provider.setPeople({ ada: ADA, bob: BOB, nils: NOBODY });
  // Wrong codes are counted by the minute.
  clock.advance(60_000);
});

afterAll(async () => {
  await app.close();
  await provider.close();
});

function browserAt(of: TestApp = app): TeamBrowser {
  return new TeamBrowser(of.url, PUBLIC_URL);
}

interface Session {
  readonly user: {
    readonly id: string;
    readonly name: string;
    readonly email: string | null;
    readonly role: string;
    readonly vacancies: readonly string[] | null;
  };
  readonly method: string;
  readonly confirmedUntil: string | null;
}

/** Who is signed in with this browser; null: nobody. */
async function sessionOf(browser: TeamBrowser): Promise<Session | null> {
  const response = await browser.get('/api/v1/team/session');
  const body = (await response.json()) as Session;
  return response.status === 200 ? body : null;
}

async function signedIn(person: string): Promise<{ browser: TeamBrowser; session: Session }> {
  const browser = browserAt();
  await browser.signIn(`account=${person}`);
  const session = await sessionOf(browser);
  if (session === null) throw new Error(`${person} is not signed in`);
  return { browser, session };
}

function problem(code: string): string {
  return `/console/sign-in?problem=${code}`;
}

async function userRows(): Promise<number> {
  return (await app.one<{ n: number }>('select count(*)::int as n from app_user')).n;
}

test('a person signs in, becomes a user with the role of the claim, and gets to where they wanted', async () => {
  const browser = browserAt();

  const place = await browser.signIn('account=ada', '?returnTo=/console/interviews?state=scored');

  expect(place).toBe('/console/interviews?state=scored');
  expect(await sessionOf(browser)).toMatchObject({
    user: { name: ADA.name, email: ADA.email, role: 'admin', vacancies: null },
    method: 'oidc',
    confirmedUntil: null,
  });
  const audited = await app.sql<{ said: string }>(
    `select actor || ': ' || action as said from audit_event where actor like 'user Ada%' order by id`,
  );
  expect(audited.map(({ said }) => said)).toEqual([
    'user Ada Lovelace: user.create',
    'user Ada Lovelace: user.sign_in',
  ]);
});

test('the same subject is the same user, with the role that the provider names now', async () => {
  const before = await signedIn('bob');
  await provider.setPeople({ bob: { ...BOB, name: 'Robert Crane', roles: ['guest', 'boss'] } });
  const after = await signedIn('bob');

  expect(before.session.user.role).toBe('recruiter');
  expect(after.session.user).toMatchObject({ id: before.session.user.id, role: 'admin' });
  // The audit has the name, so it stays.
  expect(after.session.user.name).toBe('Bob Crane');
  expect((await sessionOf(before.browser))?.user.role).toBe('admin');
});

test('who has no role at the provider is not let in, and no user is made', async () => {
  const users = await userRows();
  await provider.setPeople({ nils: NOBODY, nora: { name: 'Nora' } });
  const [without, unmapped] = [browserAt(), browserAt()];

  expect(await without.signIn('account=nora')).toBe(problem('oidc_role_missing'));
  expect(await unmapped.signIn('account=nils')).toBe(problem('oidc_role_missing'));
  expect(await sessionOf(without)).toBeNull();
  expect(without.own).toEqual([]);
  expect(await userRows()).toBe(users);
});

test('who loses the role is not let in again', async () => {
  const { browser } = await signedIn('bob');
  await provider.setPeople({ bob: { ...BOB, roles: [] } });

  expect(await browserAt().signIn('account=bob')).toBe(problem('oidc_role_missing'));
  expect(await sessionOf(browser)).not.toBeNull();
});

test('the role is taken from userinfo where the ID token lacks the claim', async () => {
  await provider.setAccounts({
    carol: { idToken: {}, userinfo: { name: 'Carol Shaw', email: 'c@example.org', roles: ['hr'] } },
  });
  const { session } = await signedIn('carol');

  expect(session.user).toMatchObject({ name: 'Carol Shaw', role: 'recruiter' });
});

test('an interviewer begins without vacancies and keeps those that an admin names', async () => {
  await provider.setPeople({ lea: { name: 'Lea Lead', roles: ['lead'] } });
  const first = await signedIn('lea');
  expect(first.session.user).toMatchObject({ role: 'interviewer', vacancies: [] });

  await app.commit(async (tx) => {
    const users = app.get(Users);
    const user = await users.get(tx, first.session.user.id);
    await users.change(tx, user, { vacancyIds: [app.vacancy.id] });
  });

  const again = await signedIn('lea');
  expect(again.session.user.vacancies).toEqual([app.vacancy.slug]);
});

test('two tabs at once both sign in', async () => {
  const browser = browserAt();
  const first = await browser.toCallback('/api/v1/team/oidc?returnTo=/console/a', 'account=ada');
  const second = await browser.toCallback('/api/v1/team/oidc?returnTo=/console/b', 'account=ada');

  expect(await browser.follow(first)).toBe('/console/a');
  expect(await browser.follow(second)).toBe('/console/b');
});

test('a sign-in that has begun is good for one use', async () => {
  const browser = browserAt();
  const callback = await browser.toCallback('/api/v1/team/oidc', 'account=ada');
  const copied = browser.copy();

  expect(await browser.follow(callback)).toBe('/console');
  expect(await browser.follow(callback)).toBe(problem('oidc_expired'));
  // The provider knows the code no more, whatever cookies somebody has kept.
  expect(await copied.follow(callback)).toBe(problem('oidc_failed'));
});

test('a sign-in is good in the browser in which it began only, and for ten minutes', async () => {
  const browser = browserAt();
  const stolen = await browser.toCallback('/api/v1/team/oidc', 'account=ada');
  const late = await browser.toCallback('/api/v1/team/oidc', 'account=ada');

  expect(await browserAt().follow(stolen)).toBe(problem('oidc_expired'));
  clock.advance(600_001);
  expect(await browser.follow(late)).toBe(problem('oidc_expired'));
});

test('the cookie of a sign-in is sent to the callback only, over https, for ten minutes', async () => {
  const browser = browserAt();
  await browser.get('/api/v1/team/oidc');
  const [cookie, ...others] = browser.own;

  expect(others).toEqual([]);
  expect(cookie?.name).toMatch(/^__Secure-colloquy_oidc_[0-9a-f]{16}$/);
  expect([...(cookie?.attributes ?? [])].sort()).toEqual([
    'HttpOnly',
    'Max-Age=600',
    `Path=${CALLBACK}`,
    'SameSite=Lax',
    'Secure',
  ]);
});

test('a sign-in leads to pages of the console only', async () => {
  for (const elsewhere of ['//evil.example/console', '/\\evil.example', 'https://evil.example']) {
    const query = `?returnTo=${encodeURIComponent(elsewhere)}`;
    expect(await browserAt().signIn('account=ada', query)).toBe('/console');
  }
});

test('who says no at the provider is told so', async () => {
  expect(await browserAt().signIn('deny=1')).toBe(problem('oidc_denied'));
});

test('a disabled user stays out', async () => {
  await provider.setPeople({ dora: { name: 'Dora Dean', roles: ['hr'] } });
  const { browser, session } = await signedIn('dora');
  await app.commit(async (tx) => {
    const users = app.get(Users);
    await users.disable(tx, await users.get(tx, session.user.id));
  });

  expect(await browserAt().signIn('account=dora')).toBe(problem('user_disabled'));
  expect(await sessionOf(browser)).toBeNull();
});

describe('nobody is found by an address', () => {
  test('a user with a password and the same address is another user', async () => {
    const email = 'eve@example.org';
    const known = await app.commit((tx) =>
      app.get(Users).create(tx, {
        name: 'Eve Known',
        email,
        role: 'viewer',
        vacancyIds: null,
        createdBy: 'the tests',
        passwordHash: 'no hash',
        identity: null,
      }),
    );
    await provider.setPeople({ eve: { name: 'Eve Known', email, roles: ['boss'] } });
    const { session } = await signedIn('eve');

    expect(session.user.id).not.toBe(known.id);
    expect(session.user).toMatchObject({ name: 'Eve Known (2)', email: null, role: 'admin' });
    const kept = await app.commit((tx) => app.get(Users).get(tx, known.id));
    expect(kept).toMatchObject({ email, role: 'viewer', method: 'password' });
  });

  test('two people of two providers with one subject and one address are two users', async () => {
    const other = await RealProvider.start({ callbackUrls: [PUBLIC_URL + CALLBACK] });
    await other.setPeople({ ada: ADA });
    const replica = await startReplica(app, { env: envAt(other.issuer) });
    const { session: here } = await signedIn('ada');
    const browser = browserAt(replica);
    await browser.signIn('account=ada');
    const there = await sessionOf(browser);
    await other.close();

    expect(there?.user.name).toBe('Ada Lovelace (2)');
    expect(there?.user.id).not.toBe(here.user.id);
  });
});

describe('a person confirms who they are', () => {
  const CONFIRM = '?confirm=true&returnTo=/console/exports';

  test('by signing in at the provider again', async () => {
    const { browser } = await signedIn('ada');
    expect(await browser.signIn('account=ada', CONFIRM)).toBe('/console/exports');

    const session = await sessionOf(browser);
    expect(session?.confirmedUntil).toBe(new Date(clock.now().getTime() + 600_000).toISOString());
  });

  test('as the same person only', async () => {
    const { browser } = await signedIn('ada');
    browser.forgetProvider();
    expect(await browser.signIn('account=bob', CONFIRM)).toBe(problem('oidc_subject_differs'));
    expect((await sessionOf(browser))?.confirmedUntil).toBeNull();
    expect((await sessionOf(browser))?.user.name).toBe(ADA.name);
  });

  test('with a session only', async () => {
    expect(await browserAt().signIn('account=ada', CONFIRM)).toBe(problem('sign_in_needed'));
  });
});

test('nothing of tokens, claims or codes is in the log', async () => {
  const browser = browserAt();
  const callback = await browser.toCallback('/api/v1/team/oidc', 'account=ada');
  const copied = browser.copy();
  await browser.follow(callback);
  await copied.follow(callback);
  await browserAt().signIn('account=nils');
  const lines = app.log.lines.join('\n');

  // Somebody was refused, so something was logged.
  expect(lines).toContain('single sign-on');
  for (const text of [
    callback.searchParams.get('code') ?? '',
    callback.searchParams.get('state') ?? '',
    CLIENT.secret,
    'Nobody',
    'example.org',
    'cook',
    'eyJ',
  ]) {
    expect(lines).not.toContain(text);
  }
});

test('too many wrong codes from one network are refused before the provider is asked', async () => {
  const browser = new TeamBrowser(app.url, PUBLIC_URL, '198.51.100.7');
  const outcomes: string[] = [];
  for (let n = 0; n < 11; n += 1) {
    const callback = await browser.toCallback('/api/v1/team/oidc', 'account=ada');
    callback.searchParams.set('code', 'wrong');
    outcomes.push(await browser.follow(callback));
  }

  expect(outcomes).toEqual([
    ...Array<string>(10).fill(problem('oidc_failed')),
    problem('too_many_attempts'),
  ]);
});

describe('with a provider that is away or slow', () => {
  let bent: BentProvider;
  let other: TestApp;

  beforeAll(async () => {
    bent = await BentProvider.start();
    await bent.goDown();
    const env = { ...envAt(bent.issuer), DATABASE_POOL_SIZE: '2' };
    other = await startTestApp({ clock, isWorking: false, env });
  });

  afterAll(async () => {
    await other.close();
    await bent.close();
  });

  test('the server starts, and signs people in once it is there', async () => {
    expect(await browserAt(other).get('/api/v1/team/oidc').then(locationOf)).toBe(
      problem('oidc_unavailable'),
    );
    await bent.comeUp();
    expect(await browserAt(other).get('/api/v1/team/oidc').then(locationOf)).toMatch(
      `${bent.issuer}/authorize?`,
    );
  });

  test('no connection to the database is held meanwhile, and ten seconds are the end', async () => {
    const browser = browserAt(other);
    const states: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const location = locationOf(await browser.get('/api/v1/team/oidc'));
      states.push(new URL(location).searchParams.get('state') ?? '');
    }
    bent.break('token', () => undefined);
    const waiting = states.map((state) =>
      browser.get(`${CALLBACK}?code=c&state=${state}`).then(locationOf),
    );
    await other.until('the provider is asked by all four', () => asked(bent) === 4);

    expect(await other.sql('select 1 as one')).toEqual([{ one: 1 }]);
    expect(await other.metrics('pool_connections', { state: 'used' })).toBe(0);
    clock.advance(10_000);
    expect(await Promise.all(waiting)).toEqual(Array<string>(4).fill(problem('oidc_unavailable')));
  });
});

test('the sign-in page offers it by its name, and with OIDC_ONLY nothing else works', async () => {
  const env = { ...envAt(provider.issuer), OIDC_NAME: 'Example login', OIDC_ONLY: 'true' };
  const only = await startReplica(app, { env });
  const ways = async (of: TestApp): Promise<unknown> =>
    (await browserAt(of).get('/api/v1/team/sign-in')).json();
  const signIn = await fetch(`${only.url}/api/v1/team/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'ada@example.org', password: 'a password of the tests' }),
  });

  expect(await ways(app)).toMatchObject({ password: true, oidc: { name: 'Single sign-on' } });
  expect(await ways(only)).toMatchObject({ password: false, oidc: { name: 'Example login' } });
  expect(await outcomeOf(signIn)).toBe('403 passwords_off');
  const invitation = { name: null, email: null, role: 'viewer', vacancyIds: null } as const;
  const links = only.get(UserLinks);
  await expect(
    only.commit((tx) => links.invite(tx, { ...invitation, createdBy: 'the tests' })),
  ).rejects.toThrow('OIDC_ONLY');
});

test('without a provider in the settings the sign-in page says so', async () => {
  const without = await startTestApp({ clock, isWorking: false, env: { PUBLIC_URL } });
  const browser = browserAt(without);
  const places = [
    locationOf(await browser.get('/api/v1/team/oidc')),
    locationOf(await browser.get(`${CALLBACK}?code=c&state=s`)),
  ];
  await without.close();

  expect(places).toEqual([problem('oidc_off'), problem('oidc_off')]);
});

function locationOf(response: Response): string {
  return response.headers.get('location') ?? String(response.status);
}

function asked({ asked }: BentProvider): number {
  return asked.filter((endpoint) => endpoint === 'token').length;
}
