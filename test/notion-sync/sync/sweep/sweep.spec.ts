import fc from 'fast-check';
import { settingsForTests } from '../../../support/settings';
import { SweepRepository } from '../../../../src/notion-sync/sync/sweep.repository';
import { NO_COUNTS } from '../schedule/board-queue';
import { inCommit } from '../../../support/jobs';
import { userId } from '../schedule/board-queue';
import { HOUR_MS, LOOK_MS, BoardSweeps } from './board-sweeps';

/** A tenth of 180 calls a minute. */
const CALLS_PER_MINUTE = 18;

let setup: BoardSweeps;

beforeAll(async () => {
  setup = await BoardSweeps.open();
});
afterAll(() => setup.close());
afterEach(() => setup.reset());

/** Adds people with one task each, whose boards were checked `agoMs` ago with `calls` calls. */
async function know(
  count: number,
  { agoMs = 2 * HOUR_MS, calls = 1, runs = 1 } = {},
): Promise<void> {
  await setup.sql(
    `insert into notion_user (user_id, looked_at, api_calls, runs)
     select unnest($1::uuid[]), $2::timestamptz - $3::float8 * interval '1 ms', $4, $5`,
    [Array.from({ length: count }, (_, n) => userId(n)), setup.clock.now(), agoMs, calls, runs],
  );
  await setup.sql(
    `insert into notion_page (page_id, assignee_ids, seen_at)
     select gen_random_uuid(), array[user_id], $1 from notion_user`,
    [setup.clock.now()],
  );
  await setup.sql('update notion_sweep set scan_ended_at = $1', [setup.clock.now()]);
}

const owed = () => setup.sql('select owed_calls, swept_calls from notion_user');

describe('the sweep', () => {
  test('checks every board once in its interval, as fast as its share allows', async () => {
    await know(60);
    await setup.live(60_000);
    expect(setup.boards.began.length).toBeGreaterThanOrEqual(CALLS_PER_MINUTE - 1);
    expect(setup.boards.began.length).toBeLessThanOrEqual(CALLS_PER_MINUTE + 2);

    await setup.live(240_000);
    expect([...setup.boards.began].sort()).toEqual(Array.from({ length: 60 }, (_, n) => userId(n)));
  });

  test('skips boards that were checked within the interval for any reason', async () => {
    await know(1);
    await inCommit(setup.units, (tx) => setup.process.schedule.mark(tx, [userId(0)], 'rest'));
    await setup.workAll();
    setup.boards.forget();
    await setup.live(HOUR_MS - 60_000, 30_000);

    expect(setup.boards.began).toEqual([]);
  });

  test('expects as many calls for a board as its last run has made', async () => {
    await know(60, { calls: 9 });
    setup.boards.behave = () => ({
      kind: 'ranked',
      counts: { loaded: 0, processed: 0, updated: 0, dropped: 0, apiCalls: 9 },
    });
    await setup.live(300_000);

    const most = (5 * CALLS_PER_MINUTE) / 9;
    expect(setup.boards.began.length).toBeGreaterThanOrEqual(most - 1);
    expect(setup.boards.began.length).toBeLessThanOrEqual(most + 2);
  });

  test('expects one write per page for a board that was never ranked', async () => {
    await know(60, { calls: 0, runs: 0 });
    await setup.sql(
      `insert into notion_page (page_id, assignee_ids, seen_at)
       select gen_random_uuid(), array[u.user_id], $1 from notion_user u, generate_series(1, 7)`,
      [setup.clock.now()],
    );
    setup.boards.behave = () => ({ kind: 'ranked', counts: { ...NO_COUNTS, apiCalls: 9 } });
    await setup.live(300_000);

    const most = (5 * CALLS_PER_MINUTE) / 9;
    expect(setup.boards.began.length).toBeGreaterThanOrEqual(most - 1);
    expect(setup.boards.began.length).toBeLessThanOrEqual(most + 2);
  });

  test('waits longer after a board that has used many calls', async () => {
    await know(3, { calls: 1 });
    const used = [9 * CALLS_PER_MINUTE, 1, 1];
    setup.boards.behave = ({ userId: user }) => ({
      kind: 'ranked',
      counts: { ...NO_COUNTS, apiCalls: used[Number.parseInt(user.slice(-12), 16)] ?? 1 },
    });
    await setup.live(60_000);
    const early = setup.boards.began.length;
    await setup.live(10 * 60_000, 30_000);

    expect(early).toBeLessThan(3);
    expect(setup.boards.began).toHaveLength(3);
  });

  test('also counts the calls for the rest of a board, but not those of runs that an event caused', async () => {
    await know(1, { calls: 5 });
    setup.boards.behave = () => ({
      kind: setup.boards.began.length < 3 ? 'partly' : 'ranked',
      counts: { ...NO_COUNTS, apiCalls: 7 },
    });
    await setup.sweep.run();
    await setup.workAll();
    expect(await owed()).toEqual([{ owed_calls: 3 * 7 - 5, swept_calls: null }]);

    await inCommit(setup.units, (tx) => setup.process.schedule.mark(tx, [userId(0)], 'rest'));
    await setup.workAll();
    expect(await owed()).toEqual([{ owed_calls: 3 * 7 - 5, swept_calls: null }]);
    await setup.sweep.run();
    expect(await owed()).toEqual([{ owed_calls: 0, swept_calls: null }]);
  });

  test('checks people without tasks one last time, and skips people who have left', async () => {
    await know(3);
    await setup.sql(`delete from notion_page where assignee_ids @> array[$1::uuid]`, [userId(0)]);
    await setup.sql(`update notion_user set has_left = user_id = $1`, [userId(1)]);
    const picked = async (): Promise<number> => {
      const count = await setup.sweep.run();
      await setup.workAll();
      return count;
    };
    expect(await picked()).toBe(1);
    expect(setup.boards.began).toEqual([userId(2)]);

    // No event told of the last task that was removed, so the board is checked once more.
    await setup.sql(`update notion_user set looked_at = null where user_id = $1`, [userId(0)]);
    setup.clock.advance(2 * HOUR_MS);
    await picked();
    await picked();
    setup.clock.advance(2 * HOUR_MS);
    await picked();
    expect(setup.boards.began.filter((user) => user === userId(0))).toHaveLength(1);
    expect(setup.boards.began).not.toContain(userId(1));
  });

  test('waits while Notion asks for a pause, and while many boards are ready', async () => {
    await know(1);
    await setup.sql(`update notion_limiter set paused_until = $1::timestamptz + interval '1 s'`, [
      setup.clock.now(),
    ]);
    expect(await setup.sweep.run()).toBe(0);
    setup.clock.advance(LOOK_MS);
    await inCommit(setup.units, (tx) =>
      setup.process.schedule.mark(
        tx,
        Array.from({ length: 20 }, (_, n) => userId(100 + n)),
        'rest',
      ),
    );
    expect(await setup.sweep.run()).toBe(0);

    await setup.workAll();
    expect(await setup.sweep.run()).toBe(1);
  });

  test('does nothing once the process drains', async () => {
    await know(1);
    await setup.sweep.runOnSchedule();
    expect(await setup.sql('select from job')).toHaveLength(1);

    await setup.reset();
    await know(1);
    const drained = await BoardSweeps.open();
    await drained.drain.begin('SIGTERM');
    await drained.sweep.runOnSchedule();
    expect(await drained.sql('select from job')).toEqual([]);
    await drained.close();
  });

  test('does nothing with a share of 0', async () => {
    const off = await BoardSweeps.open({ NOTION_SWEEP_SHARE: '0' });
    await off.sql('insert into notion_user (user_id) values ($1)', [userId(0)]);

    expect(await off.sweep.run()).toBe(0);
    expect(await off.sql('select from job')).toEqual([]);
    await off.close();
  });

  test('that several replicas start at once runs once', async () => {
    await know(50);
    const answers = await Promise.all(Array.from({ length: 5 }, () => setup.sweep.run()));

    const marked = await setup.sql(`select from job where queue = 'notion-sync'`);
    expect(answers.reduce((sum, count) => sum + count, 0)).toBe(marked.length);
    expect(marked.length).toBeLessThanOrEqual(2);
  });
});

