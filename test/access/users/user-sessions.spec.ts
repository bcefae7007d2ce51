import { UserSessions, Users, deviceOf } from '../../../src/access';
import { UserSweep } from '../../../src/access/users/user-sweep';
import { SignalConnection } from '../../../src/persistence';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { outcomeOf } from '../../support/keys';
import { type TestUser, makeUser, signIn } from '../../support/users';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

const clock = new FakeClock();
let app: TestApp;
let other: TestApp;
let user: TestUser;

beforeAll(async () => {
  const env = { USER_SESSION_IDLE_TIMEOUT: '3600', USER_SESSION_LIFETIME: '10800' };
  app = await startTestApp({ clock, isWorking: false, env });
  other = await startReplica(app);
  for (const one of [app, other]) {
    // Their sweeps use the real time.
    await one.stopSweeps();
    await new Promise<void>((onConnected) => {
      one.get(SignalConnection).listen({ onSignal: () => undefined, onConnected });
    });
  }
});

beforeEach(async () => {
  user = await makeUser(app, { role: 'recruiter' });
});

afterAll(async () => {
  await other.close();
  await app.close();
});

type Headers = Readonly<Record<string, string>>;

async function ask(headers: Headers, at = app): Promise<string> {
  return outcomeOf(await fetch(`${at.url}/api/v1/team/session`, { headers }));
}

/** Waits for a signal to arrive; without one it would time out. */
function until(outcome: string, headers: Headers): Promise<void> {
  return other.until(outcome, async () => (await ask(headers, other)) === outcome);
}

test('a session ends when it was not used for the idle time, and use prolongs it', async () => {
  const used = await signIn(app, user);
  const idle = await signIn(app, user);

  clock.advance(50 * MINUTE_MS);
  expect(await ask(used)).toBe('200');
  clock.advance(50 * MINUTE_MS);

  expect(await ask(used)).toBe('200');
  expect(await ask(idle)).toBe('401 sign_in_needed');
});

test('a session ends after its lifetime, however often it is used', async () => {
  const session = await signIn(app, user);
  for (let n = 0; n < 5; n += 1) {
    clock.advance(30 * MINUTE_MS);
    expect(await ask(session)).toBe('200');
  }
  clock.advance(30 * MINUTE_MS);

  expect(await ask(session)).toBe('401 sign_in_needed');
});

test('a session that is remembered exceeds its end by ten seconds at most', async () => {
  const session = await signIn(app, user);
  const list = async (): Promise<string> =>
    outcomeOf(await fetch(`${app.url}/api/v1/invitations`, { headers: session }));
  expect(await list()).toBe('200');
  await app.sql('update user_session set seen_at = $2 where user_id = $1 returning id', [
    user.id,
    new Date(clock.now().getTime() - HOUR_MS),
  ]);

  expect(await list()).toBe('200');
  // What a person is told about the session is read anew.
  expect(await ask(session)).toBe('401 sign_in_needed');
  clock.advance(10_000);

  expect(await list()).toBe('401 sign_in_needed');
});

test('several requests within ten seconds ask the database once', async () => {
  const session = await signIn(app, user);
  const before = await app.metrics('uow_commits_total', { label: 'user_session.use' });

  for (let n = 0; n < 5; n += 1) expect(await ask(session)).toBe('200');

  const after = await app.metrics('uow_commits_total', { label: 'user_session.use' });
  expect(after - before).toBe(1);
});

test('a session that ends on one replica is not let in by another one that remembers it', async () => {
  const session = await signIn(app, user);
  const kept = await signIn(app, user);
  expect(await ask(session, other)).toBe('200');

  await fetch(`${app.url}/api/v1/team/session`, { method: 'DELETE', headers: session });

  expect(await ask(session)).toBe('401 sign_in_needed');
  await until('401 sign_in_needed', session);
  expect(await ask(kept, other)).toBe('200');
});

