import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompressSync, createGzip, deflate, deflateSync, gzipSync } from 'node:zlib';
import { outgoingStream, type StreamedResponse, wasNeverSent } from '../../../src/common/http';
import { Listener } from '../../../tools/http-fake/listener';

type Respond = (response: ServerResponse, request: IncomingMessage) => void;

let respond: Respond;
let requests: IncomingMessage[];
let server: Listener;

beforeEach(async () => {
  requests = [];
  server = new Listener((request, response) => {
    requests.push(request);
    request.resume();
    respond(response, request);
    return Promise.resolve();
  });
  await server.open();
});

afterEach(async () => {
  await server.close();
});

function serve(by: Respond): void {
  respond = by;
}

function call(init: Parameters<typeof outgoingStream>[1] = {}): Promise<StreamedResponse> {
  return outgoingStream(server.url, init);
}

async function nextText({ pieces }: StreamedResponse): Promise<string | undefined> {
  const { value } = (await pieces.next()) as { value: Uint8Array | undefined };
  return value === undefined ? undefined : Buffer.from(value).toString();
}

/** Resolves when the server has seen the end of the connection. */
async function serverSawEnd(): Promise<void> {
  const [request] = requests;
  if (request?.socket.destroyed === false) await once(request.socket, 'close');
}

test('a piece is read as soon as it has come, and the request is as it was asked for', async () => {
  let more = (): void => undefined;
  serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'x-one': ['a', 'b'] });
    response.write('one');
    more = () => response.end('two');
  });

  const response = await call({ method: 'POST', headers: { 'x-key': 'k' }, body: '{"a":"ä"}' });

  expect(response).toMatchObject({ ok: true, status: 200 });
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  expect(response.headers.get('x-one')).toBe('a, b');
  expect(await nextText(response)).toBe('one');
  more();
  expect(await nextText(response)).toBe('two');
  expect(await nextText(response)).toBeUndefined();
  expect(await nextText(response)).toBeUndefined();
  expect(requests[0]).toMatchObject({ method: 'POST' });
  expect(requests[0]?.headers).toMatchObject({
    'x-key': 'k',
    'content-length': '10',
    'accept-encoding': 'identity',
  });
});

test('a failed response is read as a text, its letters whole however they are cut', async () => {
  serve((response) => {
    response.writeHead(500);
    const bytes = Buffer.from('Ошибка 😀');
    for (const byte of bytes) response.write(Buffer.from([byte]));
    response.end();
  });

  const response = await call();

  expect(response.ok).toBe(false);
  expect(await response.text()).toBe('Ошибка 😀');
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('a response that is compressed as %s all the same is read', async (encoding, compress) => {
  serve((response) => {
    response.writeHead(200, { 'content-encoding': encoding }).end(compress('some text'));
  });

  expect(await (await call()).text()).toBe('some text');
});

test('a compressed response that cannot be read is an error', async () => {
  serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    response.write('no gzip at all');
  });

  await expect(call().then((response) => response.text())).rejects.toThrow();
  await serverSawEnd();
});

test('a compressed response that lacks its end is read as far as it goes', async () => {
  serve((response) => {
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(gzipSync('some text').subarray(0, -8));
  });

  expect(await (await call()).text()).toBe('some text');
});

test('a compressed piece is read as soon as it has come', async () => {
  const gzip = createGzip();
  serve((response) => {
    response.writeHead(200, { 'content-encoding': 'gzip' });
    gzip.pipe(response);
    gzip.write('one');
    gzip.flush();
  });

  const response = await call();

  expect(await nextText(response)).toBe('one');
  gzip.end('two');
  expect(await nextText(response)).toBe('two');
  expect(await nextText(response)).toBeUndefined();
});

