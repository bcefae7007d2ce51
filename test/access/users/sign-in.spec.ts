import { PasswordHasher } from '../../../src/access/users/password-hasher';
import { FakeClock } from '../../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../../support/app';
import { outcomeOf } from '../../support/keys';
import { type TestUser, makeUser, signIn } from '../../support/users';

const PASSWORD = 'seven green harbour cranes';
const MINUTE_MS = 60_000;

const clock = new FakeClock();
let app: TestApp;
let ada: TestUser;

beforeAll(async () => {
  // So that a request may say from which network it comes.
  app = await startTestApp({ clock, isWorking: false, env: { TRUST_PROXY: '1' } });
  ada = await makeUser(app, { role: 'admin', password: PASSWORD, name: 'Ada Lovelace' });
});

// Failures are counted for 15 minutes.
beforeEach(() => {
  clock.advance(15 * MINUTE_MS);
});

afterEach(() => {
  jest.restoreAllMocks();
});

afterAll(() => app.close());

function post(
  path: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${app.url}/api/v1/team/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
}

const from = (address: string) => ({ 'x-forwarded-for': address });

function tryAs(email: string | null, password: string, address = '192.0.2.1'): Promise<Response> {
  return post('session', { email, password }, from(address));
}

/** `NAME=TOKEN`, and the attributes. */
function cookieOf(response: Response): [cookie: string, attributes: string] {
  const [all = ''] = response.headers.getSetCookie();
  const [cookie = '', ...attributes] = all.split('; ');
  return [cookie, attributes.join('; ')];
}

const ask = (path: string, cookie: string): Promise<Response> =>
  fetch(`${app.url}/api/v1/${path}`, { headers: { cookie } });

