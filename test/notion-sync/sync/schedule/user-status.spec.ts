import type { RunEnd } from '../../../../src/notion-sync/sync/board-runner';
import { ADA, BOB, QUIET_MS, BoardQueue, userId } from './board-queue';

let setup: BoardQueue;

beforeAll(async () => {
  setup = await BoardQueue.open();
});
afterAll(() => setup.close());
afterEach(() => setup.reset());

const COUNTS = { loaded: 40, processed: 38, updated: 12, dropped: 1, apiCalls: 15 };
const RUN_MS = 2500;

/** From now on each run takes `RUN_MS` and ends with `COUNTS`. */
function runsAs(kind: RunEnd['kind']): void {
  setup.boards.behave = () => {
    setup.pass(RUN_MS);
    return { kind, counts: COUNTS };
  };
}

describe('notion_user_status', () => {
  test('shows a board that waits, is ready, runs, waits for its retry, and is idle', async () => {
    const states: unknown[] = [];
    const note = async (): Promise<void> => {
      states.push((await setup.status(ADA))?.['state']);
    };
    setup.boards.behave = async () => {
      await note();
      throw new Error('a bug');
    };
    await setup.mark('event', ADA);
    await note();
    setup.pass(QUIET_MS);
    await note();
    await setup.work();
    await note();
    runsAs('ranked');
    setup.pass(2000);
    await setup.work();
    await note();

    expect(states).toEqual(['waiting', 'ready', 'running', 'retry', 'idle']);
  });

  test('shows how long the last run waited and took, what it did, and the totals of all runs', async () => {
    runsAs('ranked');
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS + 700);
    await setup.work();
    await setup.mark('rest', ADA);
    await setup.work();

    expect(await setup.status(ADA)).toMatchObject({
      ...{ queue_wait_ms: 0, time_to_ready_ms: 0, run_ms: RUN_MS, last_end: 'ranked' },
      ...{ loaded: 40, processed: 38, updated: 12, dropped: 1, api_calls: 15 },
      ...{ runs: '2', reruns: '0', total_loaded: '80', total_processed: '76' },
      ...{ total_updated: '24', total_dropped: '2', total_api_calls: '30' },
    });
  });

  test('is a view that includes people whose first run still waits', async () => {
    await setup.mark('event', BOB);

    const rows = await setup.sql(
      `select user_id, runs, last_end from notion_user_status where user_id = $1`,
      [BOB],
    );
    expect(rows).toEqual([{ user_id: BOB, runs: '0', last_end: null }]);
  });
});

describe('the log', () => {
  const lines = (): string[] =>
    setup.log.lines.map((line) => line.replace(/ \[NotionSync\]$/, '').replaceAll(ADA, 'ada'));

  test('has a line for each step of a board, with the id of its person', async () => {
    setup.boards.behave = async () => {
      setup.pass(RUN_MS);
      if (setup.boards.began.length === 1) await setup.mark('event', ADA);
      return { kind: 'ranked', counts: COUNTS };
    };
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS + 700);
    await setup.work();

    expect(lines()).toEqual([
      'enqueued (event): ada',
      'dequeued: ada',
      'started: ada',
      'enqueued (event): ada',
      'finished: ada ranked, ready after 10.0 s, waited 0.7 s, ran 2.5 s, reruns 1, loaded 40, ' +
        'processed 38, updated 12, dropped 1, calls 15',
      'requeued: ada',
    ]);
  });

  test('has no line for a mark that was rolled back', async () => {
    const failing = setup.units.run('test', (uow) =>
      uow.commit('test', async (tx) => {
        await setup.process.schedule.mark(tx, [ADA], 'event');
        throw new Error('no');
      }),
    );
    await expect(failing).rejects.toThrow('no');

    expect(lines()).toEqual([]);
    expect(
      await setup.metrics('notion_boards_marked_total', { cause: 'event', effect: 'enqueued' }),
    ).toBe(0);
  });

  test('names twenty people in a line and counts the others; a skip is one line', async () => {
    const people = Array.from({ length: 23 }, (_, n) => userId(n));
    await setup.mark('event', ...people);
    await setup.mark('sweep', ...people);

    expect(lines()[0]).toMatch(/ and 3 more$/);
    expect(lines()[0]).not.toContain(userId(20));
    expect(lines().slice(1)).toEqual(['skipped (sweep): 23 that wait or run already']);
  });

  test('is empty when it is switched off, except for a board that cannot be ranked', async () => {
    const silent = await BoardQueue.open({ NOTION_LOGGING: 'false' });
    silent.boards.behave = () => ({ kind: 'refused', counts: COUNTS, reason: 'no such property' });
    await silent.mark('rest', ADA);
    await silent.work();

    expect(silent.log.lines).toEqual([
      `the board of ${ADA} cannot be ranked: no such property [NotionSync]`,
    ]);
    await silent.close();
  });
});

describe('the metrics', () => {
  test('count boards by state and runs as the view does, without people', async () => {
    runsAs('ranked');
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS + 700);
    await setup.mark('event', BOB);

    expect(await setup.metrics('notion_queue_boards', { state: 'waiting' })).toBe(1);
    expect(await setup.metrics('notion_queue_boards', { state: 'ready' })).toBe(1);
    await setup.work();
    expect(await setup.metrics('notion_runs_total', { end: 'ranked' })).toBe(1);
    expect(await setup.metrics('notion_pages_total', { outcome: 'written' })).toBe(12);
    expect(await setup.metrics('notion_pages_total', { outcome: 'skipped' })).toBe(25);
    expect(await setup.metrics('notion_pages_total', { outcome: 'dropped' })).toBe(1);
    expect(await setup.metrics('notion_queue_wait_seconds_sum')).toBeCloseTo(0.7);
    expect(await setup.metrics('notion_time_to_ready_seconds_sum')).toBeCloseTo(10);
    expect(await setup.metrics('notion_run_seconds_sum')).toBeCloseTo(2.5);
    const { body } = await setup.process.rig.metrics.exposition();
    expect(body).not.toContain(ADA);
  });

  test('do not count the rest of a partly written board as skipped', async () => {
    runsAs('partly');
    await setup.mark('rest', ADA);
    await setup.work();

    expect(await setup.metrics('notion_pages_total', { outcome: 'written' })).toBe(12);
    expect(await setup.metrics('notion_pages_total', { outcome: 'skipped' })).toBe(0);
  });
});
