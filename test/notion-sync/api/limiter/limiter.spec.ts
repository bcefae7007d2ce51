import { MINUTE_MS, SECOND_MS } from '../../../../src/notion-sync/api/limiter/limiter-timing';
import { NotionPausedError } from '../../../../src/notion-sync/api/errors';
import type { PermitHolder } from '../../../../src/notion-sync/api/limiter/notion-limiter';
import { LeaseLostError } from '../../../../src/jobs';
import { settingsForTests } from '../../../support/settings';
import { inCommit } from '../../../support/jobs';
import { FIRST, SharedTime, type Replica, SECOND, THIRD, lines } from './shared-time';

let setup: SharedTime;
beforeAll(async () => {
  setup = await SharedTime.open();
});
beforeEach(() => setup.reset());
afterAll(() => setup.close());

/** Asks for permits one after the other; each is in the queue before the next one is asked for. */
async function askInTurn(
  replicas: readonly Replica[],
  holders: readonly PermitHolder[] = [],
): Promise<(number | { readonly error: unknown })[]> {
  const fromMs = setup.nowMs;
  const asked: ReturnType<SharedTime['ask']>[] = [];
  for (const [index, replica] of replicas.entries()) {
    asked.push(setup.ask(replica, fromMs, holders[index]));
    await setup.settle();
  }
  await setup.drive();
  return Promise.all(asked);
}

const SLOW = { toCheckMs: 10, booked: () => undefined, checked: () => undefined };

/** How many starts are booked. */
async function booked(): Promise<number> {
  const [row] = await setup.sql<{ grants: number }>(
    'select cardinality(grants) as grants from notion_limiter',
  );
  return row?.grants ?? -1;
}

describe('a permit', () => {
  test('is granted at once three times; then the rolling second limits it', async () => {
    const replica = setup.replica(settingsForTests());
    const starts = await askInTurn(Array.from({ length: 7 }, () => replica));

    expect(starts).toEqual([...FIRST, ...SECOND, THIRD]);
  });

  test('is granted in the order of the requests, on any replica, even a slow one', async () => {
    const [red, blue] = [setup.replica(settingsForTests()), setup.replica(settingsForTests())];
    // A slow replica books later starts than others would.
    Object.assign(red.limiter, { lead: { ...SLOW, toBookMs: 200 } });
    const starts = await askInTurn([red, blue, red, blue, blue]);

    expect(starts).toEqual([200, 200, 200, SECOND_MS + 200, SECOND_MS + 200]);
  });

  test('comes at even intervals when only one call may start at once', async () => {
    const settings = settingsForTests({ NOTION_TOKEN_CAPACITY: '1' });
    const starts = await askInTurn(Array.from({ length: 4 }, () => setup.replica(settings)));

    expect(starts).toEqual([10, 352, 694, 1036]);
  });

  test('waits for the budget of the rolling minute', async () => {
    const settings = settingsForTests({ NOTION_BUDGET_PER_MINUTE: '4' });
    const replica = setup.replica(settings);
    const starts = await askInTurn(Array.from({ length: 6 }, () => replica));

    expect(starts).toEqual([...FIRST, SECOND_MS + 10, MINUTE_MS + 10, MINUTE_MS + 10]);
  });

  test('that was missed is moved if no later booking depends on it', async () => {
    const stalls = [0, 0, 80];
    const replica = setup.replica(settingsForTests(), () => stalls.shift() ?? 0);

    // It is 80 ms late, so the next time it wakes up earlier by that and a tenth more.
    expect(await askInTurn([replica])).toEqual([80 + 92]);
    expect(await booked()).toBe(1);
    expect(await lines(replica, 'colloquy_notion_permits_total')).toEqual([
      'colloquy_notion_permits_total{end="late"} 1',
      'colloquy_notion_permits_total{end="used"} 1',
    ]);
  });

  test('that was missed is lost if later bookings depend on it', async () => {
    const stalls = [0, 0, 80];
    const late = setup.replica(settingsForTests(), () => stalls.shift() ?? 0);
    const others = Array.from({ length: 6 }, () => setup.replica(settingsForTests()));

    expect(await askInTurn([late, ...others])).toEqual([THIRD, 10, 10, ...SECOND, THIRD]);
    expect(await booked()).toBe(8);
  });

  test('is no longer waited for once the signal aborts', async () => {
    const replica = setup.replica(settingsForTests());
    const over = new AbortController();
    const reason = new Error('enough');
    await askInTurn([replica, replica, replica]);
    const asked = setup.ask(replica, 0, { signal: over.signal });
    await setup.settle();
    over.abort(reason);
    await setup.drive();

    expect(await asked).toEqual({ error: reason });
    expect(await setup.ask(replica, 0, { signal: over.signal })).toEqual({ error: reason });
    expect(await lines(replica, 'colloquy_notion_permit_queue')).toEqual([
      'colloquy_notion_permit_queue 0',
    ]);
  });

  test('is not granted after the lease is lost, and the next in the queue does not wait longer', async () => {
    const replica = setup.replica(settingsForTests());
    const lost = new LeaseLostError('the test took it');
    const starts = await askInTurn(
      [replica, replica],
      [{ lease: () => ({ jobId: '1', claimNo: 1, lost: () => lost }) }, { lease: () => null }],
    );

    expect(starts).toEqual([{ error: lost }, 10]);
  });

  test('holds no connection while it is waited for', async () => {
    const replica = setup.replica(settingsForTests());
    const asked = Array.from({ length: 40 }, () => setup.ask(replica, setup.nowMs));
    await setup.settle();

    expect(replica.units.openUnits).toBe(40);
    const [row] = await setup.sql<{ idle: number }>(
      `select count(*)::int as idle from pg_stat_activity
       where datname = current_database() and state like 'idle in transaction%'`,
    );
    expect(row?.idle).toBe(0);
    await setup.drive();
    await Promise.all(asked);
  });

  test('cannot be asked for inside a commit', async () => {
    const { limiter } = setup.replica(settingsForTests());
    const start = jest.fn();

    await expect(
      inCommit(setup.units, () => limiter.whenPermitted({}, start)),
    ).rejects.toMatchObject({ code: 'remote_call_in_commit' });
    expect(start).not.toHaveBeenCalled();
  });
});

