import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import {
  CommitOutcomeUnknownError,
  RemoteCallInCommitError,
  SwallowedQueryError,
  type Tx,
  UnitOfWorkBusyError,
  UnitOfWorkMetrics,
  UnitOfWorkFactory,
  assertOutsideCommit,
} from '../../../src/common/uow';
import { SecondStatementError } from '../../../src/common/uow/errors';
import { createDataSource } from '../../../src/persistence';
import { CuttingProxy } from '../../../tools/fake-network/cutting-proxy';
import { rowsOf } from '../../support/outside';
import { createTestDatabase } from '../../support/postgres';

const ADD = 'insert into note (text) values ($1)';

let url: string;
let proxy: CuttingProxy;
let dataSource: ReturnType<typeof createDataSource>;
let metrics: Metrics;
let units: UnitOfWorkFactory;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url, drop } = await createTestDatabase());
  await rowsOf(url, 'create table note (text text)');
});
beforeEach(async () => {
  await rowsOf(url, 'truncate note');
  proxy = await CuttingProxy.start(url);
  dataSource = createDataSource({ url: proxy.url, poolSize: 1, poolWaitMs: 1500, silenceMs: 300 });
  await dataSource.initialize();
  metrics = new Metrics();
  units = new UnitOfWorkFactory(dataSource, new SystemClock(), new UnitOfWorkMetrics(metrics));
});
afterEach(async () => {
  jest.restoreAllMocks();
  await proxy.close();
  await dataSource.destroy();
});
afterAll(() => drop());

function commitOne<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  return units.run('test', (uow) => uow.commitOne('test.one', work));
}

async function notes(): Promise<string[]> {
  const rows = await rowsOf<{ text: string }>(url, 'select text from note order by text');
  return rows.map(({ text }) => text);
}

/** What it shares with `commit`, and where it must differ. */
describe('a commit of one statement', () => {
  test('stores its statement without BEGIN and COMMIT, and counts as a commit', async () => {
    const runner = dataSource.createQueryRunner();
    const begin = jest.spyOn(Object.getPrototypeOf(runner) as typeof runner, 'startTransaction');
    await runner.release();
    let calls = 0;

    await commitOne(async (tx) => {
      tx.afterCommit(() => (calls += 1));
      await tx.query(ADD, ['a']);
    });

    expect(begin).not.toHaveBeenCalled();
    expect(calls).toBe(1);
    expect(await notes()).toEqual(['a']);
    expect((await metrics.exposition()).body).toContain(
      'colloquy_uow_commits_total{label="test.one",outcome="committed"} 1',
    );
  });

  test('refuses a second statement, and does not send it', async () => {
    const failing = commitOne(async (tx) => {
      await tx.query(ADD, ['a']);
      await tx.query(ADD, ['b']);
    });

    await expect(failing).rejects.toBeInstanceOf(SecondStatementError);
    expect(await notes()).toEqual(['a']);
  });

  test('refuses entities, whose statements it cannot count', async () => {
    const failing = commitOne((tx) => tx.manager.query('select 1'));

    await expect(failing).rejects.toBeInstanceOf(SecondStatementError);
  });

  test('has the tripwires of every commit: nesting, remote calls, swallowed errors', async () => {
    await expect(commitOne(() => commitOne((tx) => tx.query('select 1')))).rejects.toBeInstanceOf(
      UnitOfWorkBusyError,
    );
    const remote = commitOne(() => {
      assertOutsideCommit('the model');
      return Promise.resolve();
    });
    await expect(remote).rejects.toBeInstanceOf(RemoteCallInCommitError);
    const swallowed = commitOne((tx) => tx.query('select 1 / 0', []).catch(() => []));
    await expect(swallowed).rejects.toBeInstanceOf(SwallowedQueryError);
  });

  test('runs again when its session is ended in the middle', async () => {
    let tries = 0;

    await commitOne((tx) => {
      tries += 1;
      return tries === 1
        ? tx.query('select pg_terminate_backend(pg_backend_pid())', [])
        : tx.query(ADD, ['a']);
    });

    expect(tries).toBe(2);
    expect(await notes()).toEqual(['a']);
  });

  test('has an unknown outcome when its statement is lost in silence, and frees its connection', async () => {
    let tries = 0;
    const lost = commitOne((tx) => {
      tries += 1;
      if (tries === 1) proxy.mute();
      return tx.query(ADD, ['a']);
    });
    const error = await lost.catch((reason: unknown) => reason);
    proxy.heal();
    await commitOne((tx) => tx.query(ADD, ['b']));

    expect(tries).toBe(1);
    expect(error).toBeInstanceOf(CommitOutcomeUnknownError);
    expect(await notes()).toContain('b');
  });
});
