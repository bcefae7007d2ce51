import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidSettingsError, Settings } from '../../src/common/config';
import { ABOUT, PROPERTY_NAME, setting } from '../../src/common/config/setting-kinds';

const SECOND_MODEL = {
  OPENAI_FALLBACK_BASE_URL: 'http://b/v1',
  OPENAI_FALLBACK_API_KEY: 'two',
  OPENAI_FALLBACK_MODEL: 'm',
};

describe('the settings', () => {
  test('have a value for everything in an empty environment', () => {
    const settings = Settings.fromEnvironment({});

    expect(settings.buffer).toEqual({
      enabled: true,
      debounceMs: 10_000,
      debounceWebMs: 4000,
      typingDebounceMs: 5000,
      isLearning: true,
      maxWaitMs: 120_000,
      maxSize: 50,
      maxChars: 16_000,
      ttlMs: 3_600_000,
    });
    expect(settings.database.url).toBeNull();
  });

  test('take decimals of seconds and treat an empty value as unset', () => {
    const settings = Settings.fromEnvironment({
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '0.25',
      INTERVIEW_BUFFER_TTL: ' ',
    });

    expect(settings.buffer.debounceMs).toBe(250);
    expect(settings.buffer.ttlMs).toBe(3_600_000);
  });

  test('name every bad value at once with what was expected, and hide secrets', () => {
    const read = () =>
      Settings.fromEnvironment({
        INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '-5',
        PORT: '70000',
        SHUTDOWN_PENDING: 'maybe',
        PUBLIC_URL: 'ftp://example.org',
        INTERVIEW_BUFFER_ENABLED: 'yes',
        INTERVIEW_BUFFER_MAX_SIZE: '2.5',
      });

    expect(read).toThrow(InvalidSettingsError);
    expect(read).toThrow(
      [
        'PORT=70000: expected a whole number from 0 to 65535',
        'PUBLIC_URL=ftp://example.org: expected an http or https address without a user, not of a metadata service',
        'INTERVIEW_BUFFER_ENABLED=yes: expected true or false',
        'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT=-5: expected seconds from 0.1 to 600',
        'INTERVIEW_BUFFER_MAX_SIZE=2.5: expected a whole number of messages from 1 to 1000',
        'SHUTDOWN_PENDING=maybe: expected one of keep, flush',
      ].join('\n'),
    );
  });

  test('refuse an address with a password, and do not show it', () => {
    const read = () =>
      Settings.fromEnvironment({ OPENAI_BASE_URL: 'http://user:hunter2@example.org/v1' });

    expect(read).toThrow(
      'OPENAI_BASE_URL=http://(hidden)@example.org/v1: expected an http or https',
    );
    expect(read).not.toThrow('hunter2');
  });

  test.each(['hunt/er2', 'hunt#er2', 'hunt?er2', 'hunt@er2'])(
    'do not show any part of the password %s in an address',
    (password) => {
      const read = () =>
        Settings.fromEnvironment({ OPENAI_BASE_URL: `https://user:${password}@example.org/v1` });

      expect(read).toThrow('OPENAI_BASE_URL=https://(hidden)@example.org/v1: expected');
      expect(read).not.toThrow('er2');
    },
  );

  test('refuse an alert address that is none, and do not show it', () => {
    const read = () =>
      Settings.fromEnvironment({ ALERT_WEBHOOK_URL: 'hooks.example.org/services/hunter2' });

    expect(read).toThrow('ALERT_WEBHOOK_URL=(hidden): expected an http or https address');
    expect(read).not.toThrow('hunter2');
  });

  test('know the zones, places and property names of Notion boards', () => {
    const { notionBoard } = Settings.fromEnvironment({
      NOTION_TIME_ZONE: 'Europe/Berlin',
      NOTION_COUNTRY: 'us',
      NOTION_REGION: 'la.no',
      NOTION_HOURS_A_DAY: '7.5',
      NOTION_PROPERTY_DUE: 'Deadline',
      NOTION_PROPERTY_AT_RISK: '-',
    });

    expect(notionBoard).toMatchObject({
      timeZone: 'Europe/Berlin',
      place: { country: 'US', region: 'LA.NO' },
      hoursADay: 7.5,
      names: { due: 'Deadline', atRisk: null, queueRank: 'Queue Rank' },
      ranking: { strategy: 'importance' },
    });
    expect(Settings.fromEnvironment({}).notionBoard.place).toEqual({ country: null, region: null });
  });

  test('name what cannot be used of a Notion board', () => {
    const read = (env: Record<string, string>) => () => Settings.fromEnvironment(env);

    expect(
      read({ NOTION_TIME_ZONE: 'Berlin', NOTION_COUNTRY: 'Germany', NOTION_HOURS_A_DAY: '25' }),
    ).toThrow(
      [
        'NOTION_COUNTRY=Germany: expected two letters like DE',
        'NOTION_TIME_ZONE=Berlin: expected a time zone like Europe/Berlin',
        'NOTION_HOURS_A_DAY=25: expected hours from 0.5 to 24',
      ].join('\n'),
    );
    expect(read({ NOTION_PROPERTY_QUEUE_RANK: 'Importance', NOTION_REGION: 'BY' })).toThrow(
      [
        'NOTION_PROPERTY_QUEUE_RANK=Importance: expected another property than NOTION_PROPERTY_IMPORTANCE',
        'NOTION_REGION=BY: expected NOTION_COUNTRY',
      ].join('\n'),
    );
  });

  test.each([
    'ADMIN_TOKEN',
    'MANAGEMENT_TOKEN',
    'TELEGRAM_WEBHOOK_SECRET',
    'NOTION_AUTOMATION_SECRET',
  ])('refuse a %s that could be guessed, and do not show it', (name) => {
    const read = (value: string) => () => Settings.fromEnvironment({ [name]: value });
    const short = 'x'.repeat(31);

    expect(read(short)).toThrow(new RegExp(`^${name}=\\(hidden\\): expected 32 (or more|to 256)`));
    expect(read(short)).not.toThrow(short);
    expect(read(`${short}x`)).not.toThrow();
  });

  test('take the verification token of Notion as it comes: Notion issues it', () => {
    const { notionSync } = Settings.fromEnvironment({ NOTION_WEBHOOK_TOKEN: 'secret_short' });

    expect(notionSync.webhookToken).toBe('secret_short');
  });

  test('name admin tokens, each name and each token once', () => {
    const [a, b] = ['a'.repeat(32), 'b'.repeat(32)];
    const read = (tokens: string) =>
      Settings.fromEnvironment({ ADMIN_TOKEN: 'c'.repeat(32), ADMIN_TOKENS: tokens }).admin.tokens;

    expect(read(`nora:${a}, marina:${b}`)).toEqual([
      { name: 'ADMIN_TOKEN', token: 'c'.repeat(32) },
      { name: 'nora', token: a },
      { name: 'marina', token: b },
    ]);
    for (const bad of ['nora', `nora:short`, `nora:${a},nora:${b}`, `nora:${a},marina:${a}`]) {
      expect(() => read(bad)).toThrow('ADMIN_TOKENS=(hidden): expected name:token');
    }
  });

  test.each([
    ['', false],
    ['false', false],
    ['0', false],
    ['2', 2],
    ['10.0.0.0/8, 192.0.2.1,2001:db8::/32', ['10.0.0.0/8', '192.0.2.1', '2001:db8::/32']],
  ])('take TRUST_PROXY=%s as a number of proxies or their addresses', (raw, trusted) => {
    expect(Settings.fromEnvironment({ TRUST_PROXY: raw }).http.trustProxy).toEqual(trusted);
  });

  test.each([
    'true',
    '11',
    '-1',
    '1.5',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    '10.0.0/8',
    '1.2.3.4,x',
  ])('refuse TRUST_PROXY=%s with the reason', (raw) => {
    const read = () => Settings.fromEnvironment({ TRUST_PROXY: raw });

    expect(read).toThrow(InvalidSettingsError);
    expect(read).toThrow('true is refused: a client could choose its own address');
  });

  test.each([
    '0.0.0.0/1,128.0.0.0/1',
    '128.0.0.0/1, 10.0.0.0/8, 64.0.0.0/2,0.0.0.0/2',
    '::/1,8000::/1',
    '::ffff:0:0/96',
    '::ffff:0.0.0.0/97,::ffff:128.0.0.0/97',
    '::/1',
  ])('refuse TRUST_PROXY=%s, which trusts everybody', (raw) => {
    const read = () => Settings.fromEnvironment({ TRUST_PROXY: raw });

    expect(read).toThrow('ranges that together hold all addresses');
  });

  test.each(['0.0.0.0/1,128.0.0.0/2', '2000::/3,fd00::/8,10.0.0.0/8', '8000::/1'])(
    'take TRUST_PROXY=%s, which leaves somebody out',
    (raw) => {
      const { trustProxy } = Settings.fromEnvironment({ TRUST_PROXY: raw }).http;

      expect(trustProxy).toEqual(raw.split(','));
    },
  );

  describe('of a secret', () => {
    let folder: string;
    const fileWith = (text: string): string => {
      const file = path.join(folder, 'secret');
      writeFileSync(file, text);
      return file;
    };

    beforeAll(() => {
      folder = mkdtempSync(path.join(tmpdir(), 'colloquy-secrets-'));
    });

    afterAll(() => {
      rmSync(folder, { recursive: true });
    });

    test('come from the file that the variable with _FILE names, without the last line end', () => {
      const url = 'postgres://user:secret@db:5432/colloquy';
      const { database } = Settings.fromEnvironment({ DATABASE_URL_FILE: fileWith(`${url}\n`) });

      expect(database.url).toBe(url);
    });

    test('stay at their default when the file is empty', () => {
      const { llm } = Settings.fromEnvironment({ OPENAI_API_KEY_FILE: fileWith('\n') });

      expect(llm.apiKey).toBe('');
    });

    test('are refused when the file cannot be read, or names a value beside the variable', () => {
      const missing = path.join(folder, 'missing');
      const read = () =>
        Settings.fromEnvironment({
          ADMIN_TOKEN_FILE: missing,
          OPENAI_API_KEY: 'one',
          OPENAI_API_KEY_FILE: fileWith('two'),
        });

      expect(read).toThrow(
        [
          'OPENAI_API_KEY_FILE: expected to be empty, because OPENAI_API_KEY is set',
          `ADMIN_TOKEN_FILE=${missing}: expected a file that can be read (ENOENT)`,
        ].join('\n'),
      );
    });

    test('are not shown when the file has a wrong value', () => {
      const read = () => Settings.fromEnvironment({ ADMIN_TOKEN_FILE: fileWith('guessable') });

      expect(read).toThrow('ADMIN_TOKEN=(hidden): expected 32 or more characters');
      expect(read).not.toThrow('guessable');
    });

    test('are read from files for secrets only', () => {
      const { http } = Settings.fromEnvironment({ PORT_FILE: fileWith('8080') });

      expect(http.port).toBe(3000);
    });
  });

  test.each([
    [{ OPENAI_FALLBACK_MODEL: 'm' }, 'OPENAI_FALLBACK_BASE_URL: expected too'],
    [{ OPENAI_FALLBACK_MODEL: 'm' }, 'OPENAI_FALLBACK_API_KEY: expected too'],
    [
      { OPENAI_FALLBACK_BASE_URL: 'http://b/v1', OPENAI_FALLBACK_API_KEY: 'k' },
      'OPENAI_FALLBACK_MODEL: expected too',
    ],
    [{ ...SECOND_MODEL, OPENAI_API_KEY: '' }, 'expected OPENAI_API_KEY too'],
  ])('of a second model are refused unless they are whole: %j', (env, problem) => {
    expect(() => Settings.fromEnvironment({ OPENAI_API_KEY: 'one', ...env })).toThrow(problem);
  });

  test('of a second model are off without any of them, and one group with all', () => {
    const { llm: without } = Settings.fromEnvironment({ OPENAI_API_KEY: 'one' });
    const { llm } = Settings.fromEnvironment({ OPENAI_API_KEY: 'one', ...SECOND_MODEL });

    expect(without.fallback).toBeNull();
    expect(llm.fallback).toEqual({ baseUrl: 'http://b/v1', apiKey: 'two', model: 'm' });
  });

  test('cannot be changed', () => {
    const settings = Settings.fromEnvironment({});

    expect(Object.isFrozen(settings)).toBe(true);
    expect(Object.isFrozen(settings.buffer)).toBe(true);
    expect(Object.isFrozen(settings.notionBoard.place)).toBe(true);
  });
});

