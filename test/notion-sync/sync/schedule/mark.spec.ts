import { ADA, BOB, EVE, QUIET_MS, BoardQueue, userId } from './board-queue';
import { MARK } from '../../../../src/notion-sync/sync/board-queue.repository';
import { inCommit, queueOf } from '../../../support/jobs';

const MAX_WAIT_MS = 60_000;
const LONGEST_QUIET_MS = 15_000;

let setup: BoardQueue;

beforeAll(async () => {
  setup = await BoardQueue.open();
});
afterAll(() => setup.close());
afterEach(() => setup.reset());

async function retryIn(ms: number, user = ADA): Promise<void> {
  await setup.sql(
    `insert into job (queue, key, state, first_at, due_at) values ('notion-sync', $1, 'retry',
       $2::timestamptz, $2::timestamptz + $3 * interval '1 millisecond')`,
    [user, setup.clock.now(), ms],
  );
}

async function dueOfRetry(): Promise<number> {
  const rows = await setup.live(ADA);
  const due = rows.find(({ state }) => state === 'retry')?.due_at ?? null;
  return (due?.getTime() ?? NaN) - setup.clock.now().getTime();
}

describe('a change', () => {
  test('makes a board ready after the quiet time', async () => {
    await setup.mark('event', ADA);

    expect(await setup.dueInMs(ADA)).toBe(QUIET_MS);
  });

  test('of a board that waits starts its quiet time again', async () => {
    await setup.mark('event', ADA);
    setup.pass(7000);
    await setup.mark('event', ADA);

    expect(await setup.dueInMs(ADA)).toBe(QUIET_MS);
    expect(await setup.live()).toMatchObject([{ count: 2 }]);
  });

  test('never makes a board wait longer than the longest wait', async () => {
    await setup.mark('event', ADA);
    for (let passedMs = 0; passedMs < MAX_WAIT_MS - 5000; passedMs += 5000) {
      setup.pass(5000);
      await setup.mark('event', ADA);
    }

    expect(await setup.dueInMs(ADA)).toBe(5000);
  });

  test('of a board that is ready does not move it in the queue', async () => {
    await setup.mark('event', ADA);
    setup.pass(QUIET_MS + 1000);
    await setup.mark('event', ADA);

    expect(await setup.dueInMs(ADA)).toBe(-1000);
  });

  test('of several people marks each board once, however their ids are spelt or repeated', async () => {
    await setup.mark('event', ADA.replaceAll('-', ''), BOB, ADA.toUpperCase(), BOB);

    expect((await setup.live()).map(({ key, count }) => [key, count])).toEqual([
      [ADA, 1],
      [BOB, 1],
    ]);
  });

  test('has a query plan that expects one limiter row, although the table was never analysed', async () => {
    const [row] = await setup.sql<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>(
      `explain (format json) ${MARK}`,
      [[ADA], null, 1000, 1000, 1000, false, 'worker'],
    );

    expect(row?.['QUERY PLAN'][0].Plan['Plan Rows']).toBe(1);
  });

  test('of no people changes nothing', async () => {
    await setup.mark('event');

    expect(await setup.live()).toEqual([]);
  });
});

describe('a change of a board that waits for its retry', () => {
  test('makes the retry due after the quiet time, and opens a job that the retry will absorb', async () => {
    await retryIn(300_000);
    await setup.mark('event', ADA);

    expect(await dueOfRetry()).toBe(QUIET_MS);
    expect((await setup.live(ADA)).map(({ state }) => state)).toEqual(['retry', 'open']);
  });

  test('does not postpone it', async () => {
    await retryIn(1000);
    await setup.mark('event', ADA);

    expect(await dueOfRetry()).toBe(1000);
  });

  test('does not make it due earlier while Notion asks for a pause', async () => {
    await retryIn(300_000);
    await setup.sql(`update notion_limiter set paused_until = $1::timestamptz + interval '1 s'`, [
      setup.clock.now(),
    ]);
    await setup.mark('event', ADA);

    expect(await dueOfRetry()).toBe(300_000);
  });

  test('does not change the retry of another person', async () => {
    await retryIn(300_000);
    await setup.mark('event', BOB);

    expect(await dueOfRetry()).toBe(300_000);
  });
});

