import { once } from 'node:events';
import { connect } from 'node:net';
import { TestCandidate } from '../support/candidate';
import { ModelServer, replyWith } from '../../tools/fake-model/model-server';
import {
  attemptsOf,
  connectionsTo,
  flushJob,
  giveBack,
  makeDue,
  repliesOf,
  rowsOf,
  takeAway,
} from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { until } from '../support/until';
import { type Environment, ServerProcess } from '../support/server-process';
import { readEvents } from '../channels/web/event-source';

jest.setTimeout(90_000);

let databaseUrl: string;
let model: ModelServer;
let drop: () => Promise<void>;

beforeEach(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  model = await ModelServer.start();
});

afterEach(async () => {
  await ServerProcess.killAll();
  await model.close();
  await drop();
});

function serve(env: Environment = {}): Promise<ServerProcess> {
  return ServerProcess.serve({ DATABASE_URL: databaseUrl, ...env });
}

/** A process that uses the model server. */
function serveModel(env: Environment = {}): Promise<ServerProcess> {
  return serve({ OPENAI_API_KEY: 'sk-test', OPENAI_BASE_URL: model.baseUrl, ...env });
}

/** A whole sentence is shown before the rest has come. */
const HELD = {
  kind: 'hold',
  content: '{"verdict":"answered","text":"Half a reply. A',
  rest: 'nd the other half."}',
} as const;

describe('SIGTERM', () => {
  test('in the debounce window leaves the answer due for the next process', async () => {
    const first = await serve({ INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '60' });
    const candidate = await TestCandidate.begin(first.host);
    await candidate.send('a', 'an answer');
    const slow = await slowPost(candidate);

    first.signal('SIGTERM');
    await first.told('shutting down after SIGTERM');
    const last = await slow.finish();
    const code = await first.exited;
    const kept = await flushJob(databaseUrl, candidate.conversationId);
    const connections = await connectionsTo(databaseUrl);
    const next = await serve();
    await makeDue(databaseUrl);
    const { messages } = await candidate
      .at(next.host)
      .waitFor(({ interviewStep }) => interviewStep === 1);
    const nextCode = await next.stop();

    expect(last.status).toBe(202);
    expect({ code, err: first.err, connections }).toEqual({ code: 0, err: '', connections: [] });
    expect(kept).toMatchObject({ state: 'open', claimNo: 0, isDue: false });
    expect(kept.dueAt?.toISOString()).toBe(last.dueAt);
    expect(await repliesOf(databaseUrl, candidate.conversationId)).toHaveLength(1);
    expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual([
      'an answer',
      SLOW_TEXT,
    ]);
    expect({ code: nextCode, err: next.err }).toEqual({ code: 0, err: '' });
  });

  test('with SHUTDOWN_PENDING=flush replies to what it was collecting, also to two answers of one candidate', async () => {
    const server = await serveModel({
      SHUTDOWN_PENDING: 'flush',
      INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.2',
      INTERVIEW_TYPING_DEBOUNCE_TIMEOUT: '600',
      INTERVIEW_BUFFER_MAX_WAIT: '600',
    });
    const [one, two] = [
      await TestCandidate.begin(server.host),
      await TestCandidate.begin(server.host),
    ];
    model.next(HELD);
    await one.send('a', 'the first answer');
    await model.request(1);
    await one.send('b', 'typed during the reply');
    await one.post('activity', { type: 'typing' });
    await two.send('a', 'an answer');
    await two.post('activity', { type: 'typing' });

    const exited = server.stop();
    await model.request(2);
    model.release();
    const code = await exited;

    expect({ code, err: server.err }).toEqual({ code: 0, err: '' });
    expect(await repliesOf(databaseUrl, one.conversationId)).toHaveLength(2);
    expect(await repliesOf(databaseUrl, two.conversationId)).toHaveLength(1);
  });

  test('during a reply finishes and stores it, and accepts nothing new meanwhile', async () => {
    const server = await serveModel();
    const candidate = await TestCandidate.begin(server.host);
    const events = await readEvents(candidate);
    model.next(HELD);
    await candidate.send('a', 'an answer');
    await events.until(({ names }) => names.includes('delta'));

    // Two signals at once: at Ctrl-C the terminal signals the process, and npm signals it again.
    server.signal('SIGINT');
    server.signal('SIGTERM');
    await server.told('shutting down after SIG');
    const probes = {
      ready: await server.status('/health/ready'),
      live: await server.status('/health/live'),
      metrics: await server.status('/metrics'),
    };
    const posted = await candidate.send('b', 'too late');
    const streamed = await candidate.get('/api/v1/conversation/events');
    model.release();
    await events.ended();
    const code = await server.exited;

    expect(probes).toEqual({ ready: 503, live: 200, metrics: 200 });
    expect([posted.status, posted.headers.get('retry-after')]).toEqual([503, '1']);
    expect([streamed.status, streamed.headers.get('retry-after')]).toEqual([503, '1']);
    expect(events.names).toEqual(expect.arrayContaining(['start', 'delta', 'finish']));
    expect({ code, err: server.err }).toEqual({ code: 0, err: '' });
    const [reply] = await repliesOf(databaseUrl, candidate.conversationId);
    expect(reply).toContain('Half a reply.');
    expect(events.text).toBe(reply);
  });

  test('hands back unfinished jobs at the deadline, and the next process does them', async () => {
    const server = await serveModel({ SHUTDOWN_DEADLINE: '0.5', JOB_LEASE: '30' });
    const candidate = await TestCandidate.begin(server.host);
    model.next(HELD);
    await candidate.send('a', 'an answer');
    await model.request(1);

    const code = await server.stop();
    const handedBack = await flushJob(databaseUrl, candidate.conversationId);
    model.always(replyWith('answered', 'Once.'));
    const next = await serveModel();
    await candidate.at(next.host).waitFor(({ interviewStep }) => interviewStep === 1);

    expect({ code, err: server.err }).toEqual({ code: 0, err: '' });
    expect(handedBack).toMatchObject({ state: 'running', claimNo: 2, isDue: true, worker: null });
    const replies = await repliesOf(databaseUrl, candidate.conversationId);
    expect(replies).toHaveLength(1);
    expect(replies[0]).toContain('Once.');
    const attempts = await attemptsOf(databaseUrl, candidate.conversationId);
    expect(attempts.map(({ outcome }) => outcome)).toEqual(['aborted', 'ok']);
    await next.stop();
  });

  test('sent a second time hands back all jobs at once and exits 1', async () => {
    const server = await serveModel({ SHUTDOWN_DEADLINE: '600', JOB_LEASE: '30' });
    const candidate = await TestCandidate.begin(server.host);
    model.next(HELD);
    await candidate.send('a', 'an answer');
    await model.request(1);

    server.signal('SIGTERM');
    await server.told('shutting down after SIGTERM');
    await pressAgain(server);
    const code = await server.exited;

    expect(code).toBe(1);
    expect(await flushJob(databaseUrl, candidate.conversationId)).toMatchObject({
      state: 'running',
      claimNo: 2,
      isDue: true,
      worker: null,
    });
  });

  test('without a database exits 1 at the deadline', async () => {
    const server = await serveModel({ SHUTDOWN_DEADLINE: '1', JOB_LEASE: '30' });
    const candidate = await TestCandidate.begin(server.host);
    model.next(HELD);
    await candidate.send('a', 'an answer');
    await model.request(1);

    server.signal('SIGTERM');
    await server.told('shutting down after SIGTERM');
    await takeAway(databaseUrl);
    const code = await server.exited;
    await giveBack(databaseUrl);

    expect(code).toBe(1);
    expect(await flushJob(databaseUrl, candidate.conversationId)).toMatchObject({
      state: 'running',
      claimNo: 1,
    });
    expect(await repliesOf(databaseUrl, candidate.conversationId)).toEqual([]);
  });

  test('without a database and with nothing to finish exits 1, and does not wait', async () => {
    const server = await serve({ SHUTDOWN_DEADLINE: '600' });
    // The worker reports a lost database only after it has reached it once.
    await until('the worker has reached the database', () => hasClaimed(databaseUrl));
    await takeAway(databaseUrl);
    await server.told('Job worker cannot reach the database');

    const code = await server.stop();
    await giveBack(databaseUrl);

    expect(code).toBe(1);
  });
});

