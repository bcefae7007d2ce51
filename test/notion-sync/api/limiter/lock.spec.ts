import { SystemClock } from '../../../../src/common/clock';
import type { Tx } from '../../../../src/common/uow';
import { LimiterRepository } from '../../../../src/notion-sync/api/limiter/limiter.repository';
import { SECOND_MS } from '../../../../src/notion-sync/api/limiter/limiter-timing';
import { settingsForTests } from '../../../support/settings';
import { inCommit } from '../../../support/jobs';
import { SharedTime } from './shared-time';

let setup: SharedTime;
beforeAll(async () => {
  setup = await SharedTime.open();
});
beforeEach(() => setup.reset());
afterAll(() => setup.close());

describe('a booking that waited for the lock of the row', () => {
  const row = new LimiterRepository(
    new SystemClock(),
    settingsForTests({ NOTION_MAX_RPS: '1', NOTION_TOKEN_CAPACITY: '3' }),
  );
  const wish = { leadMs: 0, timescaleId: 'one', earlyMs: 0, lateMs: 0 };
  const book = () => inCommit(setup.units, (tx) => row.book(tx, wish));

  const rowsOnly = (tx: { query: (text: string, values: unknown[]) => Promise<unknown> }) => ({
    query: async (text: string, values: unknown[]) => {
      const [rows] = (await tx.query(text, values)) as [unknown[]];
      return rows;
    },
  });

  /** Runs `work` while another commit, which has booked a start, still holds the row. */
  async function behindABooking<T>(work: () => Promise<T>): Promise<{ before: number; result: T }> {
    const holder = setup.dataSource.createQueryRunner();
    await holder.startTransaction();
    const tx = { query: (text: string, values: unknown[]) => holder.query(text, values) };
    // On a plain connection TypeORM returns the rows of an UPDATE together with their number.
    const first = await row.book(rowsOnly(tx) as unknown as Tx, wish);
    const waiting = work();
    await holder.query('select pg_sleep(0.2)');
    await holder.commitTransaction();
    await holder.release();
    return { before: first?.grantedMs ?? 0, result: await waiting };
  }

  test('takes into account the start that was booked meanwhile', async () => {
    const { before, result } = await behindABooking(book);

    expect((result?.grantedMs ?? 0) - before).toBeCloseTo(SECOND_MS, 1);
  });

  test('does not move the start that was booked meanwhile instead of its own', async () => {
    const missed = await book();
    if (missed === null) throw new Error('nothing was booked');
    const { result } = await behindABooking(() =>
      inCommit(setup.units, (tx) =>
        row.move(tx, { missed: { ...wish, ...missed }, place: 1 }, wish),
      ),
    );

    expect(result).toBeNull();
    const [{ grants } = { grants: 0 }] = await setup.sql<{ grants: number }>(
      'select cardinality(grants) as grants from notion_limiter',
    );
    expect(grants).toBe(2);
  });
});
