import { stripVTControlCharacters } from 'node:util';
import { getsRunToken } from '../../src/bootstrap/start';
import { type StartReport, startFields, startText } from '../../src/bootstrap/start-report';
import type { Team } from '../../src/bootstrap/first-admin';
import type { Vacancy } from '../../src/vacancies';
import { settingsForTests } from '../support/settings';
import { vacancyDraft } from '../support/vacancies';

const NOBODY: Team = { hasUsers: false, firstAdminLink: null };
const FIRST_ADMIN = 'http://localhost:3000/console/join/Hb4nq8Yt2LsW6vKd0PbX1mHcQa7uEo9d';
const TOKEN = 'token-of-the-tests-0123456789abcdef';

function vacancies(count: number): Vacancy[] {
  return Array.from({ length: count }, (_, n) => ({
    ...vacancyDraft({ slug: `vacancy-${n}` }),
    id: String(n),
    openToken: `open-${n}`,
    brand: {},
    notices: [],
    closedAt: null,
  }));
}

function reportOf(
  env: Record<string, string> = {},
  { count = 2, runToken = null as string | null, team = NOBODY } = {},
): StartReport {
  const given = runToken === null ? env : { ...env, ADMIN_TOKEN: runToken };
  const settings = settingsForTests(given);
  const baseUrl = settings.http.publicUrl === '' ? 'http://localhost:3000' : env['PUBLIC_URL'];
  const serving = { baseUrl: baseUrl ?? '', port: 3000, vacancies: vacancies(count), team };
  return { settings, serving, database: '/data', runToken };
}

/** The rows by their labels. */
function rowsIn(text: string): Record<string, string[]> {
  const rows: Record<string, string[]> = {};
  let label = '';
  for (const line of text.split('\n').filter((one) => /^ {2}\S.* {2}|^ {10}/.test(one))) {
    label = line.slice(2, 15).trim() || label;
    rows[label] = [...(rows[label] ?? []), line.slice(15)];
  }
  return rows;
}

describe('a start at a terminal', () => {
  test('says what can be opened, what is on, where the data is and how to stop', () => {
    const text = startText(reportOf({ HOST: '127.0.0.1' }, { runToken: TOKEN }), {
      hasColours: false,
    });

    expect(text).toMatch(/^\n {2}Colloquy \d+\.\d+\.\d+ is ready\n/);
    expect(rowsIn(text)).toEqual({
      Interviews: [
        'Baker, Crumb',
        'http://localhost:3000/i/open-0',
        'Baker, Crumb',
        'http://localhost:3000/i/open-1',
      ],
      'Front page': ['http://localhost:3000/'],
      Team: ['no users yet; invite the first admin: ./colloquy user create --role admin'],
      Recruiters: [
        'http://localhost:3000/console',
        `admin token of this run: ${TOKEN}`,
        'set ADMIN_TOKEN for one that stays',
      ],
      API: ['http://localhost:3000/docs'],
      Interviewer: ['scripted interviewer; set OPENAI_API_KEY for AI'],
      Telegram: ['off; set TELEGRAM_BOT_TOKEN to turn it on'],
      Notion: ['off; set NOTION_TOKEN to turn it on'],
      Data: ['/data'],
      Stop: ['Ctrl-C; what was begun is finished first'],
    });
  });

  test('names what is on, and never a token of the settings', () => {
    const env = {
      HOST: '0.0.0.0',
      OPENAI_API_KEY: 'secret-key',
      OPENAI_MODEL: 'some-model',
      TELEGRAM_BOT_TOKEN: '123456:abcdefghijklmnopqrstuvwxyz012345678',
      TELEGRAM_BOT_NAME: 'crumb_bot',
      ADMIN_TOKEN: TOKEN,
    };

    const text = startText(reportOf(env), { hasColours: false });

    expect(rowsIn(text)).toMatchObject({
      Recruiters: ['http://localhost:3000/console, with an admin token of the settings'],
      API: ['its description is off; set MANAGEMENT_TOKEN to turn it on'],
      Interviewer: ['some-model'],
      Telegram: ['on, @crumb_bot (polling)'],
    });
    for (const secret of [TOKEN, 'secret-key', '123456:']) expect(text).not.toContain(secret);
  });

  test.each([
    [
      'while nobody has joined',
      { hasUsers: false, firstAdminLink: FIRST_ADMIN },
      `${FIRST_ADMIN}, the first admin; works once`,
    ],
    ['later', { hasUsers: true, firstAdminLink: null }, 'http://localhost:3000/console/sign-in'],
  ])('says how people of the team get in: %s', (_, team, line) => {
    expect(rowsIn(startText(reportOf({}, { team }), { hasColours: false }))['Team']).toEqual([
      line,
    ]);
  });

  test('lists twelve of many vacancies and says how to see the others', () => {
    const text = startText(reportOf({}, { count: 14 }), { hasColours: false });

    expect(rowsIn(text)['Interviews']).toHaveLength(25);
    expect(text).toContain('and 2 more: ./colloquy vacancy list');
  });

  test.each([
    ['the embedded database', {}, []],
    [
      "a team's own database",
      { DATABASE_URL: 'postgres://colloquy@db/colloquy' },
      ['examples load only into the embedded database'],
    ],
  ])('without a vacancy says to import one: %s', (_database, env, more) => {
    const report = reportOf(env, { count: 0 });

    const says = ['none yet; import your vacancy: ./colloquy vacancy import FILE.yaml', ...more];
    expect(rowsIn(startText(report, { hasColours: false }))['Interviews']).toEqual(says);
    expect(startFields(report)).toMatchObject({ vacancies: 0, interviews: says.join('; ') });
  });

  test('lists no closed vacancy, and says when all are closed', () => {
    const { serving, ...report } = reportOf();
    const closed = serving.vacancies.map((one) => ({ ...one, closedAt: new Date() }));
    const linesOf = (vacancies: readonly Vacancy[]): string[] | undefined => {
      const text = startText(
        { ...report, serving: { ...serving, vacancies } },
        { hasColours: false },
      );
      return rowsIn(text)['Interviews'];
    };

    expect(linesOf([...closed.slice(0, 1), ...serving.vacancies.slice(1)])).toEqual([
      'Baker, Crumb',
      'http://localhost:3000/i/open-1',
    ]);
    expect(linesOf(closed)).toEqual([
      'all vacancies are closed; ./colloquy vacancy reopen SLUG opens one again',
    ]);
  });

  test('has colours only when it is asked for them', () => {
    const coloured = startText(reportOf(), { hasColours: true });
    const plain = startText(reportOf(), { hasColours: false });

    expect(coloured).not.toBe(plain);
    expect(stripVTControlCharacters(coloured)).toBe(plain);
  });
});

