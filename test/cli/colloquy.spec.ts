import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CandidateRepository } from '../../src/candidates';
import { createProgram } from '../../src/cli/colloquy';
import { DomainEvents } from '../../src/common/events';
import { newId } from '../../src/common/ids';
import { VERSION } from '../../src/common/version';
import { VacancyRepository } from '../../src/vacancies';
import { unusedPort } from '../../tools/fake-network/load-balancer';
import { NotionServer } from '../../tools/fake-notion';
import { attentionRig } from '../support/attention';
import { endCliHost, runCliCounted, runCliProcess, runCliUnread } from '../support/run-cli';
import { vacancyDraft } from '../support/vacancies';
import { cli, clock, database, inCommit } from './cli-database';

/** The names of all commands below one, those that only have subcommands among them. */
function namesOf(command: Command, path: readonly string[] = []): string[] {
  return command.commands.flatMap((one) => {
    const own = [...path, one.name()];
    return [own.join(' '), ...namesOf(one, own)];
  });
}

const COMMANDS = namesOf(createProgram());
/** Those that do something. */
const LEAVES = COMMANDS.filter((name) => !COMMANDS.some((other) => other.startsWith(`${name} `)));

const vacancies = new VacancyRepository(clock, new DomainEvents());

describe('help', () => {
  test('is tested for all commands and groups', () => {
    expect(LEAVES.length).toBeGreaterThanOrEqual(37);
    expect(COMMANDS.length - LEAVES.length).toBe(11);
  });

  test.each(COMMANDS)('of "%s" exits with 0 and shows examples and exit codes', async (name) => {
    const run = await cli([...name.split(' '), '--help']);

    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toContain(`Usage: ./colloquy ${name}`);
    expect(run.out).toMatch(new RegExp(`Examples:\n  \\./colloquy ${name}`));
    expect(run.out).toContain('2  wrong usage');
  });

  test('of colloquy lists the commands and the exit codes', async () => {
    const run = await cli(['--help']);

    expect(run).toMatchObject({ code: 0, err: '' });
    for (const name of COMMANDS) expect(run.out).toContain(`  ${name.split(' ')[0] ?? ''} `);
    expect(run.out).toContain('Examples:\n  ./colloquy start');
    expect(run.out).toContain('3  the database or Notion cannot be reached');
  });

  test('of start lists every setting with its unit', async () => {
    const { out } = await cli(['start', '--help']);

    expect(out).toMatch(/PORT +a whole number from 0 to 65535 \(default 3000\)/);
    expect(out).toMatch(/JOB_LEASE +seconds from 0\.5 to 60 \(default 6\)/);
    expect(out).toMatch(/NOTION_TIMEOUT_MS +milliseconds from 10 to 60000 \(default 5000\)/);
  });

  test('is told in docs/command-line.md for every command', async () => {
    const documented = await readFile(path.resolve('docs/command-line.md'), 'utf8');

    const headings = documented.split('\n').filter((line) => line.startsWith('### '));
    const isDocumented = (name: string): boolean =>
      headings.some((heading) => new RegExp(`\`\\./colloquy ${name}[ \`]`).test(heading));
    expect(LEAVES.filter((name) => !isDocumented(name))).toEqual([]);
  });
});

test('help that nobody reads to the end is no error, as in "colloquy --help | head -1"', async () => {
  expect(await runCliUnread(['--help'])).toEqual({ code: 0, err: '' });
});

