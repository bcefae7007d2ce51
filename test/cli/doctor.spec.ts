import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unusedPort } from '../../tools/fake-network/load-balancer';
import { ModelServer } from '../../tools/fake-model/model-server';
import { type Board, NotionServer } from '../../tools/fake-notion';
import { TelegramServer } from '../../tools/fake-telegram';
import { Listener } from '../../tools/http-fake/listener';
import { OLD_SCHEMA } from '../support/old-schema';
import { rowsOf } from '../support/outside';
import { ADMIN_TOKEN } from '../support/secrets';
import { cli, database } from './cli-database';
import { doctor } from './doctor-report';

const KEY = 'sk-key-of-these-tests-4711';

describe('with everything in order', () => {
  let model: ModelServer;
  let telegram: TelegramServer;
  let notion: NotionServer;
  let page: Listener;
  let env: Record<string, string>;

  beforeAll(async () => {
    [model, telegram, notion] = await Promise.all([
      ModelServer.start(),
      TelegramServer.start(),
      NotionServer.start(),
    ]);
    notion.limits.lift();
    page = new Listener((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
      return Promise.resolve();
    });
    await page.open();
    model.models.known = ['gpt-4.1-mini'];
    model.models.key = KEY;
    env = {
      OPENAI_API_KEY: KEY,
      OPENAI_BASE_URL: model.baseUrl,
      TELEGRAM_BOT_TOKEN: telegram.token,
      TELEGRAM_API_ROOT: telegram.apiRoot,
      NOTION_TOKEN: notion.token,
      NOTION_API_URL: notion.url,
      NOTION_DATA_SOURCE_ID: notion.workspace.board().id,
      NOTION_MAX_RPS: '100',
      NOTION_BUDGET_PER_MINUTE: '180',
      PUBLIC_URL: page.url,
    };
  });

  afterAll(async () => {
    await Promise.all([model.close(), telegram.close(), notion.close(), page.close()]);
  });

  test('ends with 0, one line for each check, and no secret', async () => {
    const { lines, code } = await doctor(env);
    const text = await cli(['doctor'], env);

    expect(code).toBe(0);
    for (const line of [
      'ok settings: All settings can be used together.',
      'ok migrations: The database has all migrations of this version.',
      "ok clock: This machine's clock agrees with the database's.",
      'ok clock: Node and PostgreSQL show the same time in the time zone in use.',
      `ok model: The model server at ${new URL(model.baseUrl).host} takes the key and knows OPENAI_MODEL=gpt-4.1-mini.`,
      'ok telegram: TELEGRAM_BOT_TOKEN is the bot @colloquy_test_bot (7000000001).',
      'ok telegram: No webhook is set, as polling needs it; 0 updates wait.',
      `ok address: Colloquy responds at ${page.url}.`,
      'ok certificates: No certificate is configured here.',
    ]) {
      expect(lines).toContain(line);
    }
    // The test server runs so; the rest of the report has no other warning than the notes on Notion.
    expect(lines.filter((line) => line.startsWith('warning database'))).toEqual([
      expect.stringContaining('fsync = off'),
    ]);
    expect(text.out).toContain('ok       migrations    The database has all migrations');
    expect(text.out).toMatch(/\n\nProblems: 0, warnings: \d+\.\n$/);
    for (const secret of [KEY, telegram.token, notion.token]) {
      expect(`${lines.join()}${text.out}`).not.toContain(secret);
    }
  });

  test('reports an outage of each peer, and each hides no other check', async () => {
    await Promise.all([model.goDown(), telegram.goDown(), notion.goDown(), page.close()]);
    const found = await doctor({ ...env, NOTION_BACKOFF_INITIAL_MS: '10' });
    await Promise.all([model.comeUp(), telegram.comeUp(), notion.comeUp(), page.open()]);

    expect(found.code).toBe(1);
    expect(found.of('model')).toEqual([
      expect.stringMatching(/^problem .* sends no usable response: check OPENAI_BASE_URL/),
    ]);
    expect(found.of('telegram')).toEqual([
      expect.stringMatching(/^problem .*The Bot API cannot be reached: check the network/),
    ]);
    expect(found.of('notion')).toEqual([
      expect.stringMatching(/^problem .*Notion did not respond/),
    ]);
    expect(found.of('address')).toEqual([
      expect.stringMatching(/^warning .* was not reached from here \(ECONNREFUSED\): start/),
    ]);
    expect(found.of('migrations')).toEqual([expect.stringMatching(/^ok /)]);
  });
});