describe('the rest of a board or an approval', () => {
  test.each(['rest', 'approval'] as const)(
    '(%s) makes a board ready at once, after the boards that are already ready',
    async (cause) => {
      await setup.mark('event', BOB);
      setup.pass(QUIET_MS + 1);
      await setup.mark(cause, ADA);

      await setup.workAll();
      expect(setup.boards.began).toEqual([BOB, ADA]);
    },
  );

  test('makes a board ready that is in its quiet time', async () => {
    await setup.mark('event', ADA);
    setup.pass(1000);
    await setup.mark('rest', ADA);

    expect(await setup.dueInMs(ADA)).toBe(0);
  });
});

describe('the sweep', () => {
  test('makes a board ready that was not requested otherwise', async () => {
    await setup.mark('sweep', ADA);

    expect(await setup.dueInMs(ADA)).toBe(0);
  });

  test('does not change when a waiting board is due, and opens no job next to a retry', async () => {
    await setup.mark('event', ADA);
    await retryIn(5000, BOB);
    setup.pass(1000);
    await setup.mark('sweep', ADA, BOB, EVE);

    expect(await setup.dueInMs(ADA)).toBe(QUIET_MS - 1000);
    expect(await setup.dueInMs(BOB)).toBe(4000);
    expect(await setup.dueInMs(EVE)).toBe(0);
  });

  test('does not mark a board that is running', async () => {
    await setup.mark('rest', ADA);
    await setup.process.rig.claims.claimReady(queueOf('notion-sync'), 1);
    await setup.mark('sweep', ADA);

    expect((await setup.live(ADA)).map(({ state }) => state)).toEqual(['running']);
  });
});

describe('the quiet time', () => {
  test('is longest after many refusals, and recovers with the rate of the limiter', async () => {
    const now = setup.clock.now();
    await setup.sql(`update notion_limiter set rate = 0.125, recovers_from = $1`, [now]);
    await setup.mark('event', ADA);
    expect(await setup.dueInMs(ADA)).toBe(LONGEST_QUIET_MS);

    setup.pass(88_000);
    await setup.mark('event', BOB);
    expect(await setup.dueInMs(BOB)).toBe(QUIET_MS);
  });

  test('is longest while twenty boards are ready, and shortest when none is', async () => {
    await setup.mark('rest', ...Array.from({ length: 30 }, (_, n) => userId(100 + n)));
    await setup.mark('event', ADA);
    expect(await setup.dueInMs(ADA)).toBe(LONGEST_QUIET_MS);

    await setup.workAll();
    await setup.mark('event', BOB);
    expect(await setup.dueInMs(BOB)).toBe(QUIET_MS);
  });

  test('is never longer than the longest wait', async () => {
    const short = await BoardQueue.open({ NOTION_MAX_WAIT: '2' });
    await short.mark('event', ADA);

    expect(await short.dueInMs(ADA)).toBe(2000);
    await short.close();
  });
});

test('simultaneous marks of the same people make one job for each person, without a deadlock', async () => {
  const people = Array.from({ length: 50 }, (_, n) => userId(n));
  const shuffled = (n: number): string[] => people.map((_, i) => people[(i * 7 + n) % 50] ?? '');
  await Promise.all(Array.from({ length: 12 }, (_, n) => setup.mark('event', ...shuffled(n))));

  const rows = await setup.live();
  expect(rows.map(({ key }) => key).sort()).toEqual([...people].sort());
  expect(new Set(rows.map(({ count }) => count))).toEqual(new Set([12]));
});

test('ten thousand people are marked by one statement', async () => {
  const people = Array.from({ length: 10_000 }, (_, n) => userId(n));
  await inCommit(setup.units, async (tx) => {
    let statements = 0;
    const counted = new Proxy(tx, {
      get: (target, key) => {
        if (key === 'query') statements += 1;
        return Reflect.get(target, key) as unknown;
      },
    });
    await setup.process.schedule.mark(counted, people, 'event');
    await setup.process.schedule.mark(counted, people, 'event');
    expect(statements).toBe(2);
  });

  const [counted] = await setup.sql<{ rows: number; marks: number }>(
    `select count(*)::int as rows, sum(count)::int as marks from job`,
  );
  expect(counted).toEqual({ rows: 10_000, marks: 20_000 });

  // All are ready: another mark changes no order, and the worker finds the next one at once.
  setup.pass(QUIET_MS);
  await setup.mark('event', ...people);
  for (let n = 0; n < 20; n += 1) expect(await setup.work()).toBe(1);
  expect(new Set(setup.boards.began).size).toBe(20);
});
