import { SystemClock } from '../../../src/common/clock';
import { CommitBatcher, type Tx, type UnitOfWork } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type Gate, gate } from '../../../tools/http-fake/gate';
import { isClosed, watchUnits } from '../../support/seen-units';
import { turnOfLoop } from '../../support/until';

/** Returns `<question>:<notes that are stored>`. */
class CountingReads {
  /** Opened by the test: a batch that has read its rows waits for it. */
  hold: Gate | null = null;
  readonly hasRead = gate();
  private readonly unsorted: number[] = [];
  private readonly reads: CommitBatcher<number, string>;

  constructor(database: TestDatabase<SystemClock>) {
    this.reads = new CommitBatcher(database.units, 'test.count', (tx, asked) =>
      this.count(tx, asked),
    );
  }

  /** Of its batches, the largest first. */
  get sizes(): number[] {
    return this.unsorted.toSorted((a, b) => b - a);
  }

  submit(question: number, unit?: UnitOfWork): Promise<string> {
    return this.reads.submit(question, unit);
  }

  private async count(tx: Tx, asked: readonly number[]): Promise<string[]> {
    this.unsorted.push(asked.length);
    const [row] = await tx.query<{ n: number }>('select count(*)::int as n from note');
    this.hasRead.open();
    await this.hold?.opened;
    return asked.map((question) => `${question}:${row?.n ?? NaN}`);
  }
}

describe('CommitBatcher', () => {
  let database: TestDatabase<SystemClock>;
  let reads: CountingReads;

  beforeAll(async () => {
    database = await openTestDatabase(new SystemClock());
    await execute((tx) => tx.query('create table note (id int)'));
  });

  beforeEach(async () => {
    await execute((tx) => tx.query('truncate note'));
    reads = new CountingReads(database);
  });

  afterAll(() => database.close());

  function execute<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.units.run('test', (uow) => uow.commit('test', work));
  }

  function submitAll(count: number): Promise<string[]> {
    return Promise.all(Array.from({ length: count }, (_, question) => reads.submit(question)));
  }

  test('serves all callers at once in one commit, each with its own result', async () => {
    const results = await submitAll(50);

    expect(results).toEqual(Array.from({ length: 50 }, (_, question) => `${question}:0`));
    expect(reads.sizes).toEqual([50]);
  });

  test('runs at most 200 requests in one commit', async () => {
    const results = await submitAll(1050);

    expect(results.at(-1)).toBe('1049:0');
    expect(reads.sizes).toEqual([200, 200, 200, 200, 200, 50]);
  });

  test('collects requests while two commits hold a connection', async () => {
    reads.hold = gate();
    const results = [reads.submit(0)];
    await reads.hasRead.opened;
    for (let question = 1; question < 20; question += 1) {
      results.push(reads.submit(question));
      await turnOfLoop();
    }

    reads.hold.open();
    await Promise.all(results);

    expect(reads.sizes).toEqual([18, 1, 1]);
  });

  test('reads what was committed before the call, even while an older one runs', async () => {
    const hold = gate();
    reads.hold = hold;
    const early = reads.submit(1);
    await reads.hasRead.opened;
    await execute((tx) => tx.query('insert into note values (1)'));

    const late = reads.submit(2);
    hold.open();

    expect(await Promise.all([early, late])).toEqual(['1:0', '2:1']);
  });

  test('fails for all callers of one commit, and not for later ones', async () => {
    await execute((tx) => tx.query('alter table note rename to hidden'));
    const both = await Promise.allSettled([reads.submit(1), reads.submit(2)]);
    await execute((tx) => tx.query('alter table hidden rename to note'));

    const after = await reads.submit(3);

    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(after).toBe('3:0');
  });

  test('is refused inside a commit, which would hold one connection and wait for another', async () => {
    const within = execute(() => reads.submit(1));

    await expect(within).rejects.toThrow('"test.count" was called inside the commit "test"');
  });

  describe('whose items bring the units of their flows', () => {
    let flows: UnitOfWork[];
    let seen: ReturnType<typeof watchUnits>;

    beforeEach(() => {
      seen = watchUnits(database.units);
      flows = (['test.a', 'test.b', 'test.c'] as const).map((label) => database.units.open(label));
    });

    afterEach(() => {
      for (const flow of flows) flow.close();
      jest.restoreAllMocks();
      expect(database.units.openUnits).toBe(0);
    });

    const submitOfEach = (): Promise<string[]> =>
      Promise.all(flows.map((flow, question) => reads.submit(question, flow)));
    const commits = (): [string, string[]][] =>
      seen.map(({ unit, commits }) => [unit.label, commits]);

    test('commits a batch with the unit of its first flow, and opens none', async () => {
      expect(await submitOfEach()).toEqual(['0:0', '1:0', '2:0']);

      expect(commits()).toEqual([
        ['test.a', ['test.count']],
        ['test.b', []],
        ['test.c', []],
      ]);
    });

    test('uses the unit of an item behind one that brought none', async () => {
      await Promise.all([reads.submit(0), reads.submit(1, flows[1])]);

      expect(commits()[1]).toEqual(['test.b', ['test.count']]);
      expect(seen).toHaveLength(3);
    });

    test('does not use a unit that is closed or committing', async () => {
      const mayEnd = gate();
      const busy = flows[1]?.commit('test.busy', () => mayEnd.opened);
      flows[0]?.close();
      const results = await submitOfEach();
      mayEnd.open();
      await busy;

      expect(results).toEqual(['0:0', '1:0', '2:0']);
      expect(commits()).toEqual([
        ['test.a', []],
        ['test.b', ['test.busy']],
        ['test.c', ['test.count']],
      ]);
    });

    test('opens a unit when those of all flows are closed', async () => {
      for (const flow of flows) flow.close();

      expect(await submitOfEach()).toEqual(['0:0', '1:0', '2:0']);
      expect(commits().at(-1)).toEqual(['test.count', ['test.count']]);
      expect(seen.map(({ unit }) => isClosed(unit))).toEqual([true, true, true, true]);
    });

    test('stores the batch when its unit is closed meanwhile, and the unit closes after it', async () => {
      reads.hold = gate();
      const results = submitOfEach();
      await reads.hasRead.opened;
      flows[0]?.close();
      const meanwhile = seen.map(({ unit }) => isClosed(unit));
      reads.hold.open();

      expect(await results).toEqual(['0:0', '1:0', '2:0']);
      expect(meanwhile).toEqual([false, false, false]);
      expect(seen.map(({ unit }) => isClosed(unit))).toEqual([true, false, false]);
    });

    test('runs two batches at once with two units, although all items bring the same one', async () => {
      reads.hold = gate();
      const first = reads.submit(0, flows[0]);
      await reads.hasRead.opened;
      const second = reads.submit(1, flows[0]);
      await turnOfLoop();
      reads.hold.open();
      await Promise.all([first, second]);

      expect(commits()).toEqual([
        ['test.a', ['test.count']],
        ['test.b', []],
        ['test.c', []],
        ['test.count', ['test.count']],
      ]);
    });
  });
});
