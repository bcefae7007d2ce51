import { once } from 'node:events';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unusedPort } from '../../tools/fake-network/load-balancer';
import { TelegramServer } from '../../tools/fake-telegram';
import { connectionsTo, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { createTestDatabase } from '../support/postgres';
import { runCliProcess } from '../support/run-cli';
import { asAdmin, urlOfDatabase } from '../support/postgres/admin';
import { processesOn } from '../support/postgres/processes';
import { until } from '../support/until';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

afterAll(() => ServerProcess.killAll());

/** How a start that cannot succeed ended. */
async function failedStart(env: Record<string, string>) {
  const server = ServerProcess.start(env);
  const code = await server.exited;
  return { code, err: server.err, isServing: server.out.includes('is ready') };
}

test('lists all wrong settings at once and exits 1, and hides secrets', async () => {
  const failed = await failedStart({
    PORT: '70000',
    SHUTDOWN_PENDING: 'maybe',
    DATABASE_URL: 'my-secret-password',
  });

  expect(failed).toEqual({
    code: 1,
    err: [
      'PORT=70000: expected a whole number from 0 to 65535',
      'DATABASE_URL=(hidden): expected an address like postgres://user:password@host:5432/database',
      'SHUTDOWN_PENDING=maybe: expected one of keep, flush',
      '',
    ].join('\n'),
    isServing: false,
  });
});

test('says in one sentence that the database cannot be reached, without its password', async () => {
  const port = await unusedPort();

  const failed = await failedStart({ DATABASE_URL: `postgres://ada:hush@127.0.0.1:${port}/x` });

  expect(failed).toEqual({
    code: 3,
    err: `The database server at 127.0.0.1:${port} cannot be reached (ECONNREFUSED): check that it runs, and check DATABASE_URL.\n`,
    isServing: false,
  });
});

test('says in one sentence that its port is in use, and nothing before it', async () => {
  const database = await createTestDatabase();
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const { port } = holder.address() as AddressInfo;

  const server = ServerProcess.start({ DATABASE_URL: database.url, PORT: String(port) });
  const code = await server.exited;
  const connections = await connectionsTo(database.url);
  holder.close();

  expect({ code, out: server.out, err: server.err }).toEqual({
    code: 1,
    out: '',
    err: `Port ${port} is in use: set PORT to a free one, or to 0 for any.\n`,
  });
  expect(connections).toEqual([]);
  await database.drop();
});

test('writes nothing but JSON lines where no terminal is, and one of them says that it is ready', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'colloquy-process-'));
  await chmod(dataDir, 0o755);
  const server = await ServerProcess.serve({ COLLOQUY_DATA_DIR: dataDir });
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });

  const lines = server.out.trim().split('\n');
  const ready = lines
    .map((line) => JSON.parse(line) as { msg: string })
    .filter(({ msg }) => msg === 'Colloquy is ready');
  expect(ready).toEqual([
    expect.objectContaining({ recruiters: 'off', interviewer: 'scripted', telegram: 'off' }),
  ]);
});

test('says in one sentence that the server has too few connections for all replicas', async () => {
  const database = await createTestDatabase();

  const failed = await failedStart({ DATABASE_URL: database.url, DATABASE_REPLICAS: '100' });

  expect(failed).toMatchObject({ code: 1, isServing: false });
  expect(failed.err).toMatch(/^The database allows \d+ connections and 100 replicas need \d+: /);
  await database.drop();
});

