import { SystemClock } from '../../../../src/common/clock';
import { LimiterRepository } from '../../../../src/notion-sync/api/limiter/limiter.repository';
import { settingsForTests } from '../../../support/settings';
import { inCommit } from '../../../support/jobs';
import { SharedTime, type Replica, lines } from './shared-time';

let setup: SharedTime;
beforeAll(async () => {
  setup = await SharedTime.open();
});
beforeEach(() => setup.reset());
afterAll(() => setup.close());

describe('missed starts in a row', () => {
  test('are reported in the log, the metrics, the readiness probe and to listeners', async () => {
    let lateMs = 80;
    const replica = setup.replica(settingsForTests(), () => lateMs);
    const listeners: (string | null)[] = [];
    replica.condition.onChange((problem) => {
      listeners.push(problem);
      return Promise.resolve(true);
    });
    const asked = setup.ask(replica, setup.nowMs);
    await setup.drive(setup.nowMs + 10_000);
    const shown = problemsOf(replica);
    const [missed = ''] = await lines(replica, 'colloquy_notion_missed_starts_in_a_row');
    lateMs = 0;
    await setup.drive();
    await asked;

    const said: unknown = expect.stringMatching(
      /^Calls to Notion start too late \(6 missed their time in a row\)/,
    );
    expect(listeners[0]).toEqual(said);
    expect(shown).toEqual([expect.stringContaining('start too late')]);
    expect(Number(missed.split(' ')[1])).toBeGreaterThanOrEqual(6);
    expect(listeners.at(-1)).toBeNull();
    expect(problemsOf(replica)).toEqual([null]);
    expect(await lines(replica, 'colloquy_notion_missed_starts_in_a_row')).toEqual([
      'colloquy_notion_missed_starts_in_a_row 0',
    ]);
  });

  function problemsOf({ conditions }: Replica): (string | null)[] {
    const shown = conditions.all().filter(({ peer }) => peer === 'notion_limiter');
    return shown.map(({ trouble }) => trouble);
  }
});

test('a booking that waited for the row lock gets a start after that wait, by the real clock', async () => {
  const row = new LimiterRepository(new SystemClock(), settingsForTests());
  const holder = setup.dataSource.createQueryRunner();
  await holder.startTransaction();
  await holder.query('update notion_limiter set grants = grants');
  const booking = inCommit(setup.units, (tx) =>
    row.book(tx, { leadMs: 0, timescaleId: 'one', earlyMs: 0, lateMs: 0 }),
  );
  await holder.query(`select pg_sleep(0.3)`);
  const [released] = (await holder.query('select clock_timestamp()::text as at')) as {
    at: string;
  }[];
  await holder.commitTransaction();
  await holder.release();
  const { grantedAt } = (await booking) ?? {};

  const [order] = await setup.sql<{ later: boolean }>(
    'select $1::timestamptz > $2::timestamptz as later',
    [grantedAt, released?.at],
  );
  expect(order).toEqual({ later: true });
});