test('of a response that is small while compressed, only what is read is unpacked', async () => {
  const whole = gzipSync(Buffer.alloc(40_000_000, 'x'));
  serve((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(whole));
  const response = await call();
  await nextText(response);
  // Unpacking runs in other threads, so their results are waited for.
  for (let turn = 0; turn < 20; turn += 1) await promisify(deflate)('x');
  expect(Reflect.get(response.pieces, 'bytes')).toBeLessThan(200_000);

  let bytes = 0;
  for await (const piece of response.pieces) bytes += piece.length;

  expect(bytes).toBeGreaterThan(39_000_000);
});

test('a text that is too long for any answer is an error, and ends the request', async () => {
  const whole = gzipSync(Buffer.alloc(20_000_000, 'x'));
  serve((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).write(whole));

  await expect(call().then((response) => response.text())).rejects.toThrow('too long');
  await serverSawEnd();
});

test('a redirect is not followed', async () => {
  serve((response) => {
    response.writeHead(307, { location: '/elsewhere' }).end();
  });

  await expect(call()).rejects.toMatchObject({ code: 'redirect_refused' });
  expect(requests).toHaveLength(1);
});

test('an address that is never called is refused', async () => {
  const call = outgoingStream('http://169.254.169.254/v1', {});
  await expect(call).rejects.toMatchObject({ code: 'address_refused' });
});

test('a call to nobody says that it was never sent', async () => {
  const { url } = server;
  await server.close();
  const error: unknown = await outgoingStream(url, {}).catch((thrown: unknown) => thrown);
  expect(wasNeverSent(error)).toBe(true);
  await server.open();
});

describe('an abort', () => {
  test('before the call sends nothing', async () => {
    const reason = new Error('before');
    await expect(call({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(requests).toHaveLength(0);
  });

  test('before the response ends the request', async () => {
    const controller = new AbortController();
    const reason = new Error('not any more');
    serve(() => {
      controller.abort(reason);
    });

    await expect(call({ signal: controller.signal })).rejects.toBe(reason);
    await serverSawEnd();
  });

  test('ends a response that is being read, and leaves no listener behind', async () => {
    serve((response) => response.writeHead(200).write('one'));
    const controller = new AbortController();
    const removed = jest.spyOn(controller.signal, 'removeEventListener');
    const response = await call({ signal: controller.signal });
    expect(await nextText(response)).toBe('one');
    const next = response.pieces.next();
    const reason = new Error('enough');

    controller.abort(reason);

    await expect(next).rejects.toBe(reason);
    await serverSawEnd();
    expect(removed).toHaveBeenCalled();
  });
});

test('a reader who leaves the loop ends the request', async () => {
  serve((response) => response.writeHead(200).write('one'));

  for await (const piece of (await call()).pieces) {
    expect(Buffer.from(piece).toString()).toBe('one');
    break;
  }

  await serverSawEnd();
});

test('a connection that breaks is an error, after what came before it', async () => {
  serve((response) => {
    response.writeHead(200);
    response.write('one', () => {
      response.destroy();
    });
  });

  const response = await call();

  expect(await nextText(response)).toBe('one');
  await expect(response.pieces.next()).rejects.toThrow();
});

test('a reader who does not read lets the server wait, and gets all in the end', async () => {
  const whole = Buffer.alloc(40_000_000, 'x');
  let isWritten = false;
  serve((response) => {
    response.writeHead(200).end(whole, () => (isWritten = true));
  });
  const response = await call();
  await nextText(response);
  // More than the sockets of both sides hold would have to be in memory.
  for (let turn = 0; turn < 200; turn += 1) await new Promise(setImmediate);
  expect(isWritten).toBe(false);

  let bytes = 0;
  for await (const piece of response.pieces) bytes += piece.length;

  expect(bytes).toBeGreaterThan(39_000_000);
  expect(isWritten).toBe(true);
});

test('calls of one server use its connections again', async () => {
  serve((response) => response.end('done'));
  for (let n = 0; n < 6; n += 1) await (await call()).text();
  expect(new Set(requests.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
});
