/*
 * What an operator can get wrong, at the start of a real process: each gets one plain sentence and
 * never a stack. What cannot work ends the start, and the rest is logged while the process serves.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NotionServer } from '../../tools/fake-notion';
import { TelegramServer } from '../../tools/fake-telegram';
import { selfSigned } from '../support/certificate';
import { rowsOf } from '../support/outside';
import { type TestDatabaseHandle, createTestDatabase } from '../support/postgres';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

const DAY_MS = 86_400_000;
const FAULTY = `-r ${path.resolve('test/support/faulty-machine.cjs')}`;

let database: TestDatabaseHandle;

beforeEach(async () => {
  database = await createTestDatabase();
});

afterEach(async () => {
  await ServerProcess.killAll();
  await database.drop();
});

/** What a start that cannot succeed prints. */
async function refusal(env: Record<string, string>): Promise<string> {
  const server = ServerProcess.start({ DATABASE_URL: database.url, ...env });
  expect(await server.exited).toBe(1);
  expect(server.out).not.toContain('is ready');
  return server.err;
}

/** The log of a process that serves, when it has said `words`. */
async function logUntil(words: string, env: Record<string, string>): Promise<string[]> {
  const server = await ServerProcess.serve({ DATABASE_URL: database.url, ...env });
  await server.told(words);
  expect(await server.stop()).toBe(0);
  expect(server.err).toBe('');
  return server.log.filter(({ level }) => level >= 40).map(({ msg }) => msg);
}

test('settings that contradict each other end the start with one sentence each', async () => {
  expect(await refusal({ NOTION_TOKEN: 'ntn_x', NOTION_REGION: 'BY' })).toBe(
    'NOTION_REGION=BY: expected NOTION_COUNTRY\n' +
      'NOTION_TOKEN is set: expected NOTION_DATA_SOURCE_ID, where the tasks are\n',
  );
});

test('names that are no settings end the start, and those of Kubernetes do not', async () => {
  const services = { COLLOQUY_SERVICE_HOST: '10.96.0.10', NOTION_PORT: 'tcp://10.96.0.11:80' };
  expect(await refusal({ ...services, TASK_LEASE: '6', INTERVIEW_SPEED: '2' })).toBe(
    'TASK_LEASE: this setting is called JOB_LEASE now\n' +
      "INTERVIEW_SPEED: there is no such setting, and names with INTERVIEW_ are Colloquy's: remove it (docs/configuration.md lists all)\n",
  );
});

test('a database that a newer version migrated ends the start with one sentence', async () => {
  await rowsOf(
    database.url,
    `insert into migrations (id, "timestamp", name) values (9999, 1999000000000, 'OfTomorrow1999000000000')`,
  );
  const told = await refusal({});
  await rowsOf(database.url, 'delete from migrations where id = 9999');

  expect(told).toBe(
    'The database was migrated by a newer version of Colloquy (OfTomorrow1999000000000), and this ' +
      'one could damage its data: start that version, or restore a backup from before it.\n',
  );
});

test('a full disk of the data folder ends the start with one sentence, before anything is written there', async () => {
  const dataDir = path.join(tmpdir(), `colloquy-full-${process.pid}`);
  const env = { NODE_OPTIONS: FAULTY, FAULTY_MACHINE: 'disk' };
  const told = await refusal({ ...env, DATABASE_URL: '', COLLOQUY_DATA_DIR: dataDir });

  expect(told).toBe(
    `The disk of COLLOQUY_DATA_DIR (${dataDir}) has 0 MB left, and PostgreSQL stops when it is full: free at least 2 GB.\n`,
  );
});

test('a full disk of the database server ends the start with one sentence', async () => {
  await rowsOf(
    database.url,
    `create function full_disk() returns trigger language plpgsql as $$
     begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$;
     create trigger full_disk before insert or update on instance execute function full_disk()`,
  );
  const told = await refusal({});
  await rowsOf(database.url, 'drop function full_disk() cascade');

  expect(told).toBe(
    'The disk of the database server is full: free space there and start again; nothing that was stored is lost.\n',
  );
});

test('a clock that is an hour ahead is logged', async () => {
  const lines = await logUntil('ahead of', { NODE_OPTIONS: FAULTY, FAULTY_MACHINE: 'clock' });

  expect(lines).toContain(
    "This machine's clock is 3600 s ahead of the database's: turn on time synchronisation (NTP) on both machines.",
  );
});

test('a CA certificate that ended is logged', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-ca-'));
  const file = path.join(folder, 'ca.pem');
  const [from, to] = [new Date(Date.now() - 9 * DAY_MS), new Date(Date.now() - DAY_MS)];
  await writeFile(file, selfSigned(from, to).cert);
  const lines = await logUntil('ended on', { NODE_EXTRA_CA_CERTS: file });
  await rm(folder, { recursive: true });

  expect(lines).toContain(
    `The CA "localhost" of NODE_EXTRA_CA_CERTS=${file} ended on ${to.toISOString().slice(0, 10)}: renew it.`,
  );
});

test('the token of another bot is logged', async () => {
  const telegram = await TelegramServer.start();
  await rowsOf(database.url, `insert into telegram_account (user_id, language) values (5, 'en')`);
  await rowsOf(
    database.url,
    `insert into telegram_update (bot_id, update_id, chat_id, account_id, state, received_at)
     values (4711, 1, 5, 5, 'handled', now())`,
  );
  const lines = await logUntil('wrote to another bot', {
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
  });
  await telegram.close();

  expect(lines).toContain(
    '1 person here wrote to another bot (4711), and @colloquy_test_bot cannot write to them: set the token of that bot, or let them open a new link.',
  );
});

test('a Notion token without rights is logged', async () => {
  const notion = await NotionServer.start();
  const { id } = notion.workspace.board();
  const lines = await logUntil('NOTION_TOKEN is not the token', {
    NOTION_TOKEN: 'ntn_without_rights',
    NOTION_API_URL: notion.url,
    NOTION_DATA_SOURCE_ID: id,
  });
  await notion.close();

  expect(lines).toContain(
    "NOTION_TOKEN is not the token of an integration that Notion knows: copy it from the integration's page in Notion.",
  );
});