test('migrates once, and loads no example, when two replicas start at once with DATABASE_URL', async () => {
  const name = `colloquy_empty_${process.pid}`;
  await asAdmin((admin) => admin.query(`create database ${name} template template0`));
  const url = urlOfDatabase(name);

  const [one, two] = await Promise.all([
    ServerProcess.serve({ DATABASE_URL: url }),
    ServerProcess.serve({ DATABASE_URL: url }),
  ]);
  const migrations = await rowsOf<{ n: number }>(
    url,
    'select count(*)::int as n from migrations group by name',
  );
  const vacancies = await rowsOf<{ slug: string }>(url, 'select slug from vacancy order by slug');
  const codes = await Promise.all([one.stop(), two.stop()]);
  const connections = await connectionsTo(url);
  await asAdmin((admin) => admin.query(`drop database ${name} with (force)`));

  expect(migrations.map(({ n }) => n)).toEqual(migrations.map(() => 1));
  expect(migrations.length).toBeGreaterThan(0);
  expect(vacancies).toEqual([]);
  for (const { out } of [one, two]) expect(out).toContain('import your vacancy');
  expect(codes).toEqual([0, 0]);
  expect([one.err, two.err]).toEqual(['', '']);
  expect(connections).toEqual([]);
});

test('refuses a data folder that another process uses; that process stops its database when it ends', async () => {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'colloquy-process-'));
  await chmod(dataDir, 0o755);
  const holder = await ServerProcess.serve({ COLLOQUY_DATA_DIR: dataDir });

  const failed = await failedStart({ COLLOQUY_DATA_DIR: dataDir });
  const stillLive = await holder.status('/health/ready');
  const code = await holder.stop();
  const left = await processesOn(dataDir);
  await rm(dataDir, { recursive: true, force: true });

  expect(failed).toMatchObject({ code: 1, isServing: false });
  expect(failed.err).toMatch(/^[^\n]+\.\n$/);
  expect(failed.err).toContain(dataDir);
  expect(stillLive).toBe(200);
  expect(code).toBe(0);
  expect(left).toEqual([]);
});

test('ends at once on a signal that comes while it waits for its database', async () => {
  const mute = createServer().listen(0, '127.0.0.1');
  await once(mute, 'listening');
  const asked = once(mute, 'connection') as Promise<[Socket]>;
  const { port } = mute.address() as AddressInfo;
  const server = ServerProcess.start({ DATABASE_URL: `postgres://ada@127.0.0.1:${port}/x` });
  const [socket] = await asked;

  const code = await server.stop();
  socket.destroy();
  mute.close();

  expect({ code, err: server.err, out: server.out }).toEqual({ code: 0, err: '', out: '' });
});

test('keeps serving when its output is not read', async () => {
  const database = await createTestDatabase();
  const port = await unusedPort();
  const env = { DATABASE_URL: database.url, PORT: String(port), LOG_LEVEL: 'debug' };
  const server = ServerProcess.start(env);
  await server.told('"level":20');

  server.closeOutput();
  await until('it serves', () => statusOf(`http://127.0.0.1:${port}/health/ready`, 200));
  const code = await server.stop();
  await database.drop();

  expect({ code, err: server.err }).toEqual({ code: 0, err: '' });
});

function statusOf(url: string, expected: number): Promise<boolean> {
  return fetch(url).then(
    ({ status }) => status === expected,
    () => false,
  );
}

test('a command prints links to the running process without any setting', async () => {
  const database = await createExampleDatabase();
  const telegram = await TelegramServer.start();
  const server = await ServerProcess.serve({
    DATABASE_URL: database.url,
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
  });
  const stored = 'select 1 from instance where bot_name is not null';
  await until('the name of the bot is stored', async () => {
    const rows = await rowsOf(database.url, stored);
    return rows.length > 0;
  });
  const [vacancy] = await rowsOf<{ slug: string }>(database.url, 'select slug from vacancy');

  const run = await runCliProcess(['invite', vacancy?.slug ?? '', '--json'], {
    DATABASE_URL: database.url,
  });
  await server.stop();
  await telegram.close();
  await database.drop();

  expect(run).toMatchObject({ code: 0, err: '' });
  const links = JSON.parse(run.out) as { webLink: string; telegramLink: string };
  expect(links.webLink).toContain(`http://localhost:${new URL(server.url).port}/i/`);
  expect(links.telegramLink).toContain(`https://t.me/${telegram.bot.username}?start=`);
});
