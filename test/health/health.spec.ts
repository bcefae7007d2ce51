import { readFileSync } from 'node:fs';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { gate } from '../../tools/http-fake/gate';
import { rowsOf } from '../support/outside';
import { until } from '../support/until';
import { probe } from './probe';

describe('the probes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  test('respond 200 with what was checked', async () => {
    const [live, ready, startup] = await Promise.all(
      (['live', 'ready', 'startup'] as const).map((name) => probe(app, name)),
    );

    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const build = { version, uptimeS: expect.any(Number) as number };
    expect(live).toEqual({ status: 200, body: { status: 'ok', ...build } });
    expect(ready?.body).toMatchObject(build);
    expect(startup?.body).toMatchObject(build);
    expect(ready?.status).toBe(200);
    expect(Object.keys(ready?.body.details ?? {}).sort()).toEqual([
      'database',
      'migrations',
      'model',
      'workers',
    ]);
    expect(startup?.status).toBe(200);
  });

  test('leave no unit of work open, and neither does a request whose client left', async () => {
    const candidate = await TestCandidate.begin(app);
    const units = app.get(UnitOfWorkFactory);
    const lock = await holdConversations(app);
    const leaving = new AbortController();
    const left = candidate
      .get('/api/v1/conversation', {}, leaving.signal)
      .catch(() => 'left' as const);
    await until('the request waits for the lock', () => lock.isWaitedFor());
    leaving.abort();
    await left;
    await lock.release();

    await candidate.view();
    await until('no unit is open', () => units.openUnits === 0);
  });
});

/** Holds up every request that reads its conversation. */
async function holdConversations(app: TestApp) {
  const released = gate();
  const held = gate();
  const holding = app.commit(async (tx) => {
    await tx.query('lock table conversation in access exclusive mode');
    held.open();
    await released.opened;
  });
  await held.opened;
  return {
    async isWaitedFor(): Promise<boolean> {
      const rows = await rowsOf(
        app.databaseUrl,
        `select 1 from pg_locks where not granted and relation = 'conversation'::regclass
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.length > 0;
    },
    async release(): Promise<void> {
      released.open();
      await holding;
    },
  };
}
