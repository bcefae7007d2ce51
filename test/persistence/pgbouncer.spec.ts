import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import {
  ControlConnection,
  SignalConnection,
  checkServer,
  createDataSource,
  migrate,
} from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { alterDatabase } from '../support/outside';
import { createTestDatabase } from '../support/postgres';

/**
 * PgBouncer with its defaults refuses startup options, so a process has to set its session settings
 * by a statement.
 */

/** The path in Debian's package. */
const PROGRAM = '/usr/sbin/pgbouncer';
const isHere = existsSync(PROGRAM) || process.env['COLLOQUY_TEST_PGBOUNCER'] === 'required';
const withPgBouncer = isHere ? describe : describe.skip;
const WHY = isHere ? '' : ` (skipped: no ${PROGRAM} on this machine)`;

const DEPLOYMENT = { poolSize: 2, replicas: 1 };
const SHOW = `select current_setting('statement_timeout') as statement,
  current_setting('lock_timeout') as lock,
  current_setting('idle_in_transaction_session_timeout') as idle,
  current_setting('enable_sort') as sort, current_setting('jit') as jit`;

let url: string;
let drop: () => Promise<void>;
let pooler: PgBouncer;
const clock = new FakeClock();

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterAll(() => drop());

async function shownByPool(times: number): Promise<unknown[]> {
  const dataSource = createDataSource({ url: pooler.url, poolSize: 2 });
  await dataSource.initialize();
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
  const shown = await Promise.all(
    Array.from({ length: times }, () =>
      units.run('test.show', (uow) => uow.commit('test.show', (tx) => tx.query(SHOW, []))),
    ),
  );
  await dataSource.destroy();
  return shown.flat();
}

async function shownByControl(): Promise<unknown> {
  const control = new ControlConnection(pooler.url, clock);
  const [shown] = await control.query(SHOW);
  await control.close();
  return shown;
}

withPgBouncer(`A process behind PgBouncer${WHY}`, () => {
  afterEach(() => pooler.close());

  describe('PgBouncer in session mode', () => {
    beforeEach(async () => {
      pooler = await startPgBouncer(url, 'session');
    });

    test('is accepted at boot, and migrates', async () => {
      await expect(checkServer(pooler.url, DEPLOYMENT)).resolves.toBeInstanceOf(Array);
      await expect(migrate(pooler.url)).resolves.toEqual([]);
    });

    test('has its session settings on each connection, also on a reused server session', async () => {
      const ofPool = { statement: '3s', lock: '1s', idle: '4s', sort: 'on', jit: 'off' };
      const ofControl = { statement: '3s', lock: '1s', idle: '0', sort: 'off', jit: 'off' };

      expect(await shownByPool(4)).toEqual(Array.from({ length: 4 }, () => ofPool));
      expect(await shownByControl()).toEqual(ofControl);
      expect(await shownByPool(4)).toEqual(Array.from({ length: 4 }, () => ofPool));
      expect(await shownByControl()).toEqual(ofControl);
    });

    test('carries signals from one process to another', async () => {
      const sender = new SignalConnection(pooler.url, clock);
      const receiver = new SignalConnection(pooler.url, clock);
      const [sending, receiving] = [sender, receiver].map(
        (signals) =>
          new Promise<void>((resolve) => {
            signals.listen({ onSignal: () => undefined, onConnected: resolve });
            signals.open();
          }),
      );
      await Promise.all([sending, receiving]);
      const heard = new Promise<string>((resolve) => {
        receiver.listen({ onSignal: resolve, onConnected: () => undefined });
      });

      expect(await sender.send(['hello'])).toBe(true);
      expect(await heard).toBe('hello');
      await Promise.all([sender.close(), receiver.close()]);
    });
  });

  test.each<PoolMode>(['transaction', 'statement'])(
    'PgBouncer in %s mode is refused at boot, with the reason and what to do',
    async (mode) => {
      pooler = await startPgBouncer(url, mode);

      await expect(checkServer(pooler.url, DEPLOYMENT)).rejects.toMatchObject({
        code: 'database_server',
        message:
          'The pooler in DATABASE_URL shares one database session between clients, so session ' +
          'settings, LISTEN, advisory locks and prepared statements do not work: set ' +
          'pool_mode = session (PgBouncer), or connect to PostgreSQL directly.',
      });
    },
  );

  test('PgBouncer whose connections are all in use is named at the start, with what to set', async () => {
    pooler = await startPgBouncer(url, 'session', 'default_pool_size = 1');

    await expect(checkServer(pooler.url, DEPLOYMENT)).rejects.toMatchObject({
      code: 'database_unreachable',
      message: expect.stringMatching(
        /^The server at 127\.0\.0\.1:\d+ accepts the connection and does not respond .* PgBouncer, .* set default_pool_size to replicas × \(DATABASE_POOL_SIZE \+ 3\) or more/,
      ) as string,
    });
  });

  test('PgBouncer that lets no more clients in is named at the start, with what to set', async () => {
    pooler = await startPgBouncer(url, 'session', 'max_client_conn = 1');

    await expect(checkServer(pooler.url, DEPLOYMENT)).rejects.toMatchObject({
      code: 'database_unreachable',
      message: expect.stringMatching(
        /is a pooler that lets no more clients in .*max_client_conn/,
      ) as string,
    });
  });

  test('PgBouncer in session mode hands our settings on when the database has other ones', async () => {
    await alterDatabase(url, 'set DateStyle = SQL, DMY', `set TimeZone = 'Asia/Kolkata'`);
    pooler = await startPgBouncer(url, 'session');
    const dataSource = createDataSource({ url: pooler.url, poolSize: 1 });
    await dataSource.initialize();
    const [row] = await dataSource.query<object[]>(
      `select '2026-02-03T04:05:06Z'::timestamptz as at, current_setting('TimeZone') as zone`,
    );
    await dataSource.destroy();
    await alterDatabase(url, 'reset all');

    expect(row).toEqual({ at: new Date('2026-02-03T04:05:06Z'), zone: 'UTC' });
  });
});

const NOBODY = 65_534;

type PoolMode = 'session' | 'transaction' | 'statement';

interface PgBouncer {
  /** The same database, through the pooler. */
  readonly url: string;
  close(): Promise<void>;
}

/** A real PgBouncer in front of the database at `target`, with its own defaults. */
async function startPgBouncer(target: string, mode: PoolMode, more = ''): Promise<PgBouncer> {
  const { hostname, port, pathname, username, password } = new URL(target);
  const database = pathname.slice(1);
  const listenPort = await freePort();
  const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-pgbouncer-'));
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    `[databases]
${database} = host=${hostname} port=${port} user=${username} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${listenPort}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
${more}
`,
  );
  await chmod(folder, 0o755);
  // PgBouncer refuses to run as root.
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
  const child = spawn(PROGRAM, [file], { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(listenPort);
  const close = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true });
  };
  await hasStarted(child).catch(async (error: unknown) => {
    await close();
    throw error;
  });
  return { url: url.href, close };
}

async function hasStarted(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('pgbouncer has no stderr');
  const lines: string[] = [];
  const reader = createInterface({ input: child.stderr });
  const failed = once(child, 'error');
  await new Promise<void>((resolve, reject) => {
    failed.then(([error]) => {
      reject(error as Error);
    }, reject);
    reader.on('line', (line) => {
      lines.push(line);
      if (line.includes('process up')) resolve();
    });
    reader.on('close', () => {
      reject(new Error(`pgbouncer ended: ${lines.join('\n')}`));
    });
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
