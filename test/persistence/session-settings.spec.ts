import { Client } from 'pg';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkFactory, UnitOfWorkMetrics } from '../../src/common/uow';
import {
  ControlConnection,
  SignalConnection,
  checkServer,
  createDataSource,
  migrate,
  withBootConnection,
} from '../../src/persistence';
import { FakeClock } from '../../tools/support/fake-clock';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { alterDatabase, rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';
import { probe } from '../health/probe';

/**
 * Settings with which our statements, or what the driver makes of their results, mean something else.
 * A role, a database or a server may have them; each connection sets its own.
 * https://www.postgresql.org/docs/18/runtime-config-client.html, runtime-config-compatible.html
 */
const SETTINGS: readonly (readonly [name: string, theirs: string, ours: string])[] = [
  ['DateStyle', 'SQL, DMY', 'ISO, MDY'],
  ['IntervalStyle', 'iso_8601', 'postgres'],
  ['TimeZone', 'Pacific/Chatham', 'UTC'],
  ['array_nulls', 'off', 'on'],
  ['bytea_output', 'escape', 'hex'],
  ['client_encoding', 'LATIN1', 'UTF8'],
  ['default_transaction_deferrable', 'on', 'off'],
  ['default_transaction_isolation', 'serializable', 'read committed'],
  ['extra_float_digits', '-15', '1'],
  ['jit', 'on', 'off'],
  ['standard_conforming_strings', 'off', 'on'],
  ['transform_null_equals', 'on', 'off'],
];
const NAMES = SETTINGS.map(([name]) => name);
const OURS = Object.fromEntries(SETTINGS.map(([name, , ours]) => [name, ours]));
const SHOW = `select json_object_agg(name, setting) as settings from pg_settings where name = any($1)`;
interface Shown {
  readonly settings: Record<string, string>;
}

const clock = new FakeClock();

/** Gives the database these settings, as `alter role` or `postgresql.conf` would. */
function strangeSettings(url: string): Promise<void> {
  // A list, which quotes would make one value.
  const quoted = (name: string, value: string) => (name === 'DateStyle' ? value : `'${value}'`);
  return alterDatabase(
    url,
    ...SETTINGS.map(([name, theirs]) => `set ${name} = ${quoted(name, theirs)}`),
  );
}

describe('on a server with other settings', () => {
  let url: string;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    ({ url, drop } = await createTestDatabase());
    await strangeSettings(url);
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });
  afterAll(() => drop());

  test('an outside client has the other ones, so that these tests show something', async () => {
    const [row] = await rowsOf<Shown>(url, SHOW, [NAMES]);
    const theirs = SETTINGS.filter(([name]) => name !== 'client_encoding');

    expect(row?.settings).toMatchObject(
      Object.fromEntries(theirs.map(([name, value]) => [name, value])),
    );
  });

  test('each pooled connection has ours', async () => {
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
    const [row] = await units.run('test.show', (uow) =>
      uow.commit('test.show', (tx) => tx.query<Shown>(SHOW, [NAMES])),
    );
    await dataSource.destroy();

    expect(row?.settings).toEqual(OURS);
  });

  test('the control connection has ours', async () => {
    const control = new ControlConnection(url, clock);
    const [row] = await control.query<Shown>(SHOW, [NAMES]);
    await control.close();

    expect(row?.settings).toEqual(OURS);
  });

  test('the connection for signals has ours', async () => {
    const connect = jest.spyOn(Client.prototype, 'connect');
    const signals = new SignalConnection(url, clock);
    const connected = new Promise<void>((resolve) => {
      signals.listen({ onSignal: () => undefined, onConnected: resolve });
    });
    signals.open();
    await connected;
    const [client] = connect.mock.contexts as unknown as Client[];
    const result = await client?.query<Shown>(SHOW, [NAMES]);
    await signals.close();

    expect(result?.rows[0]?.settings).toEqual(OURS);
  });

  test('the connections of the start and of migrations have ours', async () => {
    const shown = await withBootConnection(url, 'test', async (client) => {
      return (await client.query<Shown>(SHOW, [NAMES])).rows[0]?.settings;
    });

    expect(shown).toEqual(OURS);
    await expect(checkServer(url, { poolSize: 2, replicas: 1 })).resolves.toBeInstanceOf(Array);
    await expect(migrate(url)).resolves.toEqual([]);
  });

  test('dates, bytes, numbers and lists come back as they were stored', async () => {
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
    const at = new Date('2026-02-03T04:05:06.789Z');
    const values = [at, Buffer.from([0, 92, 255]), 0.1 + 0.2, ['a\\b', null], 'Ёж 🦔'];
    const rows = await units.run('test.read', (uow) =>
      uow.commit('test.read', (tx) =>
        tx.query(
          `select $1::timestamptz as at, $2::bytea as bytes, $3::float8 as number, $4::text[] as list,
             $5::text as text, 'a\\b' as literal, date_trunc('day', $1::timestamptz) as day,
             now() - now() + interval '36 hours' as span`,
          values,
        ),
      ),
    );
    await dataSource.destroy();

    expect(rows).toEqual([
      {
        at,
        bytes: values[1],
        number: values[2],
        list: values[3],
        text: 'Ёж 🦔',
        literal: 'a\\b',
        day: new Date('2026-02-03T00:00:00Z'),
        span: expect.objectContaining({ hours: 36 }) as unknown,
      },
    ]);
  });
});

describe('an application', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  test('whose database has other settings starts, is ready, and takes a message', async () => {
    await strangeSettings(app.databaseUrl);
    const replica = await startReplica(app, { isWorking: true });
    const candidate = await TestCandidate.begin(replica);
    const sent = await candidate.send('m1', 'Hello 🦔');
    const ready = await probe(replica, 'ready');
    await replica.close();

    expect(sent.status).toBe(202);
    expect(ready.status).toBe(200);
  });
});