describe('settings', () => {
  test('that contradict each other are listed, and nothing else is checked', async () => {
    const { lines } = await doctor({ NOTION_TOKEN: 'ntn_x', NOTION_REGION: 'BY' });

    expect(lines).toEqual([
      'problem settings: NOTION_REGION=BY: expected NOTION_COUNTRY',
      'problem settings: NOTION_TOKEN is set: expected NOTION_DATA_SOURCE_ID, where the tasks are',
      'warning settings: Nothing else was checked, because it depends on the settings.',
    ]);
  });

  test.each([
    [{ SESSION_IDLE_TIMEOUT: '7200', SESSION_LIFETIME: '3600' }, 'SESSION_IDLE_TIMEOUT is longer'],
    [{ ADMIN_TOKEN, MANAGEMENT_TOKEN: ADMIN_TOKEN }, 'MANAGEMENT_TOKEN is an admin token too'],
    [{ OPENAI_REQUEST_TIMEOUT: '5' }, 'OPENAI_FIRST_BYTE_TIMEOUT is longer'],
    [{ INTERVIEW_BUFFER_MAX_WAIT: '5' }, 'INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT or that of the web'],
    [{ TELEGRAM_MODE: 'webhook' }, 'TELEGRAM_MODE=webhook has no effect'],
  ])('%j: what does not fit is named', async (env, words) => {
    const { of } = await doctor(env);

    expect(of('settings')).toEqual([expect.stringContaining(`warning settings: ${words}`)]);
  });
});

describe('reports the database', () => {
  test('that cannot be reached leaves the other checks', async () => {
    const port = await unusedPort();
    const { of } = await doctor({ DATABASE_URL: `postgres://ada:hush@127.0.0.1:${port}/x` });

    expect(of('database')).toEqual([
      `problem database: The database server at 127.0.0.1:${port} cannot be reached (ECONNREFUSED): check that it runs, and check DATABASE_URL.`,
    ]);
    expect(of('clock')).toEqual([expect.stringMatching(/^warning .*Not checked/)]);
    expect(of('telegram')).toEqual([expect.stringMatching(/^ok .*the channel is off/)]);
    expect(of('model')).toEqual([expect.stringMatching(/^ok /)]);
  });

  test('with too few connections for all replicas', async () => {
    const { of } = await doctor({ DATABASE_REPLICAS: '100' });

    expect(of('database')).toContainEqual(
      expect.stringMatching(/^problem .* 100 replicas need \d+: raise max_connections/),
    );
  });

  test('without tables, of before the first release, and of a newer version', async () => {
    const { url } = database();
    await rowsOf(url, 'alter schema public rename to kept; create schema public');
    const empty = await doctor();
    await rowsOf(url, 'drop schema public; alter schema kept rename to public');
    await rowsOf(url, 'alter table migrations rename to migrations_kept');
    const old = await doctor();
    await rowsOf(url, 'alter table migrations_kept rename to migrations');
    await rowsOf(
      url,
      `insert into migrations (id, "timestamp", name) values (9999, 1999000000000, 'OfTomorrow1999000000000')`,
    );
    const newer = await doctor();
    await rowsOf(url, 'delete from migrations where id = 9999');

    expect(empty.of('migrations')).toEqual([
      expect.stringMatching(/^warning .* lacks \d+ migrations? of this version: start Colloquy/),
    ]);
    expect(old.of('migrations')).toEqual([`problem migrations: ${OLD_SCHEMA}`]);
    expect(newer.of('migrations')).toEqual([
      'problem migrations: The database was migrated by a newer version (OfTomorrow1999000000000): start that version, or restore a backup from before it.',
    ]);
  });

  test('that does not exist yet is made by the start', async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'colloquy-doctor-'));
    const { of } = await doctor({ DATABASE_URL: '', COLLOQUY_DATA_DIR: dataDir });
    await rm(dataDir, { recursive: true });

    expect(of('database')).toEqual([
      expect.stringMatching(/^warning .*There is no Colloquy database in .*: |Start Colloquy once/),
    ]);
    expect(of('disk')).toEqual([expect.stringContaining('The disk of COLLOQUY_DATA_DIR')]);
  });
});

