/*
 * Every failure of docs/probes.md on a started application, seen at its probes: what makes a replica
 * unready, and what is only shown. The liveness probe stays 200 in all of them.
 */
import { Drain } from '../../src/common/lifecycle';
import { CuttingProxy } from '../../tools/fake-network/cutting-proxy';
import { type TestApp, startReplica, startTestApp } from '../support/app';
import { TestCandidate } from '../support/candidate';
import { FakeClock } from '../../tools/support/fake-clock';
import { OLD_SCHEMA } from '../support/old-schema';
import { READ_ONLY, WRITABLE, alterDatabase, giveBack, rowsOf, takeAway } from '../support/outside';
import { LimiterHealth } from '../../src/notion-sync/api/limiter/limiter-health';
import { NO_LEASE, NotionCalls, NotionRetries } from '../../src/notion-sync/api/notion-calls';
import { BoardSchemas } from '../../src/notion-sync/sync/board-schemas';
import { MISSED_IN_A_ROW } from '../../src/notion-sync/api/limiter/limiter-timing';
import { until } from '../support/until';
import { createTestDatabase } from '../support/postgres/test-database';
import { ServerProcess } from '../support/server-process';
import { type Probe, probe } from './probe';

/** Longer than a process that runs needs to respond on a busy machine. */
const LONG_MS = 30_000;

async function allProbes(app: TestApp) {
  const [live, startup, ready] = await Promise.all([
    probe(app, 'live'),
    probe(app, 'startup'),
    probe(app, 'ready'),
  ]);
  return { live, startup, ready, statuses: [live.status, startup.status, ready.status] };
}

/** Resolves with the first response that shows the trouble; it must be ready all the time. */
async function degraded(app: TestApp, peer: string, words: string): Promise<Probe> {
  return until(`${peer}: ${words}`, async () => {
    const ready = await probe(app, 'ready');
    expect(ready.status).toBe(200);
    return ready.body.details?.[peer]?.trouble?.includes(words) === true ? ready : undefined;
  });
}

describe('without its database a replica is unready and alive', () => {
  let app: TestApp;
  let replica: TestApp;
  let proxy: CuttingProxy;

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
    proxy = await CuttingProxy.start(app.databaseUrl);
    replica = await startReplica(app, { databaseUrl: proxy.url, isWorking: true });
    await until('it is ready', async () => (await probe(replica, 'ready')).status === 200);
  });

  afterAll(async () => {
    await app.close();
    await proxy.close();
  });

  afterEach(async () => {
    await until('its job worker has the database again', () =>
      replica.worker.tick().then(
        () => true,
        () => false,
      ),
    );
    await until('it is ready again', async () => (await probe(replica, 'ready')).status === 200);
  });

  const EXPECTED = {
    code: 'unavailable',
    checks: {
      database: {
        status: 'down',
        message: expect.stringMatching(/^The database did not respond/) as string,
      },
      migrations: { status: 'down' },
    },
  };

  test('when its connections are cut', async () => {
    await proxy.goDown();
    const { statuses, ready } = await allProbes(replica);
    await proxy.comeUp();

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body).toMatchObject(EXPECTED);
  });

  test('when nothing comes back any more: the probe responds before the connection times out', async () => {
    proxy.mute();
    const { statuses, ready } = await allProbes(replica);
    proxy.heal();

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body).toMatchObject(EXPECTED);
  });

  test('when the server ends its connections and accepts none', async () => {
    await takeAway(app.databaseUrl);
    const { statuses, ready } = await allProbes(replica);
    await giveBack(app.databaseUrl);

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body).toMatchObject(EXPECTED);
  });
});