test('somebody signs in, is known by the cookie, and signs out', async () => {
  const response = await post(
    'session',
    { email: ' TESTER-1@example.org', password: PASSWORD },
    { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' },
  );
  expect(response.status).toBe(201);
  const session = (await response.json()) as { user: object; confirmedUntil: string };
  expect(session).toMatchObject({
    user: { id: ada.id, name: 'Ada Lovelace', email: ada.email, role: 'admin', vacancies: null },
    method: 'password',
    confirmedUntil: new Date(clock.now().getTime() + 10 * MINUTE_MS).toISOString(),
    endsAt: new Date(clock.now().getTime() + 12 * 60 * MINUTE_MS).toISOString(),
  });
  const [cookie, attributes] = cookieOf(response);
  expect(attributes).toBe('Max-Age=604800; Path=/; HttpOnly; SameSite=Lax');

  expect(await (await ask('team/session', cookie)).json()).toEqual(session);
  expect(await (await ask('team/sessions', cookie)).json()).toMatchObject({
    sessions: [{ device: 'Firefox, Linux', method: 'password', isCurrent: true }],
  });

  const left = await fetch(`${app.url}/api/v1/team/session`, {
    method: 'DELETE',
    headers: { cookie, 'sec-fetch-site': 'same-origin' },
  });
  expect(left.status).toBe(204);
  expect(cookieOf(left)[0]).toBe('colloquy_team=');
  expect(await outcomeOf(await ask('team/session', cookie))).toBe('401 sign_in_needed');
  const rows = await app.sql<{ actor: string; action: string }>(
    'select actor, action from audit_event order by id desc limit 2',
  );
  expect(rows).toEqual([
    { actor: 'user Ada Lovelace', action: 'user.sign_out' },
    { actor: 'user Ada Lovelace', action: 'user.sign_in' },
  ]);
});

test('with https the cookie has the prefix that pins it to the host', async () => {
  const env = { PUBLIC_URL: 'https://interviews.example.org', TRUST_PROXY: '1' };
  const secure = await startReplica(app, { env });
  try {
    const { email } = ada;
    const response = await fetch(`${secure.url}/api/v1/team/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email, password: PASSWORD }),
    });

    expect(cookieOf(response)[0]).toMatch(/^__Host-colloquy_team=[\w-]{32}$/);
    expect(cookieOf(response)[1]).toBe('Max-Age=604800; Path=/; HttpOnly; Secure; SameSite=Lax');
  } finally {
    await secure.close();
  }
});

test('every refusal is the same, and one password is compared for each', async () => {
  const disabled = await makeUser(app, { role: 'viewer', password: PASSWORD });
  await app.sql('update app_user set disabled_at = now() where id = $1 returning id', [
    disabled.id,
  ]);
  const without = await makeUser(app, { role: 'viewer' });
  const verify = jest.spyOn(app.get(PasswordHasher), 'verify');

  const refused = [];
  for (const [email, password] of [
    [ada.email, 'seven green harbour crane'],
    ['nobody@example.org', PASSWORD],
    ['no address', PASSWORD],
    [disabled.email, PASSWORD],
    [without.email, PASSWORD],
  ] as const) {
    const response = await tryAs(email, password);
    refused.push([response.status, await response.text(), verify.mock.calls.length]);
  }

  const [first] = refused;
  expect(JSON.parse(String(first?.[1]))).toMatchObject({ code: 'sign_in_wrong' });
  expect(refused).toEqual([1, 2, 3, 4, 5].map((calls) => [401, first?.[1], calls]));
  // An unknown address takes as long, because what its password is compared with has the same costs.
  const costs = verify.mock.calls.map(([hash]) => hash.split('$').slice(0, 4).join('$'));
  expect(new Set(costs)).toEqual(new Set(['$argon2id$v=19$m=19456,t=2,p=1']));
});

test('a password is the same in every form that keyboards send', async () => {
  const composed = 'caf\u00e9 in the harbour';
  const user = await makeUser(app, { role: 'viewer', password: composed });

  expect(await outcomeOf(await tryAs(user.email, composed.normalize('NFD')))).toBe('201');
});

test('after ten failures an account is shut for 15 minutes, from every network', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const outcomes = [];
  for (let n = 0; n < 11; n += 1) {
    clock.advance(10_000);
    outcomes.push(await outcomeOf(await tryAs(user.email, 'wrong', `198.51.100.${String(n)}`)));
  }
  expect(outcomes).toEqual([
    ...Array<string>(10).fill('401 sign_in_wrong'),
    '429 too_many_attempts',
  ]);

  const shut = await tryAs(user.email?.toUpperCase() ?? '', PASSWORD, '203.0.113.9');
  expect(Number(shut.headers.get('retry-after'))).toBe(15 * 60 - 110 + 10);
  expect(await outcomeOf(shut)).toBe('429 too_many_attempts');
  expect(await outcomeOf(await tryAs('nobody@example.org', PASSWORD, '203.0.113.9'))).toBe(
    '401 sign_in_wrong',
  );
  clock.advance(15 * MINUTE_MS);
  expect(await outcomeOf(await tryAs(user.email, PASSWORD, '203.0.113.9'))).toBe('201');
});

test('failures of strangers do not shut somebody out where they have signed in before', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  expect(await outcomeOf(await tryAs(user.email, PASSWORD, '192.0.2.77'))).toBe('201');
  for (let n = 0; n < 10; n += 1) {
    clock.advance(10_000);
    await tryAs(user.email, 'wrong', `198.51.100.${String(n)}`);
  }

  expect(await outcomeOf(await tryAs(user.email, PASSWORD, '203.0.113.9'))).toBe(
    '429 too_many_attempts',
  );
  expect(await outcomeOf(await tryAs(user.email, PASSWORD, '192.0.2.77'))).toBe('201');
});

test('an unknown account is counted like a known one', async () => {
  const outcomes = [];
  for (let n = 0; n < 11; n += 1) {
    clock.advance(10_000);
    outcomes.push(
      await outcomeOf(await tryAs('never@example.org', 'x', `198.51.100.${String(n)}`)),
    );
  }
  expect(outcomes.at(-2)).toBe('401 sign_in_wrong');
  expect(outcomes.at(-1)).toBe('429 too_many_attempts');
});

test('after ten failures of any accounts a network is refused for the rest of the minute', async () => {
  const outcomes = [];
  for (let n = 0; n < 11; n += 1) {
    outcomes.push(await outcomeOf(await tryAs(`a${String(n)}@example.org`, 'x', '203.0.113.5')));
  }
  expect(outcomes).toEqual([
    ...Array<string>(10).fill('401 sign_in_wrong'),
    '429 too_many_attempts',
  ]);

  expect(await outcomeOf(await tryAs(ada.email, PASSWORD, '203.0.113.5'))).toBe(
    '429 too_many_attempts',
  );
  expect(await outcomeOf(await tryAs(ada.email, PASSWORD, '203.0.113.6'))).toBe('201');
  clock.advance(MINUTE_MS);
  expect(await outcomeOf(await tryAs(ada.email, PASSWORD, '203.0.113.5'))).toBe('201');
});

test('requests at once are no more tries than one after the other', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const verify = jest.spyOn(app.get(PasswordHasher), 'verify').mockResolvedValue(false);

  const outcomes = await Promise.all(
    Array.from({ length: 20 }, async (_, n) =>
      outcomeOf(await tryAs(user.email, 'wrong', `198.51.100.${String(n)}`)),
    ),
  );

  expect(outcomes.filter((outcome) => outcome === '401 sign_in_wrong')).toHaveLength(10);
  expect(verify).toHaveBeenCalledTimes(10);
});

test('a new sign-in ends the session that the browser had', async () => {
  const { cookie } = await signIn(app, ada);

  const response = await post(
    'session',
    { email: ada.email, password: PASSWORD },
    { cookie, 'sec-fetch-site': 'same-origin' },
  );

  expect(response.status).toBe(201);
  expect(await outcomeOf(await ask('team/session', cookie))).toBe('401 sign_in_needed');
});

test('somebody who is disabled while their password is compared gets no session', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  jest.spyOn(app.get(PasswordHasher), 'verify').mockImplementation(async () => {
    await app.sql('update app_user set disabled_at = now() where id = $1 returning id', [user.id]);
    return true;
  });

  expect(await outcomeOf(await tryAs(user.email, PASSWORD))).toBe('401 sign_in_wrong');
  expect(await app.sql('select 1 from user_session where user_id = $1', [user.id])).toEqual([]);
});

test('the own password is changed with the present one, and all other sessions end', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const here = await signIn(app, user);
  const elsewhere = await signIn(app, user);
  const change = (current: string, next: string) =>
    fetch(`${app.url}/api/v1/team/password`, {
      method: 'PUT',
      headers: { ...here, 'content-type': 'application/json' },
      body: JSON.stringify({ current, next }),
    });
  const next = 'eight yellow harbour cranes';

  expect(await outcomeOf(await change('wrong', next))).toBe('401 sign_in_wrong');
  expect(await outcomeOf(await change(PASSWORD, 'short'))).toBe('422 password_weak');
  expect(await outcomeOf(await ask('team/session', elsewhere.cookie))).toBe('200');
  expect((await change(PASSWORD, next)).status).toBe(204);

  expect(await outcomeOf(await ask('team/session', here.cookie))).toBe('200');
  expect(await outcomeOf(await ask('team/session', elsewhere.cookie))).toBe('401 sign_in_needed');
  expect(await outcomeOf(await tryAs(user.email, PASSWORD))).toBe('401 sign_in_wrong');
  expect(await outcomeOf(await tryAs(user.email, next))).toBe('201');
});

test('a password that was replaced meanwhile is not changed by whoever knew the one before', async () => {
  const user = await makeUser(app, { role: 'viewer', password: PASSWORD });
  const session = await signIn(app, user);
  jest.spyOn(app.get(PasswordHasher), 'hash').mockImplementation(async () => {
    await app.sql(`update app_user set password_hash = 'of a link' where id = $1 returning id`, [
      user.id,
    ]);
    return 'of the change';
  });

  const change = await fetch(`${app.url}/api/v1/team/password`, {
    method: 'PUT',
    headers: { ...session, 'content-type': 'application/json' },
    body: JSON.stringify({ current: PASSWORD, next: 'eight yellow harbour cranes' }),
  });

  expect(await outcomeOf(change)).toBe('401 sign_in_wrong');
  const { hash } = await app.one<{ hash: string }>(
    'select password_hash as hash from app_user where id = $1',
    [user.id],
  );
  expect(hash).toBe('of a link');
});

test('no password, address, name or token is in the log, and no password or token in the database', async () => {
  const [cookie] = cookieOf(await tryAs(ada.email, PASSWORD));
  const lines = app.log.lines.join('\n');
  expect(lines).toContain('team sign-in: a wrong secret');
  const token = cookie.split('=')[1] ?? 'none';

  for (const secret of [PASSWORD, 'example.org', 'Lovelace', token]) {
    expect([secret, lines.includes(secret)]).toEqual([secret, false]);
  }
  expect(await app.rowsWith([PASSWORD, token])).toEqual([]);
});