async function hasClaimed(url: string): Promise<boolean> {
  const rows = await rowsOf(
    url,
    `select 1 from pg_stat_activity
     where datname = current_database() and application_name = 'colloquy-control' and query <> ''`,
  );
  return rows.length > 0;
}

/** Signals until the process ends: signals right after the first one count as the same signal. */
async function pressAgain(server: ServerProcess): Promise<void> {
  while (server.isRunning) {
    server.signal('SIGTERM');
    await Promise.race([server.exited, new Promise((resolve) => setTimeout(resolve, 50))]);
  }
}

const SLOW_TEXT = 'sent before, arrived after';

interface SlowPost {
  /** Sends the rest. */
  finish(): Promise<{ readonly status: number; readonly dueAt: string | undefined }>;
}

/** A message of which only half has arrived. */
async function slowPost(candidate: TestCandidate): Promise<SlowPost> {
  const { hostname, port } = new URL(candidate.app.url);
  const body = JSON.stringify({ id: 'slow', text: SLOW_TEXT });
  const socket = connect(Number(port), hostname);
  const head = [
    'POST /api/v1/conversation/messages HTTP/1.1',
    `host: ${hostname}`,
    'content-type: application/json',
    `content-length: ${body.length}`,
    `authorization: Bearer ${candidate.token}`,
    'connection: close',
  ].join('\r\n');
  await once(socket, 'connect');
  socket.write(`${head}\r\n\r\n${body.slice(0, 10)}`);
  let response = '';
  socket.on('data', (chunk: Buffer) => (response += chunk.toString()));
  socket.on('error', () => undefined);
  const closed = once(socket, 'close');
  // A later request on another connection gets its response after the server has read the head.
  await candidate.view();
  return {
    async finish() {
      socket.write(body.slice(10));
      await closed;
      const status = Number(/^HTTP\/1\.1 (\d+)/.exec(response)?.[1]);
      return { status, dueAt: /"dueAt":"([^"]+)"/.exec(response)?.[1] };
    },
  };
}
