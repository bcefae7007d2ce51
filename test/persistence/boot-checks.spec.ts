import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TLSSocket } from 'node:tls';
import { checkServer, inspectServer, migrate, withBootConnection } from '../../src/persistence';
import { POOL_SESSION_TIMEOUTS, applySettings } from '../../src/persistence/data-source';
import { SystemClock } from '../../src/common/clock';
import { selfSigned } from '../support/certificate';
import { FakeClock } from '../../tools/support/fake-clock';
import { READ_ONLY, WRITABLE, alterDatabase, rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';
import {
  type ServerFigures,
  clockOutcome,
  refuseLostSettings,
  serverHints,
  serverOutcomes,
} from '../../src/persistence/server-check';

const FITTING: ServerFigures = {
  version: 150_004,
  connections: 100,
  isSynced: true,
  commitWaitsFor: 'on',
  deadlockTimeoutMs: 500,
  isStandby: false,
  isReadOnly: false,
  encoding: 'UTF8',
  replicationRole: 'origin',
  schema: 'public',
  tablesIn: 'public',
  ownTablesIn: 'public',
  user: 'ada',
  canCreateTables: true,
  closedTables: 0,
  dataDirectory: null,
};
const DAY_MS = 86_400_000;
const SMALL = { poolSize: 6, replicas: 1 };

describe('a database server', () => {
  test('is accepted from PostgreSQL 15 on', () => {
    expect(serverOutcomes(FITTING, SMALL)).toEqual([
      {
        kind: 'ok',
        sentence:
          'PostgreSQL 15 takes writes, and its 100 connections suffice for one replica (19 needed).',
      },
    ]);
    expect(serverOutcomes({ ...FITTING, version: 140_012 }, SMALL)).toEqual([
      {
        kind: 'problem',
        sentence:
          'The database is PostgreSQL 14, and Colloquy needs 15 or newer: update the server.',
      },
    ]);
  });

  test.each([
    [19, 1, 'ok'],
    [18, 1, 'problem'],
    [37, 3, 'ok'],
    [36, 3, 'problem'],
  ])('with %d connections and %d replicas is: %s', (connections, replicas, kind) => {
    const [finding] = serverOutcomes({ ...FITTING, connections }, { poolSize: 6, replicas });

    expect(finding?.kind).toBe(kind);
    if (kind === 'problem') {
      expect(finding?.sentence).toMatch(/^The database allows .* raise max_connections/);
    }
  });

  test.each<[Partial<ServerFigures>, 'warning' | 'problem', RegExp]>([
    [{ isSynced: false }, 'warning', /fsync = off .*: set fsync = on\.$/],
    [{ commitWaitsFor: 'off' }, 'warning', /synchronous_commit = off .*: set it on\.$/],
    [{ canCreateTables: false }, 'warning', /"ada" may not create tables.*: grant create/],
    [{ closedTables: 3 }, 'problem', /"ada" may not read and write 3 of the tables: grant/],
    [
      { isStandby: true, isReadOnly: true },
      'problem',
      /is a standby.*: set DATABASE_URL to the primary\.$/,
    ],
    [
      { isReadOnly: true },
      'problem',
      /takes no writes.*default_transaction_read_only.*: set it off/,
    ],
    [{ encoding: 'SQL_ASCII' }, 'problem', /encoding SQL_ASCII.*: .* with encoding UTF8/],
    [{ replicationRole: 'replica' }, 'problem', /session_replication_role.*: set it to origin/],
    [
      { schema: null, tablesIn: null, ownTablesIn: null },
      'problem',
      /search_path of the database user "ada" leads to no schema.*: set search_path/,
    ],
    [
      { schema: 'ada', tablesIn: null },
      'problem',
      /are in the schema public, and the search_path of "ada" leads to ada.*: set search_path/,
    ],
    [
      { schema: 'ada' },
      'warning',
      /are in the schema public, and new ones would be made in ada.*: set search_path/,
    ],
  ])('with %j gets one sentence', (change, kind, sentence) => {
    const findings = serverOutcomes({ ...FITTING, ...change }, SMALL);

    expect(findings.filter((finding) => finding.kind !== 'ok')).toEqual([
      { kind, sentence: expect.stringMatching(sentence) as string },
    ]);
  });

  test('with the deadlock_timeout of a new installation gets no warning at the start', () => {
    const stock = { ...FITTING, deadlockTimeoutMs: 1000 };

    expect(serverOutcomes(stock, SMALL).map(({ kind }) => kind)).toEqual(['ok']);
    expect(serverHints(stock)).toEqual([
      {
        kind: 'warning',
        sentence: expect.stringMatching(/is 1000 ms .* 1000 ms.*: set deadlock_timeout/) as string,
      },
    ]);
    expect(serverHints(FITTING)).toEqual([]);
  });

  test.each([
    [1900, 'ok', 'agrees'],
    [-2100, 'warning', '2 s behind'],
    [61_000, 'problem', '61 s ahead of'],
  ])('whose clock differs by %d ms is: %s', (aheadMs, kind, words) => {
    expect(clockOutcome(aheadMs)).toMatchObject({
      kind,
      sentence: expect.stringContaining(words) as string,
    });
  });
});

describe('the start, on a real server,', () => {
  let url: string;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
  });

  afterAll(() => drop());

  /** A user of this name with these rights, for the time of `work`. */
  async function asGuest<T>(rights: string, work: (guestUrl: string) => Promise<T>): Promise<T> {
    await rowsOf(url, `create role guest_of_checks login password 'guest'; ${rights}`);
    const guest = new URL(url);
    guest.username = 'guest_of_checks';
    guest.password = 'guest';
    try {
      return await work(guest.href);
    } finally {
      await rowsOf(url, 'drop owned by guest_of_checks; drop role guest_of_checks');
    }
  }

  test('warns of the fsync = off of these tests, and of a clock that is wrong by months', async () => {
    const found = await checkServer(url, SMALL, new FakeClock());

    expect(found.map(({ kind }) => kind)).toEqual(['warning', 'problem']);
    expect(found[0]?.sentence).toContain('fsync = off');
    expect(found[1]?.sentence).toMatch(
      /^This machine's clock is \d+ s (behind|ahead of) the database's: /,
    );
  });

  test('refuses a user without rights on the tables, in one sentence', async () => {
    await asGuest('', async (guestUrl) => {
      await expect(checkServer(guestUrl, SMALL)).rejects.toMatchObject({
        code: 'database_server',
        message: expect.stringMatching(
          /^The database user "guest_of_checks" may not read and write \d+ of the tables: grant/,
        ) as string,
      });
    });
  });

  test('does not mind a closed table of another program in the same schema', async () => {
    const rights = `grant select, insert, update, delete on all tables in schema public to guest_of_checks;
      create role neighbour_of_checks; create table map_of_a_neighbour (id int);
      alter table map_of_a_neighbour owner to neighbour_of_checks`;
    try {
      const found = await asGuest(rights, (guestUrl) => checkServer(guestUrl, SMALL));

      expect(found.map(({ sentence }) => sentence).join(' ')).not.toContain('may not read');
    } finally {
      await rowsOf(url, 'drop table map_of_a_neighbour; drop role neighbour_of_checks');
    }
  });

  test('warns of a user who cannot create tables', async () => {
    const rights =
      'grant select, insert, update, delete on all tables in schema public to guest_of_checks';
    const found = await asGuest(rights, (guestUrl) => checkServer(guestUrl, SMALL));

    expect(found.map(({ sentence }) => sentence)).toContainEqual(
      expect.stringMatching(/^The database user "guest_of_checks" may not create tables/),
    );
  });

  test('refuses a database that takes no writes, and says which setting is on', async () => {
    await alterDatabase(url, READ_ONLY);
    const checked = await checkServer(url, SMALL).catch((error: unknown) => error);
    await alterDatabase(url, WRITABLE);

    expect(checked).toMatchObject({
      code: 'database_server',
      message: expect.stringMatching(/^The database takes no writes, because default_tr/) as string,
    });
  });

  test('does not warn of the deadlock_timeout of a stock server, which doctor names', async () => {
    await alterDatabase(url, `set deadlock_timeout = '1s'`);
    const atStart = await checkServer(url, SMALL);
    const { hints } = await inspectServer(url, SMALL, new SystemClock());
    await alterDatabase(url, 'reset deadlock_timeout');

    expect(atStart.map(({ sentence }) => sentence).join(' ')).not.toContain('deadlock');
    expect(hints.map(({ sentence }) => sentence)).toEqual([
      expect.stringContaining('set deadlock_timeout = 500ms'),
    ]);
  });

  test('refuses a search_path that leads away from the tables, before it makes new ones', async () => {
    await rowsOf(url, 'create schema elsewhere');
    await alterDatabase(url, 'set search_path = elsewhere');
    const away = await checkServer(url, SMALL).catch((error: unknown) => error);
    await alterDatabase(url, 'set search_path = elsewhere, public');
    const found = await checkServer(url, SMALL);
    await alterDatabase(url, 'reset search_path');
    await rowsOf(url, 'drop schema elsewhere');

    expect((away as Error).message).toMatch(/^The tables are in the schema public, and the/);
    expect(found.map(({ sentence }) => sentence)).toContainEqual(
      expect.stringMatching(/are in the schema public, and new ones would be made in elsewhere/),
    );
  });

  test('refuses a database that a newer version migrated, and changes nothing', async () => {
    await rowsOf(
      url,
      `insert into migrations (id, "timestamp", name) values (9999, 1999000000000, 'OfTomorrow1999000000000')`,
    );
    const started = migrate(url);

    await expect(started).rejects.toMatchObject({
      code: 'newer_schema',
      message:
        'The database was migrated by a newer version of Colloquy (OfTomorrow1999000000000), and ' +
        'this one could damage its data: start that version, or restore a backup from before it.',
    });
    await rowsOf(url, 'delete from migrations where id = 9999');
    await expect(migrate(url)).resolves.toEqual([]);
  });
});

