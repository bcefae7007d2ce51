import { withConstants } from '../../support/constants';
import { STREAM_LIMITS } from '../../../src/channels/web/events/sse-response';
import { request as httpRequest } from 'node:http';
import { connect, type Socket } from 'node:net';
import { LiveReplies } from '../../../src/streams';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { FakeClock } from '../../../tools/support/fake-clock';
import { ADMIN_TOKEN } from '../../support/secrets';
import { EventSourceReader } from './event-source';
import { turnOfLoop, untilInProcess } from '../../support/until';

const STREAMS = 3;
/** More than the kernel buffers for a client that reads nothing. */
const FLOOD = 16 * 1024 * 1024;

describe('open event streams', () => {
  const clock = new FakeClock();
  let app: TestApp;
  const readers: EventSourceReader[] = [];
  const sockets: Socket[] = [];

  withConstants(STREAM_LIMITS, { perSession: STREAMS });

  beforeAll(async () => {
    app = await startTestApp({
      clock,
      isWorking: false,
      env: { ADMIN_TOKEN },
    });
  });

  afterEach(async () => {
    for (const reader of readers.splice(0)) reader.close();
    for (const socket of sockets.splice(0)) socket.destroy();
    await openStreams(0);
  });

  afterAll(() => app.close());

  async function read(candidate: TestCandidate): Promise<EventSourceReader> {
    return open('conversation/events', candidate.token);
  }

  async function watch({ conversationId }: TestCandidate): Promise<EventSourceReader> {
    return open(`admin/conversations/${conversationId}/events`, ADMIN_TOKEN);
  }

  async function open(path: string, token: string): Promise<EventSourceReader> {
    const headers = { authorization: `Bearer ${token}` };
    const reader = await EventSourceReader.open(`${app.url}/api/v1/${path}`, headers);
    readers.push(reader);
    return reader;
  }

  /** Moves time second by second, for the one timer of all streams. */
  async function pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second += 1) {
      clock.advance(1000);
      await turnOfLoop();
    }
  }

  /** Waits until the application counts so many streams. */
  async function openStreams(wanted: number): Promise<void> {
    for (let look = 0; look < 500; look += 1) {
      const metrics = await (await fetch(`${app.url}/metrics`)).text();
      if (Number(/colloquy_sse_open_streams (\d+)/.exec(metrics)?.[1]) === wanted) return;
    }
    throw new Error(`never ${wanted} open streams`);
  }

  /** A reader that asks for the events and reads nothing; the server's end of its connection. */
  async function neverReading(candidate: TestCandidate): Promise<Socket> {
    const { port, hostname } = new URL(app.url);
    const served: Socket[] = [];
    const serve = (socket: Socket): number => served.push(socket);
    app.nest.getHttpServer().on('connection', serve);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.pause();
    socket.write(
      `GET /api/v1/conversation/events HTTP/1.1\r\nhost: x\r\n` +
        `authorization: Bearer ${candidate.token}\r\n\r\n`,
    );
    await openStreams(readers.length + 1);
    app.nest.getHttpServer().off('connection', serve);
    const own = served.find(({ remotePort }) => remotePort === socket.localPort);
    if (own === undefined) throw new Error('the connection was not served');
    return own;
  }

  function speak(candidate: TestCandidate) {
    return app.get(LiveReplies).mirror({
      conversationId: candidate.conversationId,
      turnId: '1',
      answerIds: [],
      messageId: 'long',
      epoch: 1,
    });
  }

  test('are kept open by a comment every 15 seconds', async () => {
    const reader = await read(await TestCandidate.begin(app));
    await reader.until(({ names }) => names.includes('hello'));

    await pass(14);
    expect(reader.comments).toBe(1);
    await pass(2);

    await reader.until(({ comments }) => comments === 2);
  });

  test('cut a client that never reads, at the limit, without slowing down others', async () => {
    const candidate = await TestCandidate.begin(app);
    const good = await read(candidate);
    const unread = await neverReading(candidate);
    const reply = speak(candidate);

    reply.append('x'.repeat(FLOOD));
    await good.until(({ text }) => text.length === FLOOD);
    // Its 30 seconds begin when the server cannot write on; until its first look it is sent nothing.
    await untilInProcess('the server cannot write on', () => unread.writableNeedDrain);
    await pass(29);
    reply.append(' and on');
    await good.until(({ text }) => text.endsWith(' and on'));
    await openStreams(2);
    await pass(2);

    await openStreams(1);
    expect(good.end).toBeNull();
    reply.breakOff();
  });

  test('are limited for each conversation, and another is accepted when one closes', async () => {
    const candidate = await TestCandidate.begin(app);
    for (let n = 0; n < STREAMS; n += 1) await read(candidate);
    const ask = () => candidate.get('/api/v1/conversation/events');

    const refused = await ask();
    const others = await read(await TestCandidate.begin(app));
    readers[0]?.close();
    await openStreams(STREAMS);
    const admitted = await read(candidate);

    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(await refused.json()).toMatchObject({ code: 'too_many_streams' });
    expect([others.response.status, admitted.response.status]).toEqual([200, 200]);
  });

  test('of watching recruiters are limited apart from those of the candidate', async () => {
    const candidate = await TestCandidate.begin(app);
    for (let n = 0; n < STREAMS; n += 1) await watch(candidate);

    const refused = await watch(candidate);
    const own = [];
    for (let n = 0; n < STREAMS; n += 1) own.push(await read(candidate));
    const others = await watch(await TestCandidate.begin(app));
    readers[0]?.close();
    await openStreams(2 * STREAMS);
    const admitted = await watch(candidate);

    expect(refused.response.status).toBe(429);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    expect(own.map(({ response }) => response.status)).toEqual(own.map(() => 200));
    expect([others.response.status, admitted.response.status]).toEqual([200, 200]);
  });

  test('are refused to a HEAD request, which would never end', async () => {
    const candidate = await TestCandidate.begin(app);

    const response = await fetch(`${app.url}/api/v1/conversation/events`, {
      method: 'HEAD',
      headers: candidate.headers,
    });

    expect(response.status).toBe(405);
  });

  test('do not count a client that left while the message was being stored', async () => {
    const candidate = await TestCandidate.begin(app);
    const body = { id: 'c', messages: [userMessage('m1')] };

    const held = await app.halfDone((tx) =>
      tx.query('select 1 from conversation where id = $1 for update', [candidate.conversationId]),
    );
    try {
      const { headers } = candidate;
      const request = httpRequest(`${app.url}/api/chat`, { method: 'POST', headers, agent: false });
      request.on('error', () => undefined);
      request.end(JSON.stringify(body));
      await app.untilLockWait();
      const closed = new Promise((resolve) => request.once('close', resolve));
      request.destroy();
      await closed;
      await fetch(`${app.url}/health/live`);
    } finally {
      await held.end();
    }

    await candidate.waitFor(({ messages }) => messages.length === 3);
    await openStreams(0);
  });
});

function userMessage(id: string): object {
  return { id, role: 'user', parts: [{ type: 'text', text: 'Rye.' }] };
}
