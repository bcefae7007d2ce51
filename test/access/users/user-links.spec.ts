import { UserLinks, type Role } from '../../../src/access';
import { PasswordHasher } from '../../../src/access/users/password-hasher';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../../support/app';
import { outcomeOf } from '../../support/keys';
import { makeUser, signIn } from '../../support/users';

const PASSWORD = 'seven green harbour cranes';
const DAY_MS = 24 * 3_600_000;

const clock = new FakeClock();
let app: TestApp;
let people = 0;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false });
  await makeUser(app, { role: 'admin', name: 'Ada Lovelace' });
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => app.close());

async function invite(
  role: Role = 'recruiter',
  { vacancyIds = null as readonly string[] | null } = {},
): Promise<string> {
  const invitation = { role, vacancyIds, name: null, email: null, createdBy: 'user Ada Lovelace' };
  return (await app.commit((tx) => app.get(UserLinks).invite(tx, invitation))).token;
}

function person(changes: Readonly<Record<string, string>> = {}): Record<string, string> {
  people += 1;
  const n = String(people);
  return { name: `Person ${n}`, email: `p${n}@example.org`, password: PASSWORD, ...changes };
}

const show = (token: string): Promise<Response> => fetch(`${app.url}/api/v1/team/links/${token}`);

function use(
  token: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${app.url}/api/v1/team/links/${token}`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

test('an invitation says what it is for, makes the user, signs in, and works once', async () => {
  const token = await invite('interviewer', { vacancyIds: [app.vacancy.id] });

  expect(await (await show(token)).json()).toEqual({
    kind: 'invitation',
    name: null,
    email: null,
    role: 'interviewer',
    vacancies: [{ slug: app.vacancy.slug, title: app.vacancy.title }],
    invitedBy: 'user Ada Lovelace',
    expiresAt: new Date(clock.now().getTime() + 7 * DAY_MS).toISOString(),
  });
  const joined = await use(token, person({ name: ' Nora  Lindqvist ', email: 'Nora@Example.org' }));
  expect(joined.status).toBe(201);
  expect(joined.headers.getSetCookie()[0]).toMatch(/^colloquy_team=[\w-]{32}; /);
  expect(await joined.json()).toMatchObject({
    user: {
      name: 'Nora Lindqvist',
      email: 'nora@example.org',
      role: 'interviewer',
      vacancies: [app.vacancy.slug],
    },
  });

  expect(await outcomeOf(await show(token))).toBe('410 team_link_ended');
  expect(await outcomeOf(await use(token, person()))).toBe('410 team_link_ended');
  const rows = await app.sql(
    `select action from audit_event where actor = 'user Nora Lindqvist' order by id`,
  );
  expect(rows).toEqual([{ action: 'user.create' }, { action: 'user.sign_in' }]);
});

test('joining ends the session that the browser had, and no page of another site makes it join', async () => {
  const token = await invite();
  const session = await signIn(app, await makeUser(app, { role: 'viewer' }));
  const elsewhere = { ...session, 'sec-fetch-site': 'cross-site' };
  const asked = async (): Promise<string> =>
    outcomeOf(await fetch(`${app.url}/api/v1/team/session`, { headers: session }));

  expect(await outcomeOf(await use(token, person(), elsewhere))).toBe('403 origin_refused');
  expect(await asked()).toBe('200');
  expect(await outcomeOf(await use(token, person(), session))).toBe('201');

  expect(await asked()).toBe('401 sign_in_needed');
});

test('of two people who use one link at once one joins', async () => {
  const token = await invite();

  const outcomes = await Promise.all(
    [person(), person()].map(async (one) => outcomeOf(await use(token, one))),
  );

  expect(outcomes.toSorted()).toEqual(['201', '410 team_link_ended']);
});

test('of two people who take one name at once by two links one has it, and the other link still works', async () => {
  const [one, two] = [await invite(), await invite()];
  const taken = person();
  const other = { ...taken, email: 'somebody-else@example.org' };

  const [first, second] = await Promise.all([
    use(one, taken).then(outcomeOf),
    use(two, other).then(outcomeOf),
  ]);

  expect([first, second].toSorted()).toEqual(['201', '409 user_name_taken']);
  const left = first === '201' ? two : one;
  expect(await outcomeOf(await use(left, person()))).toBe('201');
});

test('a link ends by its date, or when it is revoked', async () => {
  const [expired, revoked] = [await invite(), await invite()];
  await app.commit(async (tx) => {
    const links = app.get(UserLinks);
    await links.revoke(tx, (await links.get(tx, revoked)).id);
  });
  expect(await outcomeOf(await show(revoked))).toBe('410 team_link_ended');
  expect(await outcomeOf(await use(revoked, person()))).toBe('410 team_link_ended');

  clock.advance(7 * DAY_MS);
  expect(await outcomeOf(await show(expired))).toBe('410 team_link_ended');
  expect(await outcomeOf(await use(expired, person()))).toBe('410 team_link_ended');
});

test('a link that ends while the password is hashed makes no user', async () => {
  const token = await invite();
  const hash = jest.spyOn(app.get(PasswordHasher), 'hash').mockImplementation(async () => {
    await app.sql('update user_link set revoked_at = $1 where used_at is null returning id', [
      clock.now(),
    ]);
    return 'a hash';
  });
  const one = person();

  expect(await outcomeOf(await use(token, one))).toBe('410 team_link_ended');

  expect(hash).toHaveBeenCalledTimes(1);
  expect(await app.rowsWith([one['email'] ?? ''])).toEqual([]);
});

test('nothing is hashed for a link that does not work, or for what is refused anyway', async () => {
  const token = await invite();
  const hash = jest.spyOn(app.get(PasswordHasher), 'hash');
  const outcomes = [];
  for (const [to, body] of [
    ['A'.repeat(32), person()],
    [token, person({ name: 'ADA LOVELACE' })],
    [token, person({ password: 'short' })],
    [token, { password: PASSWORD }],
    [token, person({ name: '\u202eAda' })],
    [token, person({ email: 'no address' })],
  ] as const) {
    outcomes.push(await outcomeOf(await use(to, body)));
  }

  expect(outcomes).toEqual([
    '404 team_link_unknown',
    '409 user_name_taken',
    '422 password_weak',
    '422 invalid_body',
    '422 invalid_body',
    '422 invalid_body',
  ]);
  expect(hash).not.toHaveBeenCalled();
  expect(await outcomeOf(await use(token, person()))).toBe('201');
});

test('an address belongs to one user', async () => {
  const [one, two] = [await invite(), await invite()];
  await use(one, person({ email: 'shared@example.org' }));

  expect(await outcomeOf(await use(two, person({ email: 'Shared@example.org ' })))).toBe(
    '409 user_email_taken',
  );
});

test('a password link gives a new password once, within a day, and ends all sessions of the user', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const session = await signIn(app, user);
  const make = async () =>
    (await app.commit((tx) => app.get(UserLinks).passwordLink(tx, user, 'user Ada Lovelace')))
      .token;
  const [earlier, token] = [await make(), await make()];
  const next = 'eight yellow harbour cranes';

  expect(await outcomeOf(await show(earlier))).toBe('410 team_link_ended');
  expect(await (await show(token)).json()).toMatchObject({
    kind: 'password',
    name: user.name,
    email: user.email,
    role: 'viewer',
  });
  expect(await outcomeOf(await use(token, { password: `${user.name} 1815` }))).toBe(
    '422 password_weak',
  );
  expect(await outcomeOf(await use(token, { password: next }))).toBe('201');

  const at = `${app.url}/api/v1/team/session`;
  expect(await outcomeOf(await fetch(at, { headers: session }))).toBe('401 sign_in_needed');
  const signedIn = await fetch(at, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: user.email, password: next }),
  });
  expect(signedIn.status).toBe(201);
  expect(await outcomeOf(await use(token, { password: PASSWORD }))).toBe('410 team_link_ended');

  const late = await make();
  clock.advance(DAY_MS);
  expect(await outcomeOf(await use(late, { password: PASSWORD }))).toBe('410 team_link_ended');
});

test('a password link ends when the user changes the password', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const { token } = await app.commit((tx) =>
    app.get(UserLinks).passwordLink(tx, user, 'the tests'),
  );

  const changed = await fetch(`${app.url}/api/v1/team/password`, {
    method: 'PUT',
    headers: { ...(await signIn(app, user)), 'content-type': 'application/json' },
    body: JSON.stringify({ current: PASSWORD, next: 'eight yellow harbour cranes' }),
  });

  expect(changed.status).toBe(204);
  expect(await outcomeOf(await show(token))).toBe('410 team_link_ended');
});

test('a password link of a user who was disabled since lets nobody in', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const { token } = await app.commit((tx) =>
    app.get(UserLinks).passwordLink(tx, user, 'the tests'),
  );
  await app.sql('update app_user set disabled_at = now() where id = $1 returning id', [user.id]);

  expect(await outcomeOf(await use(token, { password: 'eight yellow harbour cranes' }))).toBe(
    '403 user_disabled',
  );
  expect(await app.sql('select 1 from user_session where user_id = $1', [user.id])).toEqual([]);
});