test('refuses a server that does not keep session settings, and names them', async () => {
  const database = await createTestDatabase();

  await withBootConnection(database.url, 'test', async (client) => {
    await applySettings(client, POOL_SESSION_TIMEOUTS);
    await client.query("set idle_in_transaction_session_timeout = 0; set DateStyle = 'SQL, DMY'");
    await expect(refuseLostSettings(client)).rejects.toThrow(
      'The database does not keep the settings of a session ' +
        '(DateStyle is SQL, DMY, not ISO, MDY; idle_in_transaction_session_timeout is 0, not 4000): ' +
        'connect to PostgreSQL directly',
    );
    await applySettings(client, POOL_SESSION_TIMEOUTS);
    await expect(refuseLostSettings(client)).resolves.toBeUndefined();
  });

  await database.drop();
});

describe('the error for an unusable database is one sentence without the password', () => {
  let url: URL;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const database = await createTestDatabase();
    url = new URL(database.url);
    ({ drop } = database);
  });

  afterAll(() => drop());

  async function sentence(change: (address: URL) => void): Promise<string> {
    const address = new URL(url);
    change(address);
    const error = await withBootConnection(address.href, 'test', () => Promise.resolve()).catch(
      (reason: unknown) => reason,
    );
    expect((error as Error).message).not.toContain('hush');
    return (error as Error).message.replaceAll(url.host, 'HOST');
  }

  test('a wrong password', async () => {
    const told = await sentence((address) => {
      address.password = 'hush';
    });

    expect(told).toBe(
      'The database server at HOST refuses the user "colloquy" or its password (28P01): check DATABASE_URL.',
    );
  });

  test('no such database', async () => {
    const told = await sentence((address) => {
      address.pathname = '/nowhere';
    });

    expect(told).toBe(
      'The database server at HOST has no database "nowhere": create it, or check DATABASE_URL.',
    );
  });

  test('no such host', async () => {
    const told = await sentence((address) => {
      address.hostname = 'nowhere.invalid';
    });

    expect(told).toMatch(
      /^The database server at nowhere\.invalid:\d+ cannot be reached \(E[A-Z]+_?[A-Z]*\): check/,
    );
  });

  test('a certificate file that is not there', async () => {
    const told = await sentence((address) => {
      address.search = 'sslmode=verify-full&sslrootcert=/nowhere/ca.pem';
    });

    expect(told).toBe(
      'DATABASE_URL names the file /nowhere/ca.pem, which cannot be read (ENOENT): check sslrootcert, sslcert and sslkey.',
    );
  });

  test('an expired certificate', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-ca-'));
    const shown = selfSigned(new Date(Date.now() - 9 * DAY_MS), new Date(Date.now() - DAY_MS));
    await writeFile(path.join(folder, 'ca.pem'), shown.cert);
    // Begins TLS as PostgreSQL does: one byte after the client asked for it.
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        socket.write('S');
        new TLSSocket(socket, { isServer: true, ...shown }).on('error', () => undefined);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const told = await sentence((address) => {
      address.host = `localhost:${port}`;
      address.search = `sslmode=verify-full&sslrootcert=${path.join(folder, 'ca.pem')}`;
    });
    server.close();
    await rm(folder, { recursive: true });

    expect(told).toBe(
      `The database server at localhost:${port} presents an expired certificate: renew it, and check the clock of this machine.`,
    );
  });
});