describe('reports the model', () => {
  let model: ModelServer;

  beforeAll(async () => {
    model = await ModelServer.start();
  });

  afterAll(() => model.close());

  const findings = async (env: Record<string, string> = {}): Promise<string[]> =>
    (await doctor({ OPENAI_API_KEY: KEY, OPENAI_BASE_URL: model.baseUrl, ...env })).of('model');

  test('with a key that the server refuses, whose text is not shown', async () => {
    model.models.key = 'another';
    const [line, ...others] = await findings();
    model.models.key = null;

    expect(line).toMatch(/^problem .* refuses the key \(401\): check OPENAI_API_KEY/);
    expect(line).not.toContain(KEY);
    expect(others).toEqual([]);
  });

  test('that the server does not know, each by its setting', async () => {
    model.models.known = ['gpt-4.1-mini'];
    const lines = await findings({ OPENAI_EMBEDDING_MODEL: 'vectors-9' });

    expect(lines.filter((line) => line.includes('_MODEL='))).toEqual([
      expect.stringMatching(/^ok .* knows OPENAI_MODEL=gpt-4\.1-mini\.$/),
      expect.stringMatching(/^problem .* does not know OPENAI_EMBEDDING_MODEL=vectors-9: set it/),
    ]);
  });

  test('of a server whose list is cut is not checked unless it is in the list, and that is said', async () => {
    model.models.known = ['gpt-4.1-mini'];
    model.models.hasMore = true;
    const lines = await findings({ OPENAI_EMBEDDING_MODEL: 'vectors-9' });
    model.models.hasMore = false;

    expect(lines.filter((line) => line.includes('_MODEL='))).toEqual([
      expect.stringMatching(/^ok .* knows OPENAI_MODEL=gpt-4\.1-mini\.$/),
      expect.stringMatching(/^warning .* only a part .* OPENAI_EMBEDDING_MODEL=vectors-9 was not/),
    ]);
  });

  test('of a server that lists none is not checked, and that is said', async () => {
    model.models.known = null;

    expect((await findings()).slice(0, 1)).toEqual([
      expect.stringMatching(/^warning .* lists no models, so OPENAI_MODEL=gpt-4\.1-mini was not/),
    ]);
  });
});