test('the sweep never exceeds its share in any minute by more than one board', async () => {
  const { clock, units } = setup;
  const scene = fc.record({
    share: fc.double({ min: 0.01, max: 1, noNaN: true }),
    costs: fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 60 }),
    steps: fc.array(fc.integer({ min: 500, max: 20_000 }), { minLength: 20, maxLength: 60 }),
  });
  await fc.assert(
    fc.asyncProperty(scene, async ({ share, costs, steps }) => {
      await setup.reset();
      await know(costs.length);
      await setup.sql(
        `update notion_user u set api_calls = c.cost from unnest($1::uuid[], $2::int[]) c(id, cost)
         where u.user_id = c.id`,
        [costs.map((_, n) => userId(n)), costs],
      );
      const settings = settingsForTests({ NOTION_SWEEP_SHARE: share.toFixed(4) });
      const perMinute = settings.notionSync.sweepShare * settings.notion.maxPerMinute;
      const table = new SweepRepository(clock, settings);
      const asked: { atMs: number; calls: number }[] = [];
      for (const ms of steps) {
        const picked = await inCommit(units, (tx) => table.pick(tx));
        for (const id of picked) {
          const cost = costs[Number.parseInt(id.slice(-12), 16)] ?? 0;
          asked.push({ atMs: clock.monotonicMs(), calls: Math.max(1, cost) });
        }
        clock.advance(ms);
      }
      const dearest = Math.max(1, ...costs);
      const saved = perMinute * (LOOK_MS / 60_000);
      for (const { atMs } of asked) {
        const within = asked.filter((one) => one.atMs >= atMs && one.atMs < atMs + 60_000);
        const calls = within.reduce((sum, one) => sum + one.calls, 0);
        expect(calls).toBeLessThanOrEqual(perMinute + saved + dearest + 1e-6);
      }
    }),
    { numRuns: 60 },
  );
}, 120_000);
