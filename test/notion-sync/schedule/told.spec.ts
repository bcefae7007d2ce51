import type { RunEnd } from '../../../src/notion-sync/sync/board-run';
import { ADA, BOB, QUIET_MS, ScheduleFixture, userId } from './fixture';

let fixture: ScheduleFixture;

beforeAll(async () => {
  fixture = await ScheduleFixture.open();
});
afterAll(() => fixture.close());
afterEach(() => fixture.reset());

const COUNTS = { loaded: 40, processed: 38, updated: 12, dropped: 1, apiCalls: 15 };
const RUN_MS = 2500;

/** From now on each run takes `RUN_MS` and ends with `COUNTS`. */
function runsAs(kind: RunEnd['kind']): void {
  fixture.boards.behave = () => {
    fixture.pass(RUN_MS);
    return { kind, counts: COUNTS };
  };
}

describe('notion_user_status', () => {
  test('shows a board that waits, is ready, runs, waits for its retry, and is idle', async () => {
    const states: unknown[] = [];
    const note = async (): Promise<void> => {
      states.push((await fixture.status(ADA))?.['state']);
    };
    fixture.boards.behave = async () => {
      await note();
      throw new Error('a bug');
    };
    await fixture.mark('event', ADA);
    await note();
    fixture.pass(QUIET_MS);
    await note();
    await fixture.work();
    await note();
    runsAs('ranked');
    fixture.pass(2000);
    await fixture.work();
    await note();

    expect(states).toEqual(['waiting', 'ready', 'running', 'retry', 'idle']);
  });

  test('shows how long the last run waited and took, what it did, and the totals of all runs', async () => {
    runsAs('ranked');
    await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS + 700);
    await fixture.work();
    await fixture.mark('rest', ADA);
    await fixture.work();

    expect(await fixture.status(ADA)).toMatchObject({
      ...{ queue_wait_ms: 0, time_to_ready_ms: 0, run_ms: RUN_MS, last_end: 'ranked' },
      ...{ loaded: 40, processed: 38, updated: 12, dropped: 1, api_calls: 15 },
      ...{ runs: '2', reruns: '0', total_loaded: '80', total_processed: '76' },
      ...{ total_updated: '24', total_dropped: '2', total_api_calls: '30' },
    });
  });

  test('is a view that includes people whose first run still waits', async () => {
    await fixture.mark('event', BOB);

    const rows = await fixture.sql(
      `select user_id, runs, last_end from notion_user_status where user_id = $1`,
      [BOB],
    );
    expect(rows).toEqual([{ user_id: BOB, runs: '0', last_end: null }]);
  });
});

describe('the log', () => {
  const lines = (): string[] =>
    fixture.logged.map((line) => line.replace(/ NotionSync$/, '').replaceAll(ADA, 'ada'));

  test('has a line for each step of a board, with the id of its person', async () => {
    fixture.boards.behave = async () => {
      fixture.pass(RUN_MS);
      if (fixture.boards.began.length === 1) await fixture.mark('event', ADA);
      return { kind: 'ranked', counts: COUNTS };
    };
    await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS + 700);
    await fixture.work();

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
    const failing = fixture.db.units.run('test', (uow) =>
      uow.commit('test', async (tx) => {
        await fixture.process.schedule.mark(tx, [ADA], 'event');
        throw new Error('no');
      }),
    );
    await expect(failing).rejects.toThrow('no');

    expect(lines()).toEqual([]);
    expect(
      await fixture.metric('colloquy_notion_boards_marked_total{cause="event",effect="enqueued"}'),
    ).toBe(0);
  });

  test('names twenty people in a line and counts the others; a skip is one line', async () => {
    const people = Array.from({ length: 23 }, (_, n) => userId(n));
    await fixture.mark('event', ...people);
    await fixture.mark('sweep', ...people);

    expect(lines()[0]).toMatch(/ and 3 more$/);
    expect(lines()[0]).not.toContain(userId(20));
    expect(lines().slice(1)).toEqual(['skipped (sweep): 23 that wait or run already']);
  });

  test('is empty when it is switched off, except for a board that cannot be ranked', async () => {
    const silent = await ScheduleFixture.open({ NOTION_LOGGING: 'false' });
    silent.boards.behave = () => ({ kind: 'refused', counts: COUNTS, reason: 'no such property' });
    await silent.mark('rest', ADA);
    await silent.work();

    expect(silent.logged).toEqual([
      `the board of ${ADA} cannot be ranked: no such property NotionSync`,
    ]);
    await silent.close();
  });
});

describe('the metrics', () => {
  test('count boards by state and runs as the view does, without people', async () => {
    runsAs('ranked');
    await fixture.mark('event', ADA);
    fixture.pass(QUIET_MS + 700);
    await fixture.mark('event', BOB);

    expect(await fixture.metric('colloquy_notion_queue_boards{state="waiting"}')).toBe(1);
    expect(await fixture.metric('colloquy_notion_queue_boards{state="ready"}')).toBe(1);
    await fixture.work();
    expect(await fixture.metric('colloquy_notion_runs_total{end="ranked"}')).toBe(1);
    expect(await fixture.metric('colloquy_notion_pages_total{outcome="written"}')).toBe(12);
    expect(await fixture.metric('colloquy_notion_pages_total{outcome="skipped"}')).toBe(25);
    expect(await fixture.metric('colloquy_notion_pages_total{outcome="dropped"}')).toBe(1);
    expect(await fixture.metric('colloquy_notion_queue_wait_seconds_sum')).toBeCloseTo(0.7);
    expect(await fixture.metric('colloquy_notion_time_to_ready_seconds_sum')).toBeCloseTo(10);
    expect(await fixture.metric('colloquy_notion_run_seconds_sum')).toBeCloseTo(2.5);
    const { body } = await fixture.process.rig.metrics.exposition();
    expect(body).not.toContain(ADA);
  });

  test('do not count the rest of a partly written board as skipped', async () => {
    runsAs('partly');
    await fixture.mark('rest', ADA);
    await fixture.work();

    expect(await fixture.metric('colloquy_notion_pages_total{outcome="written"}')).toBe(12);
    expect(await fixture.metric('colloquy_notion_pages_total{outcome="skipped"}')).toBe(0);
  });
});
