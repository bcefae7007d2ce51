import { Metrics } from '../../src/common/metrics';
import { UnitOfWorkMetrics, UnitOfWorkFactory } from '../../src/common/uow';
import {
  ControlConnection,
  NoticeConnection,
  checkServer,
  createDataSource,
  migrate,
} from '../../src/persistence';
import { FakeClock } from '../support/clock';
import { type PgBouncer, type PoolMode, startPgBouncer } from '../support/pgbouncer';
import { createTestDatabase } from '../support/postgres';

/** PgBouncer with its defaults refuses startup options: what a process needs must be set otherwise. */

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
afterEach(() => pooler.close());
afterAll(() => drop());

async function shownByPool(times: number): Promise<unknown[]> {
  const dataSource = createDataSource({ url: pooler.url, poolSize: 2 });
  await dataSource.initialize();
  const units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
  const shown = await Promise.all(
    Array.from({ length: times }, () =>
      units.run('show', (uow) => uow.commit('show', (tx) => tx.query(SHOW, []))),
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

describe('PgBouncer in session mode', () => {
  beforeEach(async () => {
    pooler = await startPgBouncer(url, 'session');
  });

  test('is accepted at boot, and migrates', async () => {
    await expect(checkServer(pooler.url, DEPLOYMENT)).resolves.toBeUndefined();
    await expect(migrate(pooler.url)).resolves.toBeUndefined();
  });

  test('has its session settings on each connection, also on a reused server session', async () => {
    const ofPool = { statement: '3s', lock: '1s', idle: '4s', sort: 'on', jit: 'off' };
    const ofControl = { statement: '3s', lock: '1s', idle: '0', sort: 'off', jit: 'off' };

    expect(await shownByPool(4)).toEqual(Array.from({ length: 4 }, () => ofPool));
    expect(await shownByControl()).toEqual(ofControl);
    expect(await shownByPool(4)).toEqual(Array.from({ length: 4 }, () => ofPool));
    expect(await shownByControl()).toEqual(ofControl);
  });

  test('carries notices from one process to another', async () => {
    const sender = new NoticeConnection(pooler.url, clock);
    const receiver = new NoticeConnection(pooler.url, clock);
    const [sending, receiving] = [sender, receiver].map(
      (notices) =>
        new Promise<void>((resolve) => {
          notices.listen({ onNotice: () => undefined, onConnected: resolve });
          notices.open();
        }),
    );
    await Promise.all([sending, receiving]);
    const heard = new Promise<string>((resolve) => {
      receiver.listen({ onNotice: resolve, onConnected: () => undefined });
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