describe('a database that takes no writes any more, as after a switch-over,', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp({ isWorking: false });
  });
  afterAll(() => app.close());

  async function switchOver(): Promise<void> {
    await alterDatabase(app.databaseUrl, READ_ONLY);
    await rowsOf(
      app.databaseUrl,
      `select pg_terminate_backend(pid, 1000) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  test('makes a replica unready and says so, a message is refused as not stored, and both end by themselves', async () => {
    const candidate = await TestCandidate.begin(app);
    await switchOver();
    const { statuses, ready } = await allProbes(app);
    const refused = await candidate.send('m1', 'My answer');
    const body = (await refused.json()) as { code: string };
    await alterDatabase(app.databaseUrl, WRITABLE);
    const after = await until('it is ready again', async () => {
      const again = await probe(app, 'ready');
      return again.status === 200 ? again : undefined;
    });
    const taken = await candidate.send('m1', 'My answer');

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body.checks?.database).toMatchObject({
      status: 'down',
      message: expect.stringMatching(/^The database takes no writes, because/) as string,
    });
    expect([refused.status, body.code]).toEqual([503, 'database_unavailable']);
    expect(refused.headers.get('retry-after')).not.toBeNull();
    expect(after.status).toBe(200);
    expect(taken.status).toBe(202);
  });
});

describe('the schema', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  test('makes a replica unready while a migration is missing', async () => {
    await rowsOf(app.databaseUrl, 'alter schema public rename to kept; create schema public');
    const { statuses, ready } = await allProbes(app);
    await rowsOf(app.databaseUrl, 'drop schema public; alter schema kept rename to public');

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body.checks?.migrations).toMatchObject({
      status: 'down',
      message: expect.stringMatching(
        /^The database lacks \d+ migrations? of this version.*: restart this replica/,
      ) as string,
    });
    expect(ready.body.checks?.database).toMatchObject({ status: 'up' });
    expect((await probe(app, 'ready')).status).toBe(200);
  });

  test('from before the first release makes a replica unready, and says how to get its data', async () => {
    const rename = 'update migrations set name = $2 where name = $1';
    const names = ['Baseline1764000000100', 'Baseline1764000000045'];
    await rowsOf(app.databaseUrl, rename, names);
    const { statuses, ready } = await allProbes(app);
    await rowsOf(app.databaseUrl, rename, names.toReversed());

    expect(statuses).toEqual([200, 503, 503]);
    expect(ready.body.checks?.migrations).toMatchObject({ status: 'down', message: OLD_SCHEMA });
  });

  test('of a newer version is shown, and the replica goes on while a deploy replaces it', async () => {
    const insert = `insert into migrations (id, "timestamp", name) values (9999, 1999000000000, $1)`;
    await rowsOf(app.databaseUrl, insert, ['OfTomorrow1999000000000']);
    const { statuses, ready } = await allProbes(app);
    await rowsOf(app.databaseUrl, `delete from migrations where name = $1`, [
      'OfTomorrow1999000000000',
    ]);

    expect(statuses).toEqual([200, 200, 200]);
    expect(ready.body.details?.migrations).toMatchObject({
      condition: 'degraded',
      trouble: expect.stringMatching(
        /^The database has 1 migration of a newer version: /,
      ) as string,
    });
  });
});

test('a job worker that stands still makes a replica unready, and not dead', async () => {
  const clock = new FakeClock();
  const app = await startTestApp({ clock, isWorking: false, env: { JOB_POLL: '0.05' } });
  const before = await allProbes(app);
  clock.advance(6000);
  const silent = await allProbes(app);
  await app.worker.tick();
  const after = await allProbes(app);
  await app.close();

  expect(before.statuses).toEqual([200, 200, 200]);
  expect(silent.statuses).toEqual([200, 200, 503]);
  expect(silent.ready.body.checks?.workers).toMatchObject({
    status: 'down',
    message: expect.stringMatching(/^The job worker has finished no pass for 6 s: /) as string,
  });
  expect(after.statuses).toEqual([200, 200, 200]);
});

test('a replica that drains is unready, started and alive', async () => {
  const app = await startTestApp();
  await app.get(Drain).begin('the test');
  const { statuses, ready } = await allProbes(app);
  await app.close();

  expect(statuses).toEqual([200, 200, 503]);
  expect(ready.body).toMatchObject({
    code: 'draining',
    title: expect.stringMatching(/^This replica is ending: .*nothing has to be done\.$/) as string,
  });
});

describe('the outage of a peer is shown with what to do, and the replica stays ready:', () => {
  test('the model', async () => {
    const app = await startTestApp({ model: true });
    const candidate = await TestCandidate.begin(app);
    await app.model.goDown();
    await candidate.send('a', 'I bake.');

    const { body } = await degraded(app, 'model', 'the model cannot be reached');
    const live = await probe(app, 'live');
    await app.close();

    expect(body.details?.model).toMatchObject({ status: 'up', condition: 'degraded' });
    expect(body.details?.model?.trouble).toContain('"./colloquy doctor" checks key, address');
    expect(live.status).toBe(200);
  });

  test('Telegram, also when only its poller is refused', async () => {
    const app = await startTestApp({ telegram: true });
    await app.telegram.until('the bot polls', () => app.telegram.isPolled);
    const conflict = { kind: 'status', code: 409, description: 'Conflict: terminated' } as const;
    app.telegram.faults.on('getUpdates', conflict, { times: 1000 });
    app.telegram.user().starts();
    const refused = await degraded(app, 'telegram', 'another process polls for updates');
    app.telegram.faults.clear();
    await app.telegram.goDown();
    const away = await degraded(app, 'telegram', 'the Bot API');
    await app.close();

    for (const { body } of [refused, away]) {
      expect(body.details?.telegram).toMatchObject({ status: 'up', condition: 'degraded' });
      expect(body.details?.telegram?.trouble).toContain('"./colloquy doctor" checks it.');
    }
  });

  test('Notion', async () => {
    const app = await startTestApp({ notion: { isUp: false } });
    const { body } = await degraded(app, 'notion', 'Notion did not respond');
    await app.close();

    expect(body.details?.notion).toMatchObject({ status: 'up', condition: 'degraded' });
    expect(body.details?.notion?.trouble).toContain('interviews go on');
  });

  test('a Notion board without a Complete group, until somebody makes one', async () => {
    const app = await startTestApp({ notion: {} });
    await until('it is ready', async () => (await probe(app, 'ready')).status === 200);
    const calls = new NotionCalls(NO_LEASE, app.get(NotionRetries));
    const statusGroups = (done: readonly string[]) => {
      const groups = { 'To-do': ['New'], 'In progress': ['Begun'], Complete: done };
      app.board.retypeColumn('Status', { status: groups });
      return app.get(BoardSchemas).read(calls);
    };
    await statusGroups([]);
    const { body } = await degraded(app, 'notion_board', 'no group "Complete"');
    await statusGroups(['Done']);
    const after = await probe(app, 'ready');
    await app.close();

    expect(body.details?.notion_board).toMatchObject({ status: 'up', condition: 'degraded' });
    expect(body.details?.notion_board?.trouble).toContain('No board is ranked until then');
    expect(after.body.details?.notion_board).not.toMatchObject({ condition: 'degraded' });
  });

  test('calls to Notion that start late, and a webhook whose token is not known', async () => {
    const app = await startTestApp({ notion: {} });
    await until('it is ready', async () => (await probe(app, 'ready')).status === 200);
    const limiter = app.get(LimiterHealth);
    for (let missed = 0; missed < MISSED_IN_A_ROW; missed += 1) limiter.missed();
    const late = await degraded(app, 'notion_limiter', 'start too late');
    limiter.onTime();
    await fetch(`${app.url}/webhooks/notion`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-notion-signature': 'sha256=00' },
      body: '{}',
    });
    const refused = await degraded(app, 'notion_webhook', 'token');
    await app.close();

    expect(late.body.details?.notion_limiter?.trouble).toContain('give the replica more CPU');
    expect(refused.body.details?.notion_limiter).not.toMatchObject({ condition: 'degraded' });
    expect(refused.body.details?.notion_webhook?.trouble).toContain('docs/notion.md');
  });
});

describe('a process', () => {
  let database: Awaited<ReturnType<typeof createTestDatabase>>;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterAll(async () => {
    await ServerProcess.killAll();
    await database.drop();
  });

  test('that hangs responds to no probe, and to all again when it goes on', async () => {
    const server = await ServerProcess.serve({ DATABASE_URL: database.url });
    const statuses = (timeoutMs: number) =>
      Promise.all(
        ['live', 'startup', 'ready'].map((name) =>
          fetch(`${server.url}/health/${name}`, { signal: AbortSignal.timeout(timeoutMs) }).then(
            ({ status }) => status,
            () => 'none',
          ),
        ),
      );
    expect(await statuses(LONG_MS)).toEqual([200, 200, 200]);
    server.signal('SIGSTOP');
    // As long as a liveness probe of deploy/kubernetes waits.
    const hanging = await statuses(5000);
    server.signal('SIGCONT');
    const after = await until('it responds again', async () => {
      const now = await statuses(LONG_MS);
      return now.includes('none') || now[2] !== 200 ? undefined : now;
    });
    server.signal('SIGTERM');

    expect(hanging).toEqual(['none', 'none', 'none']);
    expect(after).toEqual([200, 200, 200]);
    expect(await server.exited).toBe(0);
  });

  test('that cannot start never listens, and its last line says why', async () => {
    const url = new URL(database.url);
    url.pathname = '/no_such_database';
    const server = ServerProcess.start({ DATABASE_URL: url.href });

    expect(await server.exited).not.toBe(0);
    expect(() => server.url).toThrow('the server is not ready');
    const last = `${server.out}${server.err}`.trim().split('\n').at(-1) ?? '';
    expect(last).toContain('no_such_database');
    expect(last).not.toMatch(/\n\s+at /);
  });
});
