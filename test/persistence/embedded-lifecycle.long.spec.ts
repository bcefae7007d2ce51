import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { findRunningEmbeddedPostgres } from '../../src/persistence/embedded';
import {
  responds,
  EmbeddedBench,
  nothingIsLeft,
  pidFile,
  pidOf,
  query,
} from '../support/postgres/embedded-bench';
import { processesOn } from '../support/postgres/processes';
import { until } from '../support/until';

/** These tests start the database in a real process and end that process in every possible way. */
let bench: EmbeddedBench;
let dataDir: string;

beforeAll(async () => {
  bench = await EmbeddedBench.open('lifecycle');
  dataDir = path.join(bench.folder, 'data');
});

afterEach(() => bench.endHosts());
afterAll(() => bench.close());

describe('The embedded PostgreSQL', () => {
  test('is PostgreSQL 18 in UTF-8 with the builtin locale, durable, and only on this machine', async () => {
    const host = bench.start(dataDir);
    const url = await host.said('url');

    const [facts] = await query(
      url,
      `select current_setting('server_version_num')::int / 10000 as major, datlocale, datcollate,
              pg_encoding_to_char(encoding) as encoding, current_setting('fsync') as fsync,
              current_setting('listen_addresses') as listens,
              current_setting('unix_socket_directories') as sockets
         from pg_database where datname = current_database()`,
    );

    expect(facts).toEqual({
      major: 18,
      datlocale: 'C.UTF-8',
      datcollate: expect.stringMatching(/^C/) as string,
      encoding: 'UTF8',
      fsync: 'on',
      listens: '127.0.0.1',
      sockets: '',
    });
    await expect(query(url.replace(/:[0-9a-f]{48}@/, ':wrong@'), 'select 1')).rejects.toThrow(
      'password authentication failed',
    );
  });

  test.each(['SIGINT', 'SIGTERM'] as const)(
    'after %s to the whole process group, runs until the program has drained, and then leaves nothing behind',
    async (signal) => {
      const host = bench.start(dataDir);
      await host.said('url');

      host.signalGroup(signal);

      expect(await host.said('drained')).toBe(true);
      expect(await host.exited).toBe(0);
      await nothingIsLeft(dataDir);
    },
  );

  test('does not keep the program running, and ends with it', async () => {
    const host = bench.start(dataDir, 'forgetful');
    await host.said('url');

    expect(await host.exited).toBe(0);
    await nothingIsLeft(dataDir);
  });

  test('ends after a kill -9 of the program', async () => {
    const host = bench.start(dataDir);
    await host.said('url');

    host.signal('SIGKILL');
    await host.exited;

    await nothingIsLeft(dataDir);
  });

  test('starts at once after a kill -9, three times in a row, and keeps what was written', async () => {
    let host = bench.start(dataDir);
    await query(await host.said('url'), 'create table kept as select 7 as value');

    for (let round = 0; round < 3; round += 1) {
      host.signal('SIGKILL');
      host = bench.start(dataDir);
      expect(await query(await host.said('url'), 'select value from kept')).toEqual([{ value: 7 }]);
    }

    await query(await host.said('url'), 'drop table kept');
  });

  test('waits for the server of a killed program whose supervisor is slow to notice', async () => {
    const killed = bench.start(dataDir);
    await killed.said('url');
    const slow = await pidOf('supervisor.cjs', dataDir);
    process.kill(slow, 'SIGSTOP');
    killed.signal('SIGKILL');

    const next = bench.start(dataDir);
    await until('the next supervisor waits', async () => {
      const running = await processesOn(dataDir);
      return running.filter(({ command }) => command.includes('supervisor.cjs')).length === 2;
    });
    process.kill(slow, 'SIGCONT');

    expect(await query(await next.said('url'), 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('starts after the program and its supervisor were both killed, and replaces the orphan', async () => {
    const host = bench.start(dataDir);
    await query(await host.said('url'), 'create table survived as select 1 as value');
    const orphan = await pidOf('bin/postgres', dataDir);
    process.kill(host.pid, 'SIGSTOP'); // so that it does not react to the end of its supervisor
    process.kill(await pidOf('supervisor.cjs', dataDir), 'SIGKILL');
    host.signal('SIGKILL');
    await host.exited;

    const url = await bench.start(dataDir).said('url');

    expect(await query(url, 'select value from survived')).toEqual([{ value: 1 }]);
    expect(await pidOf('bin/postgres', dataDir)).not.toBe(orphan);
    await query(url, 'drop table survived');
  });

  test('stops the server, and says so, when only the supervisor is killed', async () => {
    const host = bench.start(dataDir);
    await host.said('url');

    process.kill(await pidOf('supervisor.cjs', dataDir), 'SIGKILL');

    expect(await host.said('log')).toContain('stopped for good');
    await nothingIsLeft(dataDir);
  });

  test('is started again at the same address when the server itself is killed', async () => {
    const host = bench.start(dataDir);
    const url = await host.said('url');
    const before = await pidOf('bin/postgres', dataDir);

    process.kill(before, 'SIGKILL');
    await until('the server responds again', () =>
      host.words.some((words) => words.log?.includes('responds again')),
    );

    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    expect(await pidOf('bin/postgres', dataDir)).not.toBe(before);
  });

  test('is started again however often that fails first', async () => {
    const host = bench.start(dataDir);
    const url = await host.said('url');
    const version = path.join(path.dirname(pidFile(dataDir)), 'PG_VERSION');
    const kept = readFileSync(version);
    const lost = (): number =>
      host.words.filter((words) => words.log?.includes('stopped unexpectedly')).length;

    // Without this file PostgreSQL does not start.
    rmSync(version);
    process.kill(await pidOf('bin/postgres', dataDir), 'SIGKILL');
    await until('three tries have failed', () => lost() >= 4);
    writeFileSync(version, kept);
    await until('the server responds again', () =>
      host.words.some((words) => words.log?.includes('responds again')),
    );

    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('starts although the lock file names a process of another program', async () => {
    const host = bench.start(dataDir);
    const url = await host.said('url');
    const lock = readFileSync(pidFile(dataDir), 'utf8').split('\n');
    host.signal('SIGTERM');
    await host.exited;
    expect(url).toContain('127.0.0.1');
    const asServer = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const stranger = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1e6)'], {
      cwd: '/',
      ...asServer,
    });
    writeFileSync(pidFile(dataDir), [stranger.pid, ...lock.slice(1)].join('\n'));

    try {
      expect(await bench.start(dataDir).said('url')).toContain('127.0.0.1');
    } finally {
      const gone = once(stranger, 'exit');
      stranger.kill();
      await gone;
    }
  });

  test('refuses a second process in one sentence and keeps serving the first', async () => {
    const first = bench.start(dataDir);
    const url = await first.said('url');

    const second = bench.start(dataDir);

    expect(await second.said('error')).toBe('EmbeddedPostgresInUseError');
    expect(await second.said('message')).toBe(
      `Another Colloquy is using the embedded PostgreSQL in ${dataDir}: stop it, or set DATABASE_URL to a PostgreSQL server.`,
    );
    expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('A running embedded PostgreSQL', () => {
  test('is found by another process while it runs, and only then', async () => {
    const host = bench.start(dataDir);
    const url = await host.said('url');

    expect(await findRunningEmbeddedPostgres(dataDir)).toBe(url);

    const supervisor = await pidOf('supervisor.cjs', dataDir);
    process.kill(supervisor, 'SIGSTOP');
    process.kill(await pidOf('bin/postgres', dataDir), 'SIGKILL');
    await until('the server is gone', async () => !(await responds(url)));
    expect(existsSync(pidFile(dataDir))).toBe(true);
    expect(await findRunningEmbeddedPostgres(dataDir)).toBeNull();
    process.kill(supervisor, 'SIGCONT');
    await until('the server responds again', () => responds(url));
    host.signal('SIGTERM');
    await host.exited;
    expect(await findRunningEmbeddedPostgres(dataDir)).toBeNull();
  });
});