describe('a name that is no setting', () => {
  const read = (env: Record<string, string>) => () => Settings.fromEnvironment(env);

  test.each([
    ['TASK_LEASE', 'TASK_LEASE: this setting is called JOB_LEASE now'],
    ['TASK_POLL', 'TASK_POLL: this setting is called JOB_POLL now'],
    ['SSE_HEARTBEAT', 'SSE_HEARTBEAT: this setting is gone, its value is fixed now: remove it'],
    ['INTERVIEW_SPEED', "names with INTERVIEW_ are Colloquy's"],
    ['JOB_WORKERS', "names with JOB_ are Colloquy's"],
    ['TELEGRAM_PROXY', "names with TELEGRAM_ are Colloquy's"],
    ['NOTION_API_KEY', "names with NOTION_ are Colloquy's"],
    ['SHUTDOWN_DEADLINE_FILE', "names with SHUTDOWN_ are Colloquy's"],
    ['OPENAI_MODLE', 'OPENAI_MODLE: there is no such setting; did you mean OPENAI_MODEL?'],
    ['OPENAY_API_KEI', 'did you mean OPENAI_API_KEY?'],
    ['DTABASE_UL', 'did you mean DATABASE_URL?'],
    ['XXDATABASE_URL', 'did you mean DATABASE_URL?'],
    ['DATABASE_POOL_SIZES', 'did you mean DATABASE_POOL_SIZE?'],
    ['ADMIN_TOKEN_FILES', 'did you mean ADMIN_TOKEN_FILE?'],
  ])('stops the start where it is meant for Colloquy: %s', (name, problem) => {
    expect(read({ [name]: 'hunter2' })).toThrow(InvalidSettingsError);
    expect(read({ [name]: 'hunter2' })).toThrow(problem);
    expect(read({ [name]: 'hunter2' })).not.toThrow('hunter2');
    expect(read({ [name]: ' ' })).not.toThrow();
  });

  test('is listed together with the values that cannot be used', () => {
    expect(read({ PORT: '-1', TASK_LEASE: '6' })).toThrow(
      [
        'TASK_LEASE: this setting is called JOB_LEASE now',
        'PORT=-1: expected a whole number from 0 to 65535',
      ].join('\n'),
    );
  });

  test.each([
    ['Kubernetes for a Service', 'COLLOQUY_SERVICE_HOST', '10.96.0.10'],
    ['Kubernetes for a Service', 'COLLOQUY_SERVICE_PORT', '80'],
    ['Kubernetes for a Service', 'COLLOQUY_METRICS_SERVICE_PORT_HTTP', '80'],
    ['Kubernetes for a Service', 'NOTION_PORT', 'tcp://10.96.0.11:80'],
    ['Kubernetes for a Service', 'TELEGRAM_PORT_80_TCP', 'tcp://10.96.0.12:80'],
    ['Kubernetes for a Service', 'JOB_PORT_80_TCP_ADDR', '10.96.0.13'],
    ['Kubernetes for a Service', 'RETENTION_PORT_80_TCP_PROTO', 'tcp'],
    ['Jenkins', 'JOB_NAME', 'deploy'],
    ['OpenTelemetry', 'OTEL_SERVICE_NAME', 'colloquy'],
    ['Node', 'NODE_OPTIONS', '--enable-source-maps'],
    ['PostgreSQL', 'PGHOST', 'localhost'],
    ['the client of the model server', 'OPENAI_ORG_ID', 'org-1'],
    ['a platform', 'DATABASE_HOST', 'db'],
    ['a desktop', 'SESSION_MANAGER', 'local/desk:@/tmp/.ICE-unix/1'],
    ['a shell', 'HOSTNAME', 'desk'],
    ['a shell', 'USER_ID', '1000'],
    ['an operating system', 'LOGNAME', 'ada'],
    ["Colloquy's own tests", 'COLLOQUY_TEST_PGBOUNCER', 'required'],
  ])('stops nothing where it belongs to %s: %s', (_owner, name, value) => {
    expect(read({ [name]: value })).not.toThrow();
  });
});

test('a property of Notion whose name is - by default is one that the board need not have', () => {
  const name = setting('NOTION_PROPERTY_STORY_POINTS=-', PROPERTY_NAME, 'Story points.');

  expect(ABOUT.get(name)).toMatchObject({ defaultText: '-', doc: 'Story points.' });
  expect(['', '-', 'Points'].map((text) => name.parse(text))).toEqual([null, null, 'Points']);
});
