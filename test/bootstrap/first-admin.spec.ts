import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { teamOf } from '../../src/bootstrap/first-admin';
import { FakeClock } from '../../tools/support/fake-clock';
import { type TestApp, startTestApp } from '../support/app';
import { settingsForTests } from '../support/settings';

const BASE = 'https://interviews.example.org';
const LINK = /^https:\/\/interviews\.example\.org\/console\/join\/([\w-]{32})$/;
const DAY_MS = 24 * 3_600_000;

const clock = new FakeClock();
let app: TestApp;
let folder: string;

beforeAll(async () => {
  app = await startTestApp({ clock, isWorking: false });
});

beforeEach(async () => {
  folder = path.join(await mkdtemp(path.join(tmpdir(), 'colloquy-first-admin-')), 'data');
});

afterEach(async () => {
  await app.sql('delete from user_link returning id');
  await app.sql('delete from app_user returning id');
  await rm(path.dirname(folder), { recursive: true });
});

afterAll(() => app.close());

/** What a start does on the database of this test. */
function start(env: Record<string, string> = {}) {
  return teamOf(app.nest, settingsForTests({ COLLOQUY_DATA_DIR: folder, ...env }), BASE);
}

const file = () => path.join(folder, 'first-admin-link');

async function join(link: string): Promise<number> {
  const token = LINK.exec(link)?.[1] ?? '';
  const response = await fetch(`${app.url}/api/v1/team/links/${token}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      name: 'Ada Lovelace',
      email: 'ada@example.org',
      password: 'seven green harbour cranes',
    }),
  });
  return response.status;
}

test('the first start makes a link for an admin, keeps it for its user alone, and a restart shows the same', async () => {
  const { hasUsers, firstAdminLink } = await start();

  expect(hasUsers).toBe(false);
  expect(firstAdminLink).toMatch(LINK);
  expect(await readFile(file(), 'utf8')).toBe(`${firstAdminLink ?? ''}\n`);
  expect((await stat(file())).mode & 0o777).toBe(0o600);
  expect(await start()).toEqual({ hasUsers: false, firstAdminLink });
  expect(await app.sql('select role, created_by from user_link')).toEqual([
    { role: 'admin', created_by: 'first start' },
  ]);
  const log = app.log.lines.join('\n');
  expect(log).not.toContain(firstAdminLink?.split('/').at(-1));
});

test('once it was used no start makes another one, and the file is gone', async () => {
  const { firstAdminLink } = await start();
  expect(await join(firstAdminLink ?? '')).toBe(201);

  expect(await start()).toEqual({ hasUsers: true, firstAdminLink: null });
  expect(await join(firstAdminLink ?? '')).toBe(410);
  await expect(readFile(file())).rejects.toMatchObject({ code: 'ENOENT' });
  expect(await app.sql('select role from app_user')).toEqual([{ role: 'admin' }]);
});

test('a link that has expired, or that another database does not know, is replaced', async () => {
  const first = await start();
  clock.advance(7 * DAY_MS);
  const second = await start();
  await app.sql('delete from user_link returning id');
  const third = await start();

  const links = [first, second, third].map(({ firstAdminLink }) => firstAdminLink);
  expect(new Set(links).size).toBe(3);
  expect(await readFile(file(), 'utf8')).toBe(`${links[2] ?? ''}\n`);
});

test("on a team's own database nothing is made by itself", async () => {
  const env = { DATABASE_URL: 'postgres://colloquy@db/colloquy' };

  expect(await start(env)).toEqual({ hasUsers: false, firstAdminLink: null });
  expect(await app.sql('select 1 from user_link')).toEqual([]);
  await expect(readFile(file())).rejects.toMatchObject({ code: 'ENOENT' });
});

test('with OIDC_ONLY no link is made: the first admin signs in by the provider', async () => {
  const team = await start({
    PUBLIC_URL: BASE,
    OIDC_ISSUER: 'https://login.example.org',
    OIDC_CLIENT_ID: 'colloquy',
    OIDC_CLIENT_SECRET: 'a-secret-of-these-tests',
    OIDC_ROLES: 'boss=admin',
    OIDC_ONLY: 'true',
  });

  expect(team).toEqual({ hasUsers: false, firstAdminLink: null });
});
