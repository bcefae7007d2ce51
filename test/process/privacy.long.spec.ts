import path from 'node:path';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import { repliesOf, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { ServerProcess } from '../support/server-process';

jest.setTimeout(90_000);

const CANARY = 'canary-4711';
const THROWER = path.join(__dirname, '../support/throw-on-signal.cjs');

let databaseUrl: string;
let model: ModelServer;
let server: ServerProcess;
let candidate: TestCandidate;
let metrics: string;
let drop: () => Promise<void>;

/** Sends the canary in everything that a candidate can send, and makes each of these requests fail. */
beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  model = await ModelServer.start(replyWith('answered', 'Once.'));
  server = await ServerProcess.serve(
    {
      DATABASE_URL: databaseUrl,
      OPENAI_API_KEY: CANARY,
      OPENAI_BASE_URL: model.baseUrl,
      LOG_LEVEL: 'debug',
      ADMIN_TOKEN: `${CANARY}-${'x'.repeat(32)}`,
    },
    ['-r', THROWER, 'src/main.ts'],
  );
  candidate = await TestCandidate.arrive(server.host);
  const { disclosure } = await candidate.view();
  await candidate.post('consent', { version: disclosure.version, accepted: true });
  await candidate.post('profile', { name: CANARY, contact: CANARY });
  model.always({ kind: 'status', status: 400, error: { message: CANARY } });
  await candidate.answer(CANARY, CANARY);
  model.always({ kind: 'cut', content: CANARY });
  await candidate.answer('cut', CANARY);
  model.always(replyWith('answered', 'Once.'));
  await refuseAll();
  metrics = await (await fetch(`${server.url}/metrics`)).text();
  await breakStatements();
});

afterAll(async () => {
  await ServerProcess.killAll();
  await model.close();
  await drop();
});

async function refuseAll(): Promise<void> {
  await candidate.send(CANARY, `${CANARY} again`);
  await candidate.send('nul', `${CANARY}\0`);
  await candidate.post('messages', { id: [CANARY], text: CANARY, [CANARY]: 1 });
  for (const body of [`{"${CANARY}`, `"${CANARY}"`]) {
    await fetch(`${server.url}/api/v1/conversation/messages`, {
      method: 'POST',
      headers: candidate.headers,
      body,
    });
  }
  for (const place of [`/api/v1/invites/${CANARY}`, `/i/${CANARY}`, `/${CANARY}?token=${CANARY}`]) {
    await candidate.get(place);
  }
  await fetch(`${server.url}/api/v1/conversation`, {
    headers: { authorization: `Bearer ${CANARY}` },
  });
  await candidate.get('/api/v1/conversation', { cookie: `colloquy_session=${CANARY}` });
}

/** Makes a statement fail, because its error contains its parameters. */
async function breakStatements(): Promise<void> {
  await rowsOf(databaseUrl, 'alter table message rename to message_away');
  const failed = await candidate.send('broken', CANARY);
  await rowsOf(databaseUrl, 'alter table message_away rename to message');
  expect(failed.status).toBe(500);
  expect(JSON.stringify(await failed.json())).not.toContain(CANARY);
}

test('keeps what candidates write, and every token, out of the log at level debug', () => {
  // Without a PUBLIC_URL the line of the start has the open links, for whoever tries Colloquy.
  const text = server.out
    .split('\n')
    .filter((line) => !line.includes('"msg":"Colloquy is ready"'))
    .join('\n');

  expect(server.log.some(({ level }) => level === 20)).toBe(true);
  expect(server.log.some(({ msg }) => /POST .*messages failed/.test(msg))).toBe(true);
  for (const secret of [CANARY, candidate.token, server.host.vacancy.openToken]) {
    expect(text).not.toContain(secret);
  }
  expect(server.err).toBe('');
});

test('names routes by their pattern in the metrics, and counts requests, commits, jobs and buffers', () => {
  for (const secret of [CANARY, candidate.token, candidate.conversationId]) {
    expect(metrics).not.toContain(secret);
  }
  expect(metrics).toMatch(
    /colloquy_http_request_seconds_count\{route="\/api\/v1\/invites\/:token",method="GET",status="404"\} 1/,
  );
  expect(metrics).toMatch(
    /colloquy_http_request_seconds_count\{route="unknown",method="GET",status="404"\}/,
  );
  for (const name of [
    'colloquy_uow_commits_total',
    'colloquy_job_claims_total',
    'colloquy_buffer_flushes_total',
    'colloquy_sse_open_streams',
    'nodejs_eventloop_lag_seconds',
  ]) {
    expect(metrics).toContain(`\n${name}`);
  }
});

test('after an uncaught error the process logs it without its text, finishes its work and exits 1', async () => {
  const before = await repliesOf(databaseUrl, candidate.conversationId);
  const asked = model.requests.length;
  model.next({ kind: 'hold', content: '{"verdict":"answered","text":"On', rest: 'ce."}' });
  await candidate.send('last', 'an answer');
  await model.request(asked + 1);

  server.signal('SIGUSR2');
  await server.told('uncaught SyntaxError');
  server.signal('SIGHUP');
  await server.told('uncaught Error');
  const late = await candidate.send('late', 'too late');
  model.release();
  const code = await server.exited;

  expect(late.status).toBe(503);
  expect(code).toBe(1);
  const after = await repliesOf(databaseUrl, candidate.conversationId);
  expect(after).toHaveLength(before.length + 1);
  expect(after.at(-1)).toContain('Once.');
  expect(`${server.out}${server.err}`).not.toContain(CANARY);
  expect(server.err).toBe('');
});
