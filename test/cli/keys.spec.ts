import { DomainEvents } from '../../src/common/events';
import { hashToken } from '../../src/common/ids';
import { VacancyRepository } from '../../src/vacancies';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, database, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());
const KEY = /colloquy_[\w-]{43}/;
const DAY_MS = 24 * 3_600_000;

interface KeyJson {
  readonly id: string;
  readonly name: string;
  readonly token?: string;
  readonly scopes: readonly string[];
  readonly vacancies: readonly string[] | null;
  readonly state: string;
  readonly expiresAt: string;
}

beforeEach(async () => {
  await inCommit((tx) => vacancies.upsert(tx, vacancyDraft()));
});

function create(name: string, ...more: string[]) {
  return cli(['key', 'create', name, '--scope', 'interviews:read', 'attention:read', ...more]);
}

async function json<T>(args: string[]): Promise<T> {
  const { code, out, err } = await cli([...args, '--json']);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  return JSON.parse(out) as T;
}

test('create shows the key once, with what it may do, and stores only its hash', async () => {
  const { code, out, err } = await create('crm', '--vacancy', 'baker', '--expires', '90d');

  expect({ code, err }).toEqual({ code: 0, err: '' });
  const token = KEY.exec(out)?.[0] ?? '';
  expect(out).toContain('Key crm, which is shown only now:');
  expect(out).toContain('scopes     interviews:read, attention:read');
  expect(out).toContain('vacancies  baker');
  expect(out).toContain('./colloquy key revoke crm');
  expect(await database().rowsWith([token])).toEqual([]);
  expect(await database().rowsWith([hashToken(token)])).toHaveLength(1);
  const listed = await cli(['key', 'list']);
  expect(listed.out).toMatch(/^crm {2}live {2}[\da-f-]{36}\n/);
  expect(listed.out).not.toMatch(KEY);
});

test('--json has the same, with the fields of the API', async () => {
  const made = await json<KeyJson>(['key', 'create', 'crm', '--scope', 'keys:write']);
  const { keys } = await json<{ keys: readonly KeyJson[] }>(['key', 'list']);

  expect(made.token).toMatch(KEY);
  expect(made).toMatchObject({ name: 'crm', scopes: ['keys:write'], vacancies: null });
  const lifeMs = new Date(made.expiresAt).getTime() - clock.now().getTime();
  expect(Math.round(lifeMs / DAY_MS)).toBe(365);
  expect(keys).toMatchObject([{ id: made.id, state: 'live' }]);
  expect(keys[0]).not.toHaveProperty('token');
});

test.each<[string, string[], RegExp]>([
  ['no scope', ['crm'], /^required option '--scope <scope\.\.\.>'/],
  [
    'a scope that there is not',
    ['crm', '--scope', 'decisions:write'],
    /^--scope decisions:write: there is no such scope\. Known: vacancies:read, /,
  ],
  ['a name with a space', ['the crm', '--scope', 'keys:write'], /^"the crm": a key's name has/],
  [
    'an end in two years',
    ['crm', '--scope', 'keys:write', '--expires', '730d'],
    /^--expires 730d: expected days from 1d to 365d/,
  ],
])('create refuses %s, and makes no key', async (_, args, complaint) => {
  const run = await cli(['key', 'create', ...args]);

  expect(run).toMatchObject({ code: 2, out: '' });
  expect(run.err).toMatch(complaint);
  expect(await database().sql('select 1 from api_key')).toEqual([]);
});

test('create refuses a vacancy that there is not, and a name that another key had', async () => {
  const unknown = await create('crm', '--vacancy', 'cook');
  await create('crm');
  await cli(['key', 'revoke', 'crm']);
  const again = await create('crm');

  expect(unknown).toMatchObject({ code: 4, out: '' });
  expect(unknown.err).toContain('No vacancy "cook"');
  expect(again).toEqual({
    code: 1,
    out: '',
    err: 'A key has or had the name "crm": choose another one.\n',
  });
});

test('revoke ends a key by its name or its id, once', async () => {
  await create('crm');
  const { id } = await json<KeyJson>(['key', 'create', 'sheet', '--scope', 'interviews:read']);

  const byName = await cli(['key', 'revoke', 'crm']);
  const byId = await cli(['key', 'revoke', id]);
  const again = await cli(['key', 'revoke', 'crm']);
  const { keys } = await json<{ keys: readonly KeyJson[] }>(['key', 'list']);

  expect(byName.out).toContain('Revoked: no request with the key crm is let in');
  expect(byId.out).toContain('Revoked: no request with the key sheet is let in');
  expect(again.code).toBe(0);
  expect(again.out).toMatch(/^The key crm is revoked already, since \d{4}-\d\d-\d\d \d\d:\d\d UTC/);
  expect(keys.map(({ state }) => state)).toEqual(['revoked', 'revoked']);
});

describe('the audit', () => {
  test('lists what was done with keys, the newest first, and by whom or of whom', async () => {
    const { id } = await json<KeyJson>(['key', 'create', 'crm', '--scope', 'keys:write']);
    await create('sheet');
    await cli(['key', 'revoke', 'crm']);
    const actions = async (...args: string[]): Promise<string[]> => {
      const { events } = await json<{ events: { action: string }[] }>(['audit', 'list', ...args]);
      return events.map(({ action }) => action);
    };

    expect(await actions()).toEqual(['key.revoke', 'key.create', 'key.create']);
    expect(await actions('--subject', id)).toEqual(['key.revoke', 'key.create']);
    expect(await actions('--action', 'key.revoke', '--actor', 'command line')).toEqual([
      'key.revoke',
    ]);
    expect(await actions('--actor', 'key crm')).toEqual([]);
    expect(await actions('--until', '2026-01-01')).toEqual([]);
    const { out } = await cli(['audit']);
    const [newest = ''] = out.split('\n');
    expect(newest).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC {2}command line {2}key\.revoke/);
  });

  test('is exported whole, in more than one page, as one JSON document', async () => {
    await database().sql(
      `insert into audit_event (at, actor, action, subject_hash)
       select now(), 'key crm', 'transcript.read', 'hash ' || n from generate_series(1, 2500) n
       returning id`,
    );

    const { code, out, err } = await cli(['audit', 'export', '--actor', 'key crm']);

    expect({ code, err }).toEqual({ code: 0, err: '' });
    const { events } = JSON.parse(out) as { events: { subjectHash: string }[] };
    expect(events.map(({ subjectHash }) => subjectHash)).toEqual(
      Array.from({ length: 2500 }, (_, n) => `hash ${String(2500 - n)}`),
    );
    const none = await cli(['audit', 'export', '--actor', 'nobody']);
    expect(JSON.parse(none.out)).toEqual({ events: [] });
  });

  test.each([
    ['--since', '2026-02-31'],
    ['--since', 'yesterday'],
    ['--until', '2026-1-1'],
  ])('refuses %s %s in one sentence', async (option, day) => {
    const run = await cli(['audit', 'list', option, day]);

    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err).toContain(`${option} ${day}: expected a day like 2026-11-01`);
  });
});