test('--version prints the release of package.json', async () => {
  expect(await cli(['--version'])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
});

describe('the exit code is', () => {
  test('0 when the work is done', async () => {
    expect(await cli(['vacancy', 'list'])).toMatchObject({ code: 0, err: '' });
  });

  test('1 when the command is refused', async () => {
    const run = await cli(['vacancy', 'import', path.join(tmpdir(), newId())]);

    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('there is no such file');
  });

  test.each([
    [[], /Usage: \.\/colloquy/],
    [['vacancy'], /Usage: \.\/colloquy vacancy/],
    [['burn'], /^unknown command 'burn'\nRun "\.\/colloquy --help"/],
    [['vacancy', 'burn'], /^unknown command 'burn'\nRun "\.\/colloquy vacancy --help"/],
    [['vacancy', 'list', 'all'], /^too many arguments.*\nRun "\.\/colloquy vacancy list --help"/],
    [['transcript', '--jsno'], /^unknown option '--jsno'\n\(Did you mean --json\?\)/],
    [['invite'], /^missing required argument 'vacancy'/],
  ])('2 for %j', async (args, complaint) => {
    const run = await cli(args);

    expect(run).toMatchObject({ code: 2, out: '' });
    expect(run.err).toMatch(complaint);
    expect(run.err).not.toContain('    at ');
  });

  test('3 when the database cannot be reached', async () => {
    const run = await cli(['vacancy', 'list'], { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z' });

    expect(run).toEqual({
      code: 3,
      out: '',
      err: 'The database server at 127.0.0.1:1 cannot be reached (ECONNREFUSED): check that it runs, and check DATABASE_URL.\n',
    });
  });

  test.each(['migrate', 'start'])('3 when "%s" reaches no database', async (name) => {
    const env = { DATABASE_URL: 'postgres://x:y@127.0.0.1:1/z', PORT: '0' };
    const run = await runCliProcess([name], env);

    expect(run.code).toBe(3);
    expect(run.err).toBe(
      'The database server at 127.0.0.1:1 cannot be reached (ECONNREFUSED): check that it runs, and check DATABASE_URL.\n',
    );
  });

  test('3 when Notion cannot be reached', async () => {
    const run = await cli(['notion', 'doctor'], {
      NOTION_TOKEN: 'ntn_1',
      NOTION_API_URL: `http://127.0.0.1:${String(await unusedPort())}`,
      NOTION_DATA_SOURCE_ID: newId(),
      NOTION_MAX_TRIES: '0',
    });

    expect(run).toEqual({
      code: 3,
      out: '',
      err: 'Notion did not respond (ECONNREFUSED): check the network and NOTION_API_URL.\n',
    });
  });

  test.each([
    ['vacancy', 'show', 'cook'],
    ['vacancy', 'export', 'cook'],
    ['invite', 'cook'],
    ['transcript', newId()],
    ['attention', 'show', '1'],
    ['attention', 'close', '1', '--by', 'Nora', '--reason', 'done'],
    ['candidate', 'export', newId()],
    ['candidate', 'erase', newId(), '--yes'],
    ['key', 'revoke', 'crm'],
  ])('4 when "%s %s" finds nothing', async (...args) => {
    const run = await cli(args);

    expect(run).toMatchObject({ code: 4, out: '' });
    expect(run.err.trim().split('\n')).toHaveLength(1);
  });

  test('5 when the doctor finds something wrong', async () => {
    const notion = await NotionServer.start();
    const run = await cli(['notion', 'doctor', '--json'], {
      NOTION_TOKEN: notion.token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: newId(),
    });
    await notion.close();

    expect(run).toMatchObject({ code: 5, err: '' });
    expect(JSON.parse(run.out)).toMatchObject({
      findings: [{ kind: 'ok' }, { kind: 'wrong' }, { kind: 'note' }],
    });
  });
});

test('errors about an attention item name it and what to do', async () => {
  const id = await inCommit(async (tx) => {
    const { attention } = attentionRig(clock);
    await attention.raise(tx, { kind: 'braked', subject: 'user:5', reason: '74 writes at once' });
    return (await attention.list(tx)).at(-1)?.id ?? '';
  });
  const close = ['attention', 'close', id, '--by', 'Nora', '--reason', 'done'];

  const unknown = await cli(['attention', 'show', '99']);
  const alone = await cli(['attention', 'return', id, '--by', 'Nora']);
  await cli(close);
  const again = await cli(close);

  expect(unknown).toEqual({
    code: 4,
    out: '',
    err: 'There is no attention item 99: "./colloquy attention --all" lists them.\n',
  });
  expect(alone).toEqual({
    code: 1,
    out: '',
    err: `Item ${id} belongs to no conversation: close or replay it.\n`,
  });
  expect(again).toEqual({
    code: 1,
    out: '',
    err: `Item ${id} is closed already: "./colloquy attention show ${id}" says by whom.\n`,
  });
});

describe('--json prints one document', () => {
  test('for vacancies, an invitation, its transcripts and its erasure', async () => {
    await inCommit((tx) => vacancies.upsert(tx, vacancyDraft()));

    const listed = await json(['vacancy', 'list']);
    const shown = await json(['vacancy', 'show', 'baker']);
    const invited = await json(['invite', 'baker', '--name', 'Bo']);
    const { id } = (invited as { candidate: { id: string } }).candidate;
    const erased = await json(['candidate', 'erase', id, '--yes']);

    expect(listed).toMatchObject({ vacancies: [{ slug: 'baker', title: 'Baker' }] });
    expect(shown).toMatchObject({ slug: 'baker', documents: [], owner: { name: 'Ada' } });
    expect(invited).toMatchObject({ candidate: { name: 'Bo' }, telegramLink: null });
    const kept = [
      'how much was erased, by vacancy',
      'the audit, with a hash of their id',
      'the hashes of decision files',
    ];
    expect(erased).toEqual({ candidateId: id, conversations: 0, messages: 0, kept });
    expect(await json(['transcript'])).toEqual({ conversations: [] });
    expect(await json(['attention'])).toEqual({ items: [] });
  });

  async function json(args: string[]): Promise<unknown> {
    const { code, out, err } = await cli([...args, '--json']);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    return JSON.parse(out);
  }
});

test('a command runs no job and no interval, and opens one connection', async () => {
  // Intervals are counted since the process started, and other commands may begin some.
  await endCliHost();
  const id = await inCommit(async (tx) => {
    await vacancies.upsert(tx, vacancyDraft());
    await tx.query(`insert into job (queue, key, state, due_at, first_at)
        values ('flush', 'x', 'retry', now() - interval '1 minute', now())`);
    return (await new CandidateRepository(clock).create(tx, { name: 'Bo' })).id;
  });
  const jobs = () => inCommit((tx) => tx.query('select * from job'));
  const before = await jobs();

  for (const args of [
    ['vacancy', 'list'],
    ['invite', 'baker'],
    ['transcript'],
    ['attention'],
    ['attention', 'replay', '1'],
    ['attention', 'reply', '1', '--text', 'Hello'],
    ['candidate', 'export', id],
    ['candidate', 'erase', id, '--yes'],
    ['notion', 'enrol', '--status'],
  ]) {
    const { err, starts } = await runCliCounted(args, { DATABASE_URL: database().url });
    expect(err).not.toContain('    at ');
    expect([args, starts]).toEqual([args, { intervals: 0, connections: 1 }]);
  }

  expect(await jobs()).toEqual(before);
});

test('a command leaves due work open, also with every setting on that makes a server work', async () => {
  await endCliHost();
  const everything = {
    TELEGRAM_BOT_TOKEN: '1:token',
    NOTION_TOKEN: 'token',
    NOTION_DATA_SOURCE_ID: newId(),
    OPENAI_API_KEY: 'key',
    OPENAI_FALLBACK_BASE_URL: 'http://127.0.0.1:1/v1',
    OPENAI_FALLBACK_API_KEY: 'key',
    OPENAI_FALLBACK_MODEL: 'second',
    SCORING: 'true',
    // A server makes collected answers due at its start, and works them off at its end.
    INTERVIEW_BUFFER_ENABLED: 'false',
    SHUTDOWN_PENDING: 'flush',
  };
  await inCommit((tx) =>
    tx.query(`insert into job (queue, key, state, due_at, first_at) values
        ('flush', 'collected', 'open', now() + interval '1 hour', now()),
        ('flush', 'due', 'retry', now() - interval '1 minute', now()),
        ('score', 'due', 'open', now() - interval '1 minute', now()),
        ('notion-sync', 'due', 'open', now() - interval '1 minute', now()),
        ('deliver', 'due', 'open', now() - interval '1 minute', now())`),
  );
  const jobs = () => inCommit((tx) => tx.query('select * from job order by id'));
  const before = await jobs();

  const env = { DATABASE_URL: database().url, ...everything };
  const { code, err, starts } = await runCliCounted(['vacancy', 'list'], env);

  expect({ code, err, starts }).toEqual({
    code: 0,
    err: '',
    starts: { intervals: 0, connections: 1 },
  });
  expect(await jobs()).toEqual(before);
});