describe('a pause', () => {
  test('stops every replica, even with a booked start', async () => {
    const [red, blue] = [setup.replica(settingsForTests()), setup.replica(settingsForTests())];
    await askInTurn([red, red, red]);
    const fromMs = setup.nowMs;
    const waiting = setup.ask(blue, fromMs);
    await setup.settle();
    await red.limiter.pause(3000);
    const later = setup.ask(red, fromMs);
    await setup.drive();

    expect(await Promise.all([waiting, later])).toEqual([3000, 3000]);
    expect(await lines(blue, 'colloquy_notion_permits_total')).toContain(
      'colloquy_notion_permits_total{end="paused"} 1',
    );
  });

  test('is not shortened by a later, shorter pause', async () => {
    const replica = setup.replica(settingsForTests());
    await replica.limiter.pause(4000);
    await replica.limiter.pause(1000);

    expect(await askInTurn([replica])).toEqual([4000]);
  });

  test('that is too long to wait for is thrown to the caller, and books nothing', async () => {
    const replica = setup.replica(settingsForTests());
    await replica.limiter.pause(90_000);
    const [answer] = await askInTurn([replica]);

    const { error } = answer as { error: unknown };
    expect(error).toBeInstanceOf(NotionPausedError);
    expect(error).toMatchObject({ retryAfterMs: 90_000, mayHaveArrived: false });
    expect(await booked()).toBe(0);
  });

  test('that begins during a wait is thrown to the waiting caller', async () => {
    const replica = setup.replica(settingsForTests());
    await askInTurn([replica, replica, replica]);
    const asked = setup.ask(replica, 0);
    await setup.settle();
    await replica.limiter.pause(90_000);
    await setup.drive();

    expect(await asked).toMatchObject({ error: { code: 'notion_paused' } });
  });
});

describe('a refused call', () => {
  const rateNow = async (): Promise<number> => {
    const [row] = await setup.sql<{ rate: number }>(
      'select notion_rate(rate, recovers_from, $1) as rate from notion_limiter',
      [setup.clock.databaseNow()],
    );
    return row?.rate ?? 0;
  };
  const refuse = (replica: Replica, forMs: number): Promise<void> =>
    setup.flow(() =>
      replica.limiter.whenPermitted({}, (permit) => replica.limiter.slowDown(permit, forMs)),
    );

  test('halves the rate once for all calls under way at the time', async () => {
    const replica = setup.replica(settingsForTests());
    const refusals = [0, 0, 0].map(() => refuse(replica, 1000));
    await setup.drive();
    await Promise.all(refusals);

    expect(await rateNow()).toBe(0.5);
  });

  test('halves it again when a call after it is refused, but never below an eighth', async () => {
    const replica = setup.replica(settingsForTests());
    const rates: number[] = [];
    for (let refusal = 0; refusal < 5; refusal += 1) {
      const refused = refuse(replica, 0);
      await setup.drive();
      await refused;
      rates.push(Math.round((await rateNow()) * 100) / 100);
    }

    expect(rates).toEqual([0.5, 0.25, 0.13, 0.13, 0.13]);
  });

  test('spaces later calls by the lower rate, which recovers', async () => {
    const replica = setup.replica(settingsForTests());
    const gaps: number[] = [];
    const refused = refuse(replica, 0);
    await setup.drive();
    await refused;
    for (const quietMs of [0, 25_000, 25_000]) {
      setup.clock.advance(quietMs);
      const starts = await askInTurn(Array.from({ length: 4 }, () => replica));
      gaps.push(Number(starts[3]) - Number(starts[0]));
    }

    expect(gaps[0]).toBeCloseTo(SECOND_MS / 0.5, -2);
    expect(gaps[1]).toBeCloseTo(SECOND_MS / 0.77, -2);
    expect(gaps[2]).toBe(SECOND_MS);
  });

  test('lets the rate recover by a hundredth each second, once the pause is over', async () => {
    const replica = setup.replica(settingsForTests());
    const refused = refuse(replica, 4000);
    await setup.drive();
    await refused;

    setup.clock.advance(4000);
    expect(await rateNow()).toBeCloseTo(0.5);
    setup.clock.advance(20_000);
    expect(await rateNow()).toBeCloseTo(0.7);
    setup.clock.advance(600_000);
    expect(await rateNow()).toBe(1);
  });
});
