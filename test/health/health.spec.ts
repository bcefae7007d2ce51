import { readFileSync } from 'node:fs';
import { UnitOfWorkFactory } from '../../src/common/uow';
import { QueueBreakers, PeerUnavailableError } from '../../src/jobs';
import { type TestApp, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { FakeClock } from '../support/clock';
import { gate } from '../../tools/http-fake/gate';
import { rowsOf } from '../support/outside';
import { until } from '../support/postgres/processes';

interface Probe {
  readonly status: number;
  readonly body: {
    readonly code?: string;
    readonly details?: Record<string, { status: string; condition?: string; message?: string }>;
    readonly checks?: Record<string, { status: string; message?: string }>;
  };
}

async function probe(app: TestApp, name: string): Promise<Probe> {
  const response = await fetch(`${app.url}/health/${name}`);
  return { status: response.status, body: (await response.json()) as Probe['body'] };
}

describe('the probes', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  test('respond 200 with what was checked', async () => {
    const [live, ready, startup] = await Promise.all(
      ['live', 'ready', 'startup'].map((name) => probe(app, name)),
    );

    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const build = { version, uptimeS: expect.any(Number) as number };
    expect(live).toEqual({ status: 200, body: { status: 'ok', ...build } });
    expect(ready?.body).toMatchObject(build);
    expect(startup?.body).toMatchObject(build);
    expect(ready?.status).toBe(200);
    expect(Object.keys(ready?.body.details ?? {}).sort()).toEqual(['database', 'model', 'workers']);
    expect(startup?.status).toBe(200);
  });

  test('stay 200 without a model, and show it', async () => {
    const breakers = app.nest.get(QueueBreakers, { strict: false });
    breakers.peerFailed({ queue: 'flush', jobId: '1' }, new PeerUnavailableError('away'), false);

    const { status, body } = await probe(app, 'ready');

    expect(status).toBe(200);
    expect(body.details?.model).toMatchObject({ status: 'up', condition: 'degraded' });
  });

  test('are not ready while migrations are missing', async () => {
    await rowsOf(app.databaseUrl, 'alter table migrations rename to migrations_kept');
    await rowsOf(
      app.databaseUrl,
      'create table migrations as select * from migrations_kept where false',
    );
    const lacking = await probe(app, 'ready');
    await rowsOf(app.databaseUrl, 'drop table migrations');
    await rowsOf(app.databaseUrl, 'alter table migrations_kept rename to migrations');
    const whole = await probe(app, 'ready');

    expect(lacking.status).toBe(503);
    expect(lacking.body).toMatchObject({ code: 'unavailable' });
    expect(lacking.body.checks?.database?.message).toMatch(/^\d+ migrations are missing$/);
    expect(whole.status).toBe(200);
  });

  test('leave no unit of work open, and neither does a request whose client left', async () => {
    const candidate = await TestCandidate.begin(app);
    const units = app.nest.get(UnitOfWorkFactory);
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

describe('a worker', () => {
  test('that has not polled for long makes the process unready', async () => {
    const clock = new FakeClock();
    const app = await startTestApp({ clock, isWorking: false, env: { TASK_POLL: '0.05' } });
    const before = await probe(app, 'ready');
    clock.advance(6000);
    const silent = await probe(app, 'ready');
    await app.worker.tick();
    const after = await probe(app, 'ready');
    await app.close();

    expect([before.status, silent.status, after.status]).toEqual([200, 503, 200]);
    expect(silent.body.checks?.workers?.status).toBe('down');
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
        `select 1 from pg_locks where not granted and relation = 'conversation'::regclass`,
      );
      return rows.length > 0;
    },
    async release(): Promise<void> {
      released.open();
      await holding;
    },
  };
}