test('a user who is disabled is out on every replica at once, and is not back in the old session when enabled', async () => {
  const session = await signIn(app, user);
  expect(await ask(session, other)).toBe('200');

  await app.commit((tx) => app.get(Users).disable(tx, user));
  expect(await ask(session)).toBe('401 sign_in_needed');
  await until('401 sign_in_needed', session);

  await app.commit((tx) => app.get(Users).enable(tx, user));
  expect(await ask(session)).toBe('401 sign_in_needed');
  expect(await ask(await signIn(app, user), other)).toBe('200');
});

test('a role that is taken away holds on every replica at once', async () => {
  const session = await signIn(app, user);
  const asked = async (at: TestApp): Promise<string> =>
    outcomeOf(await fetch(`${at.url}/api/v1/invitations`, { headers: session }));
  expect(await asked(other)).toBe('200');

  await app.commit((tx) => app.get(Users).change(tx, user, { role: 'viewer' }));

  expect(await asked(app)).toBe('403 scope_missing');
  await other.until('refused', async () => (await asked(other)) === '403 scope_missing');
});

test('a person lists their own sessions and ends one of them, or all others, and nobody else’s', async () => {
  const [one, two, three] = [
    await signIn(app, user),
    await signIn(app, user),
    await signIn(app, user),
  ];
  const stranger = await makeUser(app, { role: 'admin' });
  const strangers = await signIn(app, stranger);
  const [theirs] = await app.commit((tx) => app.get(UserSessions).list(tx, stranger.id));
  const url = `${app.url}/api/v1/team/sessions`;
  const end = async (id: string): Promise<string> =>
    outcomeOf(await fetch(`${url}/${id}`, { method: 'DELETE', headers: one }));

  const { sessions } = (await (await fetch(url, { headers: one })).json()) as {
    sessions: { id: string; isCurrent: boolean }[];
  };
  expect(sessions.map(({ isCurrent }) => isCurrent)).toEqual([false, false, true]);
  expect(await end(sessions[1]?.id ?? '')).toBe('204');
  expect([await ask(one), await ask(two), await ask(three)]).toEqual([
    '200',
    '401 sign_in_needed',
    '200',
  ]);
  expect(await end(theirs?.id ?? '')).toBe('404 user_session_unknown');
  expect(await end('no-id')).toBe('404 user_session_unknown');
  await fetch(url, { method: 'DELETE', headers: one });

  expect([await ask(one), await ask(three), await ask(strangers)]).toEqual([
    '200',
    '401 sign_in_needed',
    '200',
  ]);
});

test('the sweep deletes expired sessions and links that ended 30 days ago, and nothing else', async () => {
  await app.sql('delete from user_session returning id');
  await signIn(app, user);
  const link = (kind: string, endedAt: Date | null, days: number) =>
    app.sql(
      `insert into user_link (id, token_hash, kind, created_at, created_by, expires_at, used_at)
       values (gen_random_uuid(), gen_random_uuid()::text, $1, now(), 'tests', $2, $3) returning id`,
      [kind, new Date(clock.now().getTime() + days * 24 * HOUR_MS), endedAt],
    );
  await link('live', null, 1);
  await link('used lately', clock.now(), 1);
  await link('used long ago', new Date(clock.now().getTime() - 30 * 24 * HOUR_MS), 1);
  await link('expired lately', null, -29);
  await link('expired long ago', null, -31);
  clock.advance(30 * MINUTE_MS);
  await signIn(app, user);
  clock.advance(40 * MINUTE_MS);

  expect(await app.get(UserSweep).sweep()).toEqual({ sessions: 1, links: 2 });

  expect(await app.sql('select kind from user_link order by kind')).toEqual([
    { kind: 'expired lately' },
    { kind: 'live' },
    { kind: 'used lately' },
  ]);
  expect(await app.sql('select 1 from user_session')).toHaveLength(1);
});

test.each([
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
    'Edge, Windows',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1',
    'Safari, iOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
    'Chrome, Android',
  ],
  ['<script>alert(1)</script>', 'unknown'],
  [undefined, 'unknown'],
])('of the browser %s it keeps "%s"', (userAgent, device) => {
  expect(deviceOf(userAgent)).toBe(device);
});
