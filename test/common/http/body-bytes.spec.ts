import { once } from 'node:events';
import { type IncomingMessage, type Server, createServer } from 'node:http';
import { type AddressInfo, type Socket, connect } from 'node:net';
import { readBytes } from '../../../src/common/http';
import { FakeClock } from '../../../tools/support/fake-clock';
import { turnOfLoop, untilInProcess } from '../../support/until';

const RATE = 1000;
const WINDOW_MS = 5000;
const WINDOW_BYTES = (RATE * WINDOW_MS) / 1000;

let server: Server;
let clock: FakeClock;
const requests: IncomingMessage[] = [];
const sockets: Socket[] = [];

beforeAll(async () => {
  server = createServer((request) => void requests.push(request));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => void server.close());

/** A request with a body of which nothing has been sent. */
async function begin(length: number): Promise<{ raw: IncomingMessage; socket: Socket }> {
  clock = new FakeClock();
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  sockets.push(socket);
  socket.write(`POST / HTTP/1.1\r\nhost: test\r\ncontent-length: ${length}\r\n\r\n`);
  const arrived = requests.length;
  await untilInProcess('the request arrived', () => requests.length > arrived);
  const raw = requests.at(-1);
  if (raw === undefined) throw new Error('no request');
  return { raw, socket };
}

/** Resolves when the server has that much of the body. */
async function arrive(raw: IncomingMessage, socket: Socket, bytes: number): Promise<void> {
  let left = bytes;
  const count = (part: Buffer): void => void (left -= part.length);
  raw.on('data', count);
  socket.write(Buffer.alloc(bytes, 32));
  await untilInProcess('the bytes arrived', () => left <= 0);
  raw.off('data', count);
}

const pace = () => ({ clock, minBytesPerSecond: RATE });
const refused = async (reading: Promise<Buffer>): Promise<unknown> => {
  const error: unknown = await reading.catch((thrown: unknown) => thrown);
  const { status, code } = error as { status: number; code: string };
  return { status, code };
};
const TOO_SLOW = { status: 408, code: 'request_timeout' };

test('refuses a body of which nothing comes in five seconds', async () => {
  const { raw } = await begin(100_000);
  const reading = refused(readBytes(raw, { maxBytes: 100_000, pace: pace() }));

  clock.advance(WINDOW_MS);

  expect(await reading).toEqual(TOO_SLOW);
});

test('refuses a body that slows down after a fast beginning', async () => {
  const { raw, socket } = await begin(100_000);
  const reading = refused(readBytes(raw, { maxBytes: 100_000, pace: pace() }));

  await arrive(raw, socket, 10 * WINDOW_BYTES);
  clock.advance(WINDOW_MS);
  await arrive(raw, socket, WINDOW_BYTES - 1);
  clock.advance(WINDOW_MS);

  expect(await reading).toEqual(TOO_SLOW);
});

test('takes a body that comes no slower than it may', async () => {
  const { raw, socket } = await begin(3 * WINDOW_BYTES);
  const reading = readBytes(raw, { maxBytes: 100_000, pace: pace() });

  for (let window = 0; window < 2; window += 1) {
    await arrive(raw, socket, WINDOW_BYTES);
    clock.advance(WINDOW_MS);
    await turnOfLoop();
  }
  await arrive(raw, socket, WINDOW_BYTES);

  expect(await reading).toHaveLength(3 * WINDOW_BYTES);
});

test('reports a client that leaves as request_gone', async () => {
  const { raw, socket } = await begin(1000);
  const reading = refused(readBytes(raw, { maxBytes: 1000, pace: pace() }));

  socket.resetAndDestroy();

  expect(await reading).toEqual({ status: 400, code: 'request_gone' });
});

test('drops the rest of a body that is too long, up to its bound', async () => {
  const { raw, socket } = await begin(2000);
  const kept: number[] = [];
  const onKept = (bytes: number): null => {
    kept.push(bytes);
    return null;
  };
  const bounds = { maxBytes: 1000, droppedUpTo: 2000, pace: pace(), onKept };
  const reading = refused(readBytes(raw, bounds));

  socket.write(Buffer.alloc(2000, 32));

  expect(await reading).toEqual({ status: 413, code: 'body_too_large' });
  expect(kept).toEqual([]);
});