describe('reports Telegram', () => {
  let telegram: TelegramServer;

  beforeAll(async () => {
    telegram = await TelegramServer.start();
  });

  afterAll(() => telegram.close());

  const findings = async (env: Record<string, string> = {}): Promise<string[]> => {
    const { token, apiRoot } = telegram;
    const bot = { TELEGRAM_BOT_TOKEN: token, TELEGRAM_API_ROOT: apiRoot };
    return (await doctor({ ...bot, ...env })).of('telegram');
  };

  test('with a token that it does not know', async () => {
    expect(await findings({ TELEGRAM_BOT_TOKEN: '7000000001:revoked' })).toEqual([
      'problem telegram: Telegram does not know TELEGRAM_BOT_TOKEN: set the token that @BotFather shows.',
    ]);
  });

  test('with the token of another bot than the one that people wrote to', async () => {
    const { url } = database();
    await rowsOf(
      url,
      `insert into telegram_account (user_id, language) values (5, 'en'), (6, 'en')`,
    );
    await rowsOf(
      url,
      `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, received_at)
       values (4711, 1, 5, 5, 'handled', now()), (7000000001, 2, 6, 6, 'handled', now())`,
    );

    expect(await findings()).toContain(
      'warning telegram: 1 person here wrote to another bot (4711), and @colloquy_test_bot cannot write to them: set the token of that bot, or let them open a new link.',
    );
  });

  test('with the name of another bot for the links', async () => {
    expect(await findings({ TELEGRAM_BOT_NAME: 'my_old_bot' })).toContainEqual(
      expect.stringMatching(/^warning .* is my_old_bot .* @colloquy_test_bot, so links lead/),
    );
  });

  test('with a webhook while it polls, and without one where it is called', async () => {
    const call = (url: string): Promise<Response> =>
      fetch(`${telegram.apiRoot}/bot${telegram.token}/setWebhook`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ url }),
      });
    const hook = {
      TELEGRAM_MODE: 'webhook',
      TELEGRAM_WEBHOOK_SECRET: 's'.repeat(32),
      PUBLIC_URL: 'https://127.0.0.1:1',
    };
    await call('https://elsewhere.example/webhook');
    const [polling, elsewhere] = [await findings(), await findings(hook)];
    await call('');
    const unset = await findings(hook);

    expect(polling).toContainEqual(
      expect.stringMatching(/^warning .*A webhook to elsewhere\.example is set and TELEGRAM_MODE/),
    );
    expect(elsewhere).toContainEqual(
      expect.stringMatching(/^warning .*The webhook leads to elsewhere\.example and not to PUBLIC/),
    );
    expect(unset).toContainEqual(expect.stringMatching(/^warning .*The webhook is not set/));
  });
});

describe('reports Notion', () => {
  let notion: NotionServer;
  let board: Board;

  beforeAll(async () => {
    notion = await NotionServer.start();
    notion.limits.lift();
    board = notion.workspace.board();
  });

  afterAll(() => notion.close());

  const findings = async (env: Record<string, string> = {}): Promise<string[]> => {
    const common = { NOTION_API_URL: notion.url, NOTION_DATA_SOURCE_ID: board.id };
    const limits = { NOTION_MAX_RPS: '100', NOTION_BUDGET_PER_MINUTE: '180' };
    return (await doctor({ NOTION_TOKEN: notion.token, ...common, ...limits, ...env })).of(
      'notion',
    );
  };

  test('with a token that it does not know', async () => {
    expect(await findings({ NOTION_TOKEN: 'ntn_another' })).toEqual([
      "problem notion: NOTION_TOKEN is not the token of an integration that Notion knows: copy it from the integration's page in Notion.",
    ]);
  });

  test('with a token without the right to read the board', async () => {
    const refused = { kind: 'status', status: 403, code: 'restricted_resource' } as const;
    notion.faults.on('getDataSource', refused);

    expect(await findings()).toContainEqual(
      expect.stringMatching(
        /^problem .*NOTION_TOKEN has no right to read the board \(restricted_resource\): turn on/,
      ),
    );
  });

  test('with a board that is not shared, and with one that lacks a property', async () => {
    const { id } = notion.workspace.board({ without: ['Queue Rank'] });
    const lacking = await findings({ NOTION_DATA_SOURCE_ID: id });
    board.unshare();
    const closed = await findings();

    expect(lacking).toContainEqual(
      expect.stringMatching(/^problem .*"Queue Rank".* doctor --fix" creates it/),
    );
    expect(closed).toContainEqual(expect.stringMatching(/^problem .*not shared with the integ/));
  });
});
