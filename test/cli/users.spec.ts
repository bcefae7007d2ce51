import { DomainEvents } from '../../src/common/events';
import { hashToken } from '../../src/common/ids';
import { VacancyRepository } from '../../src/vacancies';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, database, inCommit } from './cli-database';

const vacancies = new VacancyRepository(clock, new DomainEvents());
const LINK = /http:\/\/localhost:3000\/console\/join\/([\w-]{32})/;

beforeEach(async () => {
  await inCommit((tx) => vacancies.upsert(tx, vacancyDraft()));
});

async function addUser(name: string, role = 'admin'): Promise<void> {
  await database().sql(
    `insert into app_user (id, name, email, role, password_hash, created_at, created_by)
     values (gen_random_uuid(), $1, lower(split_part($1, ' ', 1)) || '@example.org', $2, 'x', now(), 'tests')
     returning id`,
    [name, role],
  );
}

const audited = () => database().sql('select actor, action from audit_event order by id');

test('create shows a link once, which works on the page of the running application, and stores only its hash', async () => {
  const { code, out, err } = await cli(['user', 'create', '--role', 'admin']);

  expect({ code, err }).toEqual({ code: 0, err: '' });
  const token = LINK.exec(out)?.[1] ?? '';
  expect(out).toContain('A link for a new admin, which is shown only now and works once:');
  expect(await database().rowsWith([token])).toEqual([]);
  expect(await database().rowsWith([hashToken(token)])).toHaveLength(1);
  expect(await audited()).toEqual([{ actor: 'command line', action: 'user.invite' }]);
  const listed = await cli(['user', 'list']);
  expect(listed.out).toMatch(/^somebody {2}invitation as admin, until /);
});

test('create limits an interviewer to vacancies, and knows name and address', async () => {
  const args = ['user', 'create', '--role', 'interviewer', '--vacancy', 'baker'];
  const made = await cli([
    ...args,
    '--name',
    'Nora  Lindqvist',
    '--email',
    'Nora@Example.org',
    '--json',
  ]);

  expect(made).toMatchObject({ code: 0, err: '' });
  expect(JSON.parse(made.out)).toMatchObject({ role: 'interviewer' });
  const listed = await cli(['user', 'list', '--json']);
  expect(JSON.parse(listed.out)).toMatchObject({
    users: [],
    invitations: [
      {
        name: 'Nora Lindqvist',
        email: 'nora@example.org',
        role: 'interviewer',
        vacancies: ['baker'],
      },
    ],
  });
});

test.each<[string, string[], number, RegExp]>([
  ['no role', [], 2, /^required option '--role <role>'/],
  [
    'a role that there is not',
    ['--role', 'boss'],
    2,
    /^--role boss: there is no such role\. Known: admin, /,
  ],
  ['a name that is none', ['--role', 'admin', '--name', '?'], 2, /^--name \?: /],
  ['an address that is none', ['--role', 'admin', '--email', 'ada'], 2, /^--email ada: /],
  [
    'an interviewer without vacancies',
    ['--role', 'interviewer'],
    1,
    /^An interviewer needs vacancies/,
  ],
  [
    'a vacancy that there is not',
    ['--role', 'viewer', '--vacancy', 'cook'],
    4,
    /^No vacancy "cook"/,
  ],
])('create refuses %s', async (_, args, code, complaint) => {
  const run = await cli(['user', 'create', ...args]);

  expect(run).toMatchObject({ code, out: '' });
  expect(run.err).toMatch(complaint);
  expect(await database().sql('select 1 from user_link')).toEqual([]);
});

test('a user is disabled and enabled by name or address, each once, and the last admin stays', async () => {
  await addUser('Ada Lovelace');
  await addUser('Nora Lindqvist', 'viewer');

  const last = await cli(['user', 'disable', 'ada lovelace']);
  const disabled = await cli(['user', 'disable', 'NORA@example.org']);
  const again = await cli(['user', 'disable', 'Nora Lindqvist']);
  const enabled = await cli(['user', 'enable', 'nora@example.org']);
  const unknown = await cli(['user', 'disable', 'nobody']);

  expect(last).toMatchObject({ code: 1, out: '' });
  expect(last.err).toMatch(/^No enabled admin would remain/);
  expect(disabled.out).toMatch(/^Disabled: Nora Lindqvist is signed out everywhere/);
  expect(again.out).toBe('Nora Lindqvist is disabled already.\n');
  expect(enabled.out).toBe('Enabled: Nora Lindqvist may sign in again.\n');
  expect(unknown).toMatchObject({ code: 4, err: 'There is no such user.\n' });
  expect(await audited()).toEqual([
    { actor: 'command line', action: 'user.disable' },
    { actor: 'command line', action: 'user.enable' },
  ]);
});

test('a password link is for its user, and sessions are ended', async () => {
  await addUser('Nora Lindqvist', 'viewer');
  await database().sql(
    `insert into user_session (id, token_hash, user_id, method, created_at, seen_at, device)
     select gen_random_uuid(), 'x', id, 'password', now(), now(), 'Firefox' from app_user returning id`,
  );

  const link = await cli(['user', 'password-link', 'nora@example.org']);
  const listed = await cli(['user', 'list']);
  const ended = await cli(['user', 'end-sessions', 'Nora Lindqvist']);

  expect(link.out).toMatch(/^A link for a new password of Nora Lindqvist, which works once:\n/);
  expect(link.out).toMatch(LINK);
  expect(listed.out).toContain('sessions now: 1');
  expect(listed.out).toContain('Nora Lindqvist  link for a new password, until ');
  expect(ended.out).toBe('Sessions of Nora Lindqvist that have ended: 1.\n');
  expect(await database().sql('select 1 from user_session')).toEqual([]);
});