describe('a start that is logged', () => {
  test('names the file with the link of the first admin, and not the link', () => {
    const team = { hasUsers: false, firstAdminLink: FIRST_ADMIN };
    const fields = startFields(reportOf({ COLLOQUY_DATA_DIR: '/data' }, { team }));

    expect(fields['team']).toBe(
      'no users yet; the link of the first admin is in /data/first-admin-link',
    );
    expect(JSON.stringify(fields)).not.toContain('/console/join/');
  });

  test('has the open links while Colloquy is tried, and never a token of the run', () => {
    const fields = startFields(reportOf({ HOST: '127.0.0.1' }, { runToken: TOKEN }));

    expect(fields).toMatchObject({
      url: 'http://localhost:3000',
      docs: 'http://localhost:3000/docs',
      recruiters: 'http://localhost:3000/console',
      interviewer: 'scripted',
      telegram: 'off',
      links: ['http://localhost:3000/i/open-0', 'http://localhost:3000/i/open-1'],
    });
    expect(JSON.stringify(fields)).not.toContain(TOKEN);
  });

  test('has no link of a candidate on a server with a PUBLIC_URL', () => {
    const fields = startFields(reportOf({ PUBLIC_URL: 'https://jobs.example' }));

    expect(fields).toMatchObject({ url: 'https://jobs.example', port: 3000, vacancies: 2 });
    expect(JSON.stringify(fields)).not.toContain('/i/');
  });
});

test.each([
  ['is made at a terminal of this machine', {}, true, true],
  ['is not made where the output may be kept', {}, false, false],
  ['is not made where others reach the server', { HOST: '0.0.0.0' }, true, false],
  ['is not made behind a proxy', { TRUST_PROXY: '1' }, true, false],
  ['is not made where candidates come', { PUBLIC_URL: 'https://jobs.example' }, true, false],
  ['is not made beside one of the settings', { ADMIN_TOKEN: TOKEN }, true, false],
  ['is not made beside a named one', { ADMIN_TOKENS: `nora:${TOKEN}` }, true, false],
  ['is not made on a database that others use', { DATABASE_URL: 'postgres://a@b/c' }, true, false],
])('an admin token of the run %s', (_, env: Record<string, string>, isTerminal, expected) => {
  const settings = settingsForTests({ HOST: '127.0.0.1', ...env });

  expect(getsRunToken(settings, isTerminal)).toBe(expected);
});
