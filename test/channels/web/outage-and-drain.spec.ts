import { Drain } from '../../../src/common/lifecycle';
import { ModelServer } from '../../../tools/fake-model/model-server';
import { asAdmin } from '../../support/postgres/admin';
import { heldReply } from './mid-reply';
import { EventSourceReader } from './event-source';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { untilInProcess } from '../../support/until';

const BEFORE = 'Thank you, that is clear.';
const AFTER = ' Noted.';

function eventsOf(candidate: TestCandidate): Promise<EventSourceReader> {
  return EventSourceReader.open(`${candidate.app.url}/api/v1/conversation/events`, {
    authorization: `Bearer ${candidate.token}`,
  });
}

/** Closes all connections and refuses new ones until `restore`. */
async function takeDatabaseAway({ databaseUrl }: TestApp): Promise<{ restore(): Promise<void> }> {
  const name = new URL(databaseUrl).pathname.slice(1);
  await asAdmin(async (admin) => {
    await admin.query(`alter database ${name} allow_connections false`);
    await admin.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [
      name,
    ]);
  });
  return {
    restore: () =>
      asAdmin(async (admin) => {
        await admin.query(`alter database ${name} allow_connections true`);
      }),
  };
}

describe('the web channel during an outage of the database', () => {
  let app: TestApp;

  beforeAll(async () => {
    app = await startTestApp();
  });

  afterAll(() => app.close());

  test('responds 503 with Retry-After, and works again without a restart', async () => {
    const candidate = await TestCandidate.begin(app);
    const away = await takeDatabaseAway(app);
    let refusals: Response[];
    try {
      refusals = await Promise.all([
        candidate.get('/api/v1/conversation'),
        candidate.send('m1', 'Rye.'),
        candidate.get('/api/v1/conversation/events'),
        candidate.get('/api/chat/c/stream'),
        fetch(`${app.url}/api/v1/invites/${app.vacancy.openToken}`),
      ]);
    } finally {
      await away.restore();
    }

    for (const refusal of refusals) {
      expect(refusal.status).toBe(503);
      expect(Number(refusal.headers.get('retry-after'))).toBeGreaterThan(0);
      const { code } = (await refusal.json()) as { code: string };
      // A statement whose connection ended may or may not be committed.
      expect(['database_unavailable', 'commit_outcome_unknown']).toContain(code);
    }
    const view = await candidate.answer('m1', 'Rye.');
    expect(view.messages.filter(({ role }) => role === 'user')).toHaveLength(1);
  });

  test('keeps a waiting chat request open, and then streams the reply', async () => {
    const candidate = await TestCandidate.begin(app);
    const response = await fetch(`${app.url}/api/chat`, {
      method: 'POST',
      headers: candidate.headers,
      body: JSON.stringify({
        id: 'c',
        messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Rye.' }] }],
      }),
    });

    const away = await takeDatabaseAway(app);
    await away.restore();

    expect(await response.text()).toContain('"type":"finish"');
  });
});

describe('the web channel while its process drains', () => {
  test('finishes its running replies, streams them, cuts its readers, and accepts nothing new', async () => {
    const model = await ModelServer.start();
    const app = await startTestApp({
      env: { OPENAI_API_KEY: 'test', OPENAI_BASE_URL: model.baseUrl, SHUTDOWN_DEADLINE: '20' },
    });
    const candidate = await TestCandidate.begin(app);
    const reader = await eventsOf(candidate);
    model.next(heldReply(BEFORE, AFTER));
    await candidate.send('m1', 'Rye.');
    await reader.until(({ text }) => text === BEFORE);

    const closing = app.close();
    const drain = app.get(Drain);
    await untilInProcess('the shutdown has begun', () => drain.isDraining);
    const refusals = await Promise.all([
      candidate.send('m2', 'Wheat.'),
      candidate.get('/api/v1/conversation/events'),
      candidate.get('/api/v1/conversation'),
    ]);
    const wasOpen = reader.end === null;
    model.release();
    const end = await reader.ended();
    await closing;
    await model.close();

    for (const refusal of refusals) {
      expect(refusal.status).toBe(503);
      expect(refusal.headers.get('retry-after')).toBe('1');
      expect(await refusal.json()).toMatchObject({ code: 'draining' });
    }
    expect(wasOpen).toBe(true);
    expect(reader.text.startsWith(BEFORE + AFTER)).toBe(true);
    expect(reader.of('finish')).toHaveLength(1);
    expect(end).toBe('cut');
  });
});
