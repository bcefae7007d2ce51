import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  type Tx,
  UnitOfWorkMetrics,
  UnitOfWorkFactory,
} from '../../../src/common/uow';
import { createDataSource } from '../../../src/persistence';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { giveBack, rowsOf, takeAway } from '../../support/outside';
import { createTestDatabase } from '../../support/postgres';

const QUICK = { poolSize: 1, poolWaitMs: 1500, silenceMs: 800 };

let url: string;
let proxy: CuttingProxy;
let dataSource: ReturnType<typeof createDataSource>;
let units: UnitOfWorkFactory;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
  await rowsOf(url, 'create table note (text text)');
});

beforeEach(async () => {
  await rowsOf(url, 'truncate note');
  proxy = await CuttingProxy.start(url);
  dataSource = createDataSource({ url: proxy.url, ...QUICK });
  await dataSource.initialize();
  const clock = new SystemClock();
  units = new UnitOfWorkFactory(dataSource, clock, new UnitOfWorkMetrics(new Metrics()));
});

afterEach(async () => {
  await proxy.close();
  await dataSource.destroy();
});

afterAll(() => drop());

function commit<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commit('test', work));
}

async function add(tx: Tx, text: string): Promise<void> {
  await tx.query('insert into note values ($1)', [text]);
}

async function notes(): Promise<string[]> {
  const rows = await rowsOf<{ text: string }>(url, 'select text from note order by text');
  return rows.map(({ text }) => text);
}

describe('a commit', () => {
  test('on a silent network fails instead of waiting, and the next one gets a connection', async () => {
    await commit((tx) => add(tx, 'a'));
    proxy.mute();

    await expect(commit((tx) => add(tx, 'b'))).rejects.toBeInstanceOf(DatabaseUnavailableError);
    proxy.heal();
    await commit((tx) => add(tx, 'c'));

    expect(await notes()).toEqual(['a', 'c']);
  });

  test('that is lost at COMMIT has an unknown outcome', async () => {
    const committing = commit(async (tx) => {
      await add(tx, 'a');
      proxy.mute();
    });

    await expect(committing).rejects.toBeInstanceOf(CommitOutcomeUnknownError);
    proxy.heal();
    await commit((tx) => add(tx, 'b'));
    expect(await notes()).toContain('b');
  });

  test('whose session is ended between two statements is done again, and stored once', async () => {
    let attempts = 0;
    await commit(async (tx) => {
      attempts += 1;
      const [{ pid } = { pid: 0 }] = await tx.query<{ pid: number }>(
        'select pg_backend_pid() as pid',
      );
      await add(tx, 'a');
      if (attempts === 1) await rowsOf(url, 'select pg_terminate_backend($1, 1000)', [pid]);
      await add(tx, 'b');
    });

    expect(attempts).toBe(2);
    expect(await notes()).toEqual(['a', 'b']);
  });

  test('is refused as unavailable while the server accepts no connections, and works afterwards', async () => {
    await takeAway(url);
    const refused = await commit((tx) => add(tx, 'a')).catch((error: unknown) => error);
    await giveBack(url);
    await commit((tx) => add(tx, 'b'));

    expect(refused).toBeInstanceOf(DatabaseUnavailableError);
    expect(await notes()).toEqual(['b']);
  });

  test.each([
    ['a lock that somebody holds', 'select 1 from held for update', '10ms'],
    ['a statement that takes too long', 'select pg_sleep(10)', '0'],
  ])('that meets %s says that the database is busy', async (_, statement, lockTimeout) => {
    await rowsOf(url, 'create table if not exists held as select 1 as id');
    const other = createDataSource({ url, ...QUICK, silenceMs: 5000 });
    await other.initialize();
    const holder = other.createQueryRunner();
    await holder.startTransaction();
    await holder.query('select 1 from held for update');

    const waiting = commit(async (tx) => {
      await tx.query(`set local lock_timeout = '${lockTimeout}'`);
      await tx.query(`set local statement_timeout = '50ms'`);
      await tx.query(statement);
    });

    await expect(waiting).rejects.toBeInstanceOf(DatabaseBusyError);
    await holder.rollbackTransaction();
    await holder.release();
    await other.destroy();
  });
});

test('a unit counts as open until it is closed', async () => {
  const before = units.openUnits;
  await units.run('test', async (uow) => {
    expect(units.openUnits).toBe(before + 1);
    await uow.commit('test', (tx) => add(tx, 'a'));
  });

  expect(units.openUnits).toBe(before);
});
