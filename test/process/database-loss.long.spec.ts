import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { flushJob, giveBack, repliesOf, rowsOf, takeAway } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { until } from '../support/until';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

let databaseUrl: string;
let model: ModelServer;
let server: ServerProcess;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  model = await ModelServer.start(replyWith('answered', 'Once.'));
  server = await ServerProcess.serve({
    DATABASE_URL: databaseUrl,
    OPENAI_API_KEY: 'sk-test',
    OPENAI_BASE_URL: model.baseUrl,
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '1',
    JOB_LEASE: '1.5',
  });
});

afterAll(async () => {
  await ServerProcess.killAll();
  await model.close();
  await drop();
});

/** A candidate whose reply has begun and continues when the model is released. */
async function replying(): Promise<TestCandidate> {
  const candidate = await TestCandidate.begin(server.host);
  model.next({ kind: 'hold', content: '{"verdict":"answered","text":"On', rest: 'ce."}' });
  const asked = model.requests.length;
  await candidate.send('a', 'an answer');
  await model.request(asked + 1);
  return candidate;
}

test('keeps its claims when its idle and its control connection are ended', async () => {
  const candidate = await replying();
  const before = await flushJob(databaseUrl, candidate.conversationId);

  await rowsOf(
    databaseUrl,
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  // The heartbeats of the process renew the lease for as long as three leases.
  await until('the lease was renewed for longer than it lasts', async () => {
    const now = await flushJob(databaseUrl, candidate.conversationId);
    return Number(now.dueAt) - Number(before.dueAt) > 4500;
  });
  model.release();
  await candidate.waitFor(({ interviewStep, replying: isOn }) => interviewStep === 1 && !isOn);

  expect(await repliesOf(databaseUrl, candidate.conversationId)).toHaveLength(1);
  expect(await flushJob(databaseUrl, candidate.conversationId)).toMatchObject({ claimNo: 1 });
  expect(server.isRunning).toBe(true);
});

test('reports the loss of its database, and afterwards replies to everything that it acknowledged', async () => {
  const interrupted = await replying();
  const candidate = await TestCandidate.begin(server.host);
  const acknowledged = await candidate.send('kept', 'acknowledged');

  await takeAway(databaseUrl);
  const probes = {
    ready: await server.status('/health/ready'),
    startup: await server.status('/health/startup'),
    live: await server.status('/health/live'),
    metrics: await server.status('/metrics'),
  };
  const refused = await candidate.send('lost', 'not acknowledged');
  const problem = (await refused.json()) as { code: string };
  model.release();
  await giveBack(databaseUrl);
  await until('it is ready again', async () => (await server.status('/health/ready')) === 200);
  const resent = await candidate.send('lost', 'not acknowledged');
  const views = await Promise.all(
    [candidate, interrupted].map((one) =>
      one.waitFor((view) => view.interviewStep > 0 && !view.replying && !view.hasBuffer),
    ),
  );

  expect(acknowledged.status).toBe(202);
  expect(probes).toEqual({ ready: 503, startup: 503, live: 200, metrics: 200 });
  expect(refused.status).toBe(503);
  expect(refused.headers.get('retry-after')).toBe('2');
  expect(problem.code).toBe('database_unavailable');
  expect(resent.status).toBe(202);
  const [answered] = views;
  const own = answered?.messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  expect(own).toEqual(['acknowledged', 'not acknowledged']);
  const waiting = await rowsOf(
    databaseUrl,
    `select 1 from message where role = 'user' and cleared_at is null`,
  );
  expect(waiting).toEqual([]);
  expect(await repliesOf(databaseUrl, interrupted.conversationId)).toHaveLength(1);
  expect(server.isRunning).toBe(true);
});

test('has no uncaught error, and shuts down without an error', async () => {
  expect(await server.stop()).toBe(0);
  expect(server.err).toBe('');
  expect(server.log.filter(({ level }) => level >= 60)).toEqual([]);
});
