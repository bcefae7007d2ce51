import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Client } from 'pg';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkBusyError, UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import {
  ControlConnection,
  SignalConnection,
  createDataSource,
  migrate,
} from '../../src/persistence';
import { withBootConnection } from '../../src/persistence/server-check';
import { FakeClock } from '../../tools/support/fake-clock';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';
import { asAdmin, urlOfDatabase } from '../support/postgres/admin';

/** The settings of a process's connections. */

let url: string;
let drop: () => Promise<void>;
const clock = new FakeClock();

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
});
afterEach(() => {
  jest.restoreAllMocks();
});
afterAll(() => drop());

describe('a pooled connection', () => {
  test('is kept alive on the network', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    await dataSource.destroy();

    expect(keepAlive).toHaveBeenCalledWith(true, expect.anything());
  });

  test('makes callers wait two seconds at most', () => {
    const { options } = createDataSource({ url, poolSize: 1 });

    expect(options).toMatchObject({ connectTimeoutMS: 2000 });
  });

  test('is never requested inside a commit: opening a unit there throws', async () => {
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
    let opened: unknown = null;

    await units.run('test.outer', (uow) =>
      uow.commit('test.outer', () => {
        try {
          opened = units.open('test.inner');
        } catch (error) {
          opened = error;
        }
        return Promise.resolve();
      }),
    );

    await dataSource.destroy();
    expect(opened).toBeInstanceOf(UnitOfWorkBusyError);
  });
});

describe('the control connection', () => {
  test('is kept alive on the network', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const control = new ControlConnection(url, clock);
    await control.query('select 1');
    await control.close();

    expect(keepAlive).toHaveBeenCalledWith(true, expect.anything());
  });
});

describe('every connection', () => {
  test('runs without the just-in-time compiler, which costs more than any of our statements', async () => {
    const show = `select pg_backend_pid() as pid, current_setting('jit') as jit`;
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    const control = new ControlConnection(url, clock);
    const jit = {
      pool: (await dataSource.query<{ jit: string }[]>(show))[0]?.jit,
      control: (await control.query<{ jit: string }>(show))[0]?.jit,
      boot: await withBootConnection(url, 'boot', async (client) => {
        return (await client.query<{ jit: string }>(show)).rows[0]?.jit;
      }),
    };
    await dataSource.destroy();
    await control.close();

    expect(jit).toEqual({ pool: 'off', control: 'off', boot: 'off' });
  });

  test('the connection for signals runs without it too', async () => {
    const connect = jest.spyOn(Client.prototype, 'connect');
    const signals = new SignalConnection(url, clock);
    const connected = new Promise<void>((resolve) => {
      signals.listen({ onSignal: () => undefined, onConnected: resolve });
    });
    signals.open();
    await connected;
    const [client] = connect.mock.contexts as unknown as Client[];
    const { rows } = (await client?.query('show jit')) ?? {};
    await signals.close();

    expect(rows).toEqual([{ jit: 'off' }]);
  });
});

describe('a migration', () => {
  test('has no statement timeout, but waits for a lock half a second at most', async () => {
    const name = `colloquy_test_${randomUUID().replaceAll('-', '')}`;
    const fresh = urlOfDatabase(name);
    await asAdmin((admin) => admin.query(`create database ${name} template template0`));
    await rowsOf(fresh, WATCH_LIMITS);

    await migrate(fresh);

    const seen = await rowsOf(fresh, 'select distinct statement, idle, lock, jit from seen');
    await asAdmin((admin) => admin.query(`drop database ${name} with (force)`));
    expect(seen).toEqual([{ statement: '0', idle: '0', lock: '500ms', jit: 'off' }]);
  });
});

/** Records the timeouts of every session that changes the schema. */
const WATCH_LIMITS = `
  create table seen (statement text, idle text, lock text, jit text);
  create function note_limits() returns event_trigger language plpgsql as $$
  begin
    insert into seen values (current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout'),
      current_setting('jit'));
  end $$;
  create event trigger note_limits on ddl_command_end execute function note_limits()`;
