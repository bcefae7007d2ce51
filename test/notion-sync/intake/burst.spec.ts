import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { FakeClock } from '../../../tools/support/fake-clock';
import { isClosed, watchUnits } from '../../support/seen-units';
import { NotionEvents } from './notion-events';

const clock = new FakeClock();
let setup: NotionEvents;
beforeAll(async () => {
  setup = await NotionEvents.start({ clock, env: { DATABASE_POOL_SIZE: '4' } });
});
afterAll(() => setup.close());
beforeEach(async () => {
  // Start a new second, because requests are limited per second.
  clock.advance(1000);
  await setup.app.sql(`delete from job where queue = 'notion-sync'`);
});

/** bench/notion-intake.ts measures the times of 2,000 events. */
const EVENTS = 500;
/** How many requests are under way at the same time. */
const AT_ONCE = 200;

const AUTOMATION_UNIT = 'http POST /webhooks/notion/automation';

const people = (count: number) => Array.from({ length: count }, () => randomUUID());

/** The body that an automation sends when this user edits one of their own tasks. */
function call(userId: string): object {
  const assignees = { id: 'a', type: 'people', people: [{ id: userId }] };
  return {
    source: { type: 'automation', event_id: randomUUID(), user_id: userId, attempt: 1 },
    data: {
      object: 'page',
      id: randomUUID(),
      parent: { type: 'data_source_id', data_source_id: setup.board.id },
      properties: { Assignee: assignees },
    },
  };
}

/** Sends all calls, `AT_ONCE` at a time; returns how many responses had each status. */
async function burst(calls: readonly object[]): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {};
  const left = [...calls];
  const send = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { status } = await setup.call(next);
      statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return statuses;
}

test.each([
  ['about 50 boards', 50],
  ['about one board', 1],
])('500 automation calls at once, %s, are all accepted and mark each board once', async (_, n) => {
  const users = people(n);
  const calls = Array.from({ length: EVENTS }, (_each, k) => call(users[k % n] ?? ''));

  expect(await burst(calls)).toEqual({ 200: EVENTS });
  const marks = await setup.app.sql<{ key: string; state: string }>(
    `select key, state from job where queue = 'notion-sync'`,
  );
  expect(marks.map(({ key }) => key).sort()).toEqual([...users].sort());
  expect(marks.every(({ state }) => state === 'open')).toBe(true);
});

test('each call of a burst has one unit of work, and the unit of one call commits for many', async () => {
  const { units } = setup.app;
  const { openUnits } = units;
  const seen = watchUnits(units);
  const calls = people(EVENTS).map(call);

  expect(await burst(calls)).toEqual({ 200: EVENTS });
  jest.restoreAllMocks();
  // Others belong to work in the background.
  const ofCalls = seen.filter(
    ({ unit, commits }) => unit.label === AUTOMATION_UNIT || commits.includes('notion.take'),
  );
  expect(ofCalls.map(({ unit }) => unit.label)).toEqual(calls.map(() => AUTOMATION_UNIT));
  const batches = ofCalls.filter(({ commits }) => commits.includes('notion.take'));
  expect(batches.length).toBeGreaterThan(0);
  expect(batches.length).toBeLessThan(EVENTS / 2);
  expect(ofCalls.every(({ unit }) => isClosed(unit))).toBe(true);
  await setup.app.until('no further unit is open', () => units.openUnits <= openUnits);
});

test('a burst that waits for a lock leaves pool connections for other work', async () => {
  const [ada = ''] = people(1);
  await setup.call(call(ada));
  const holder = new Client({ connectionString: setup.app.databaseUrl });
  await holder.connect();
  await holder.query('begin');
  await holder.query(`select from job where queue = 'notion-sync' and key = $1 for update`, [ada]);
  const sent = burst(Array.from({ length: 300 }, () => call(ada)));
  await setup.app.untilLockWait();
  const others = await Promise.all(
    Array.from({ length: 2 }, () => setup.app.commit((tx) => tx.query<object>('select 1'))),
  );
  await holder.query('rollback');
  await holder.end();

  expect(others).toHaveLength(2);
  expect(await sent).toEqual({ 200: 300 });
});

test('a call that cannot be stored does not fail the others of its batch', async () => {
  const [ada = ''] = people(1);
  await setup.app.sql(
    `create function refuse_one() returns trigger language plpgsql as $$
     begin raise 'this page cannot be stored'; end $$`,
  );
  const bad = call(ada) as { data: { id: string } };
  await setup.app.sql(
    `create trigger refuse_one before insert on notion_page for each row
     when (new.page_id = '${bad.data.id}') execute function refuse_one()`,
  );

  expect(await burst([...Array.from({ length: 20 }, () => call(ada)), bad])).toEqual({
    200: 20,
    500: 1,
  });
  await setup.app.sql('drop trigger refuse_one on notion_page');
});
