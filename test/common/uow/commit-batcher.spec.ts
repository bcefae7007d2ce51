import { SystemClock } from '../../../src/common/clock';
import { CommitBatcher, type Tx } from '../../../src/common/uow';
import { type TestDatabase, openTestDatabase } from '../../support/app-database';
import { type Gate, gate } from '../../../tools/http-fake/gate';
import { turnOfLoop } from '../../support/until';

/** Returns `<question>:<notes that are stored>`. */
class CountingReads {
  /** Opened by the test: a batch that has read its rows waits for it. */
  hold: Gate | null = null;
  readonly hasRead = gate();
  private readonly unsorted: number[] = [];
  private readonly reads: CommitBatcher<number, string>;

  constructor(database: TestDatabase<SystemClock>) {
    this.reads = new CommitBatcher(database.units, 'count', (tx, asked) => this.count(tx, asked));
  }

  /** Of its batches, the largest first. */
  get sizes(): number[] {
    return this.unsorted.toSorted((a, b) => b - a);
  }

  submit(question: number): Promise<string> {
    return this.reads.submit(question);
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

    await expect(within).rejects.toThrow('"count" was called inside the commit "test"');
  });
});
