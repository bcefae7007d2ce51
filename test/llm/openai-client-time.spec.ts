import { FakeClock } from '../../tools/support/fake-clock';
import { REQUEST, clientOf, kindOf, readAll } from '../support/model-calls';
import { turnOfLoop, untilInProcess } from '../support/until';
import { type ModelReply, ModelServer } from '../../tools/fake-model/model-server';

let server: ModelServer;
const clock = new FakeClock();

beforeAll(async () => {
  server = await ModelServer.start();
});

afterAll(async () => {
  await server.close();
});

describe('time', () => {
  test('ends the request when the server does not begin in time, as unavailable', async () => {
    const n = server.requests.length + 1;
    server.next({ kind: 'silent' });
    const ended = readAll(clientOf(server, clock));
    const request = await server.request(n);
    clock.advance(30_000);
    expect(kindOf(await ended)).toBe('unavailable');
    await request.closed;
  });

  test('ends the request when the stream goes silent, as stalled', async () => {
    const n = server.requests.length + 1;
    server.next({ kind: 'stall', content: '{"verdict":"answered"' });
    let seen = '';
    const ended = readAll(clientOf(server, clock), undefined, (text) => (seen = text));
    const request = await server.request(n);
    await untilInProcess('some text has been read', () => seen !== '');
    await turnOfLoop();
    clock.advance(20_000);
    expect(kindOf(await ended)).toBe('stalled');
    await request.closed;
  });

  test('does not count the time of a slow reader as silence of the server', async () => {
    server.next({ kind: 'hold', content: 'Hel', rest: 'lo' });
    const chunks = clientOf(server, clock).stream(REQUEST, new AbortController().signal);
    const stream = chunks[Symbol.asyncIterator]();
    expect((await stream.next()).value).toEqual({ type: 'text', text: 'Hel' });
    clock.advance(60_000);
    server.release();
    expect((await stream.next()).value).toEqual({ type: 'text', text: 'lo' });
    expect((await stream.next()).value).toEqual({ type: 'model', name: 'raw' });
    expect((await stream.next()).done).toBe(true);
  });

  test('accepts a finished completion although the server keeps the stream open', async () => {
    server.next({ kind: 'left_open', content: '{"verdict":"answered"}' });
    const done = { yes: false };
    const ended = readAll(clientOf(server, clock)).finally(() => (done.yes = true));
    while (!done.yes) {
      clock.advance(100);
      await turnOfLoop();
    }
    expect(await ended).toMatchObject({ text: '{"verdict":"answered"}', error: null });
  });
});

test('accepts a completion when the connection breaks after its end', async () => {
  server.next({ kind: 'cut_at_end', content: '{"verdict":"answered"}' });
  expect(kindOf(await readAll(clientOf(server, clock)))).toBe('ok');
});

/** Counts the sleeps that have not ended. */
class CountingClock extends FakeClock {
  sleeping = 0;

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    this.sleeping += 1;
    await super.sleep(ms, signal);
    this.sleeping -= 1;
  }
}

test.each<ModelReply>([
  { kind: 'status', status: 500 },
  { kind: 'refusal', refusal: 'No.' },
  { kind: 'cut', content: 'Hel' },
  { kind: 'error_event', content: 'Hel', error: { code: 500 } },
])('leaves no timer and no listener behind after %j', async (reply) => {
  const counting = new CountingClock();
  const { signal } = new AbortController();
  const added = jest.spyOn(signal, 'addEventListener');
  const removed = jest.spyOn(signal, 'removeEventListener');
  server.next(reply);
  expect(kindOf(await readAll(clientOf(server, counting), signal))).not.toBe('ok');
  await turnOfLoop();
  expect(counting.sleeping).toBe(0);
  expect(removed.mock.calls.length).toBe(added.mock.calls.length);
});

describe('abort', () => {
  test('before the call sends no request', async () => {
    const before = server.requests.length;
    expect(kindOf(await readAll(clientOf(server, clock), AbortSignal.abort()))).toBe('aborted');
    expect(server.requests).toHaveLength(before);
  });

  test.each<[string, ModelReply]>([
    ['before the first word', { kind: 'silent' }],
    ['in the middle of the answer', { kind: 'stall', content: 'Hel' }],
  ])('%s throws ModelAbortedError, and the server sees the abort', async (_, reply) => {
    const n = server.requests.length + 1;
    server.next(reply);
    const controller = new AbortController();
    let seen = '';
    const ended = readAll(clientOf(server, clock), controller.signal, (text) => (seen = text));
    const request = await server.request(n);
    if (reply.kind === 'stall') await untilInProcess('some text has been read', () => seen !== '');
    controller.abort();
    expect(kindOf(await ended)).toBe('aborted');
    await request.closed;
  });

  test('ends the request when the caller leaves the loop', async () => {
    const n = server.requests.length + 1;
    server.next({ kind: 'stall', content: 'Hel' });
    for await (const chunk of clientOf(server, clock).stream(
      REQUEST,
      new AbortController().signal,
    )) {
      expect(chunk).toEqual({ type: 'text', text: 'Hel' });
      break;
    }
    await (
      await server.request(n)
    ).closed;
  });
});
