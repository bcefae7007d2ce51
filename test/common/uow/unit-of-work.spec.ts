import {
  NoCommitRunningError,
  PoolExhaustedError,
  SwallowedQueryError,
  UnitOfWorkBusyError,
  WriteConflictError,
  UnitOfWorkClosedError,
  assertOutsideCommit,
  RemoteCallInCommitError,
  type Label,
  type Tx,
  UnitOfWorkMetrics,
  UnitOfWorkFactory,
} from '../../../src/common/uow';
import { SystemClock } from '../../../src/common/clock';
import { Metrics } from '../../../src/common/metrics';
import { createDataSource } from '../../../src/persistence';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { gate } from '../../../tools/http-fake/gate';

describe('a unit of work', () => {
  let database: TestDatabase<SystemClock>;

  beforeAll(async () => {
    database = await openTestDatabase(new SystemClock());
    await database.units.run('test.setup', (uow) =>
      uow.commit('test.setup', (tx) =>
        tx.query('create table note (id int primary key, parent int references note, text text)'),
      ),
    );
  });

  beforeEach(() => execute((tx) => tx.query('truncate note')));

  afterAll(() => database.close());

  function execute<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.units.run('test', (uow) => uow.commit('test', work));
  }

  async function untilEnded(pid: number | undefined): Promise<void> {
    const look = 'select 1 from pg_stat_activity where pid = $1';
    await database.until('the backend has ended', async () => {
      return (await database.control.query(look, [pid])).length === 0;
    });
  }

  async function writeOn(tx: Tx): Promise<void> {
    for (let id = 1; ; id += 1) await tx.query('insert into note values ($1)', [id]);
  }

  function notes(): Promise<number> {
    return execute(async (tx) => {
      const [row] = await tx.query<{ n: string }>('select count(*) as n from note');
      return Number(row?.n);
    });
  }

  test('stores what its commit wrote, and nothing of a commit that threw', async () => {
    await execute((tx) => tx.query(`insert into note values (1, null, 'kept')`));
    const failing = execute(async (tx) => {
      await tx.query(`insert into note values (2, null, 'lost')`);
      throw new Error('after the insert');
    });

    await expect(failing).rejects.toThrow('after the insert');
    expect(await notes()).toBe(1);
  });

  test.each([
    ['throws', 0],
    // The second statement was sent before the work returned.
    ['returns', 2],
  ])('writes nothing that goes on behind its work once that %s', async (end, stored) => {
    let behind: Promise<void> | undefined;
    const work = execute(async (tx) => {
      behind = writeOn(tx);
      behind.catch(() => undefined);
      await tx.query('select 1');
      if (end === 'throws') throw new Error('too late');
    });
    await work.catch((error: unknown) => {
      expect(error).toEqual(new Error('too late'));
    });

    await expect(behind).rejects.toThrow(NoCommitRunningError);
    expect(await notes()).toBe(stored);
  });

  test('holds no connection between its commits', async () => {
    const units = Array.from({ length: 40 }, () => database.units.open('stream'));
    for (const uow of units) await uow.commit('test.step', (tx) => tx.query('select 1'));

    const [row] = await execute((tx) =>
      tx.query<{ n: string }>(
        `select count(*) as n from pg_stat_activity
         where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid()
           and backend_type = 'client backend'`,
      ),
    );

    expect(row?.n).toBe('0');
    for (const uow of units) uow.close();
  });

  test('serves many more open units than the pool has connections', async () => {
    const results = await Promise.all(
      Array.from({ length: 60 }, (_, i) =>
        database.units.run('stream', async (uow) => {
          await uow.commit('test.one', (tx) =>
            tx.query(`insert into note values ($1, null, '')`, [i]),
          );
          await uow.commit('test.two', (tx) =>
            tx.query(`update note set text = 'x' where id = $1`, [i]),
          );
          return i;
        }),
      ),
    );

    expect(results).toHaveLength(60);
    expect(await notes()).toBe(60);
  });

  test('refuses a commit that overlaps another one of it', async () => {
    await database.units.run('test', async (uow) => {
      const first = uow.commit('test.first', (tx) => tx.query('select pg_sleep(0.05)'));
      await expect(uow.commit('test.second', (tx) => tx.query('select 1'))).rejects.toBeInstanceOf(
        UnitOfWorkBusyError,
      );
      await first;
    });
  });

  test('refuses a commit inside a commit, its own or of another unit', async () => {
    await database.units.run('test.outer', async (outer) => {
      const nested = outer.commit('test.outer', () => execute((tx) => tx.query('select 1')));
      await expect(nested).rejects.toBeInstanceOf(UnitOfWorkBusyError);
    });
    const other = database.units.open('test.other');
    const crossed = execute(() => other.commit('test.inner', (tx) => tx.query('select 1')));
    await expect(crossed).rejects.toBeInstanceOf(UnitOfWorkBusyError);
    other.close();
  });

  test('refuses a commit after it was closed', async () => {
    const uow = database.units.open('test');
    uow.close();
    uow.close();

    await expect(uow.commit('test.late', (tx) => tx.query('select 1'))).rejects.toBeInstanceOf(
      UnitOfWorkClosedError,
    );
  });

  test('lets a running commit finish when it is closed meanwhile', async () => {
    const uow = database.units.open('test');
    const commit = uow.commit('test.slow', async (tx) => {
      await tx.query('select pg_sleep(0.05)');
      await tx.query(`insert into note values (1, null, '')`);
    });
    uow.close();
    await commit;

    expect(await notes()).toBe(1);
    await expect(uow.commit('test.late', (tx) => tx.query('select 1'))).rejects.toBeInstanceOf(
      UnitOfWorkClosedError,
    );
  });

  test('refuses to commit when a failed statement was swallowed', async () => {
    const swallowing = execute(async (tx) => {
      await tx.query(`insert into note values (1, null, '')`);
      await tx.query('select * from nowhere').catch(() => []);
    });

    await expect(swallowing).rejects.toBeInstanceOf(SwallowedQueryError);
    expect(await notes()).toBe(0);
  });

  test('refuses remote calls inside a commit and allows them outside', async () => {
    assertOutsideCommit('model');
    const calling = execute(() => {
      assertOutsideCommit('model');
      return Promise.resolve();
    });

    await expect(calling).rejects.toBeInstanceOf(RemoteCallInCommitError);
  });

  test('does the work again after a deadlock, and stores it once', async () => {
    await execute((tx) => tx.query(`insert into note values (1, null, ''), (2, null, '')`));
    const meet = barrier(2);
    const attempts = { count: 0 };
    const cross = (first: number, second: number) =>
      execute(async (tx) => {
        attempts.count += 1;
        await tx.query(`update note set text = text || 'x' where id = $1`, [first]);
        await meet();
        await tx.query(`update note set text = text || 'y' where id = $1`, [second]);
      });

    await Promise.all([cross(1, 2), cross(2, 1)]);

    const rows = await execute((tx) => tx.query<{ text: string }>('select text from note'));
    expect(rows.map(({ text }) => Array.from(text).sort().join(''))).toEqual(['xy', 'xy']);
    expect(attempts.count).toBeGreaterThan(2);
  });

  test('does the work again at once after a write conflict, three times at most', async () => {
    let tries = 0;
    const conflict = new WriteConflictError('the same row was stored meanwhile');
    const conflicting = (until: number) =>
      execute(async (tx) => {
        tries += 1;
        await tx.query('insert into note values ($1, null, $2)', [until, 'x']);
        if (tries < until) throw conflict;
        return tries;
      });

    await expect(conflicting(3)).resolves.toBe(3);
    tries = 0;
    await expect(conflicting(4)).rejects.toBe(conflict);

    const rows = await execute((tx) => tx.query('select id from note'));
    expect(rows).toEqual([{ id: 3 }]);
  });

  test('throws that the pool is exhausted instead of waiting forever', async () => {
    const dataSource = createDataSource({ url: database.url, poolSize: 1, poolWaitMs: 1500 });
    await dataSource.initialize();
    const units = new UnitOfWorkFactory(
      dataSource,
      new SystemClock(),
      new UnitOfWorkMetrics(new Metrics()),
    );
    const held = gate();
    const holder = units.run('test.holder', (uow) => uow.commit('test.hold', () => held.opened));
    const waiting = units.run('test.waiter', (uow) =>
      uow.commit('test.wait', (tx) => tx.query('select 1')),
    );

    await expect(waiting).rejects.toBeInstanceOf(PoolExhaustedError);
    held.open();
    await holder;
    await dataSource.destroy();
  });

  test('commits for a request while many jobs hold and wait for connections', async () => {
    const held = gate();
    const jobs = Array.from({ length: 30 }, () => database.units.openForJob('job'));
    let begun = 0;
    const working = jobs.map((uow) =>
      uow.commit('test.work', async () => {
        begun += 1;
        await held.opened;
      }),
    );

    await execute((tx) => tx.query(`insert into note values (1, null, 'of a request')`));

    expect(await notes()).toBe(1);
    expect(begun).toBeLessThan(jobs.length);
    held.open();
    await Promise.all(working);
    expect(begun).toBe(jobs.length);
    for (const uow of jobs) uow.close();
  });

  test('goes on after its connections were cut', async () => {
    await execute((tx) => tx.query('select 1'));
    await database.control.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = 'colloquy'`,
    );

    await execute((tx) => tx.query(`insert into note values (1, null, '')`));

    expect(await notes()).toBe(1);
  });

  test('counts commits by label and outcome, commits per unit, and refused foreign keys', async () => {
    await database.units.run('test.counted', async (uow) => {
      const during = await uow.commit('test.a', async (tx) => {
        await tx.query('select 1');
        return database.registry.exposition();
      });
      expect(during.body).toMatch(/^colloquy_uow_open_units 1$/m);
      expect(during.body).toMatch(/^colloquy_uow_committing 1$/m);
      const orphan = uow.commit('test.b', (tx) => tx.query(`insert into note values (1, 99, '')`));
      await expect(orphan).rejects.toThrow();
    });

    const { body } = await database.registry.exposition();
    expect(body).toContain('colloquy_uow_commits_total{label="test.a",outcome="committed"} 1');
    expect(body).toContain('colloquy_uow_commits_total{label="test.b",outcome="rolled_back"} 1');
    expect(body).toContain('colloquy_uow_foreign_key_violations_total{label="test.b"} 1');
    expect(body).toContain('colloquy_uow_commits_per_unit_sum{unit="test.counted"} 2');
    expect(body).toMatch(/^colloquy_uow_open_units 0$/m);
    expect(body).toMatch(/^colloquy_uow_committing 0$/m);
  });

  test('counts each wait for a lock that was given up, also of a commit that went through', async () => {
    await execute((tx) => tx.query(`insert into note values (1, null, '')`));
    const [held, locked] = [gate(), gate()];
    const holder = execute(async (tx) => {
      await tx.query('select 1 from note where id = 1 for update');
      locked.open();
      await held.opened;
    });
    await locked.opened;
    let tries = 0;

    await database.units.run('test.waiter', (uow) =>
      uow.commit('test.waits', async (tx) => {
        tries += 1;
        if (tries === 2) {
          held.open();
          await holder;
        }
        await tx.query(`set local lock_timeout = '50ms'`);
        await tx.query('select 1 from note where id = 1 for update');
      }),
    );

    const { body } = await database.registry.exposition();
    expect(body).toContain('colloquy_uow_lock_timeouts_total{label="test.waits"} 1');
    expect(body).toContain('colloquy_uow_commits_total{label="test.waits",outcome="committed"} 1');
  });

  test('begins again after the server ended a session that stood still in its transaction', async () => {
    let tries = 0;

    await execute(async (tx) => {
      tries += 1;
      await tx.query(`insert into note values ($1, null, '')`, [tries]);
      if (tries > 1) return;
      await tx.query(`set local idle_in_transaction_session_timeout = '20ms'`);
      const [row] = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
      await untilEnded(row?.pid);
      await tx.query('select 1');
    });

    expect(await notes()).toBe(1);
  });

  test('ends a session that idles inside a transaction before a lease would end', async () => {
    const [row] = await execute((tx) =>
      tx.query<{ idle: string; statement: string; lock: string }>(
        `select current_setting('idle_in_transaction_session_timeout') as idle,
           current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock`,
      ),
    );

    expect(row).toEqual({ idle: '4s', statement: '3s', lock: '1s' });
  });
});

/** Resolves for everybody when `size` have arrived; late arrivals pass. */
function barrier(size: number): () => Promise<void> {
  const all = gate();
  let arrived = 0;
  return () => {
    arrived += 1;
    if (arrived >= size) all.open();
    return all.opened;
  };
}

test('a label with an area that no room declares, or with a capital letter, does not compile', () => {
  const declared: readonly Label[] = ['turn', 'turn.open', 'notion-sync', 'http GET /'];
  // @ts-expect-error -- no room declares the area `trn`
  const misspelt: Label = 'trn.open';
  // @ts-expect-error -- a label is in lower case
  const camelCase: Label = 'turn.openNext';

  expect(declared).not.toContain(misspelt);
  expect(declared).not.toContain(camelCase);
});
