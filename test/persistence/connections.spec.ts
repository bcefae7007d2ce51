import { randomUUID } from 'node:crypto';
import { Socket } from 'node:net';
import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkBusyError, UnitOfWorkMetrics, UnitsOfWork } from '../../src/common/uow';
import { ControlConnection, createDataSource, migrate } from '../../src/persistence';
import { FakeClock } from '../support/clock';
import { rowsOf } from '../support/outside';
import { createTestDatabase } from '../support/postgres';
import { asAdmin, urlOfDatabase } from '../support/postgres/admin';

/** How the connections of a process are made. */

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
  it('is kept alive on the network', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    await dataSource.destroy();

    expect(keepAlive).toHaveBeenCalledWith(true, expect.anything());
  });

  it('is waited for two seconds, and no longer', () => {
    const { options } = createDataSource({ url, poolSize: 1 });

    expect(options).toMatchObject({ connectTimeoutMS: 2000 });
  });

  it('is never wanted by a flow that holds one: no unit is opened inside a commit', async () => {
    const dataSource = createDataSource({ url, poolSize: 1 });
    await dataSource.initialize();
    const units = new UnitsOfWork(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
    let opened: unknown = null;

    await units.run('outer', (uow) =>
      uow.commit('outer', () => {
        try {
          opened = units.open('inner');
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
  it('is kept alive on the network', async () => {
    const keepAlive = jest.spyOn(Socket.prototype, 'setKeepAlive');
    const control = new ControlConnection(url, clock);
    await control.query('select 1');
    await control.close();

    expect(keepAlive).toHaveBeenCalledWith(true, expect.anything());
  });
});

describe('a migration', () => {
  it('has all the time it needs: no time limit of a commit is on its connection', async () => {
    const name = `colloquy_test_${randomUUID().replaceAll('-', '')}`;
    const fresh = urlOfDatabase(name);
    await asAdmin((admin) => admin.query(`create database ${name} template template0`));
    await rowsOf(fresh, WATCH_LIMITS);

    await migrate(fresh);

    const seen = await rowsOf(fresh, 'select distinct statement, idle, lock from seen');
    await asAdmin((admin) => admin.query(`drop database ${name} with (force)`));
    expect(seen).toEqual([{ statement: '0', idle: '0', lock: '0' }]);
  });
});

/** Notes the limits of every session that changes the schema. */
const WATCH_LIMITS = `
  create table seen (statement text, idle text, lock text);
  create function note_limits() returns event_trigger language plpgsql as $$
  begin
    insert into seen values (current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout'), current_setting('lock_timeout'));
  end $$;
  create event trigger note_limits on ddl_command_end execute function note_limits()`;
