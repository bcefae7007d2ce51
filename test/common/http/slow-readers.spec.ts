import Fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import net from 'node:net';
import { cutSlowReaders } from '../../../src/common/http';
import { FakeClock } from '../../../tools/support/fake-clock';
import { turnOfLoop } from '../../support/until';

const GRACE_MS = 30_000;
/** More than the sockets of an operating system hold. */
const LARGE = 'x'.repeat(64 * 2 ** 20);

describe('a client that does not take its response', () => {
  let server: FastifyInstance;
  let clock: FakeClock;
  let port: number;
  let sockets: net.Socket[];

  beforeEach(async () => {
    clock = new FakeClock();
    sockets = [];
    server = Fastify({ forceCloseConnections: true });
    cutSlowReaders(server, { graceMs: GRACE_MS, clock });
    server.get('/large', () => Promise.resolve(LARGE));
    server.get('/small', () => Promise.resolve('small'));
    await server.listen({ port: 0, host: '127.0.0.1' });
    ({ port } = server.server.address() as net.AddressInfo);
  });

  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await server.close();
  });

  /** Asks, and reads nothing until it is told to. */
  async function ask(place: string): Promise<{ socket: net.Socket; served: net.Socket }> {
    const connected = once(server.server, 'connection');
    const socket = net.connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    sockets.push(socket);
    socket.write(`GET ${place} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [served] = (await connected) as [net.Socket];
    return { socket, served };
  }

  async function untilStuck(served: net.Socket): Promise<void> {
    for (let last = -1; served.writableLength === 0 || last !== served.writableLength;) {
      last = served.writableLength;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Moves time on second by second, as the loop that looks sleeps. */
  async function pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1000) {
      clock.advance(1000);
      for (let turn = 0; turn < 5; turn += 1) await turnOfLoop();
    }
  }

  test('is cut off once it has taken nothing for the grace, not before', async () => {
    const { served } = await ask('/large');
    await untilStuck(served);

    await pass(GRACE_MS - 1000);
    expect(served.destroyed).toBe(false);
    await pass(3000);

    expect(served.destroyed).toBe(true);
    expect(served.writableLength).toBe(0);
  });

  test('keeps its connection when it takes everything in time', async () => {
    const { socket, served } = await ask('/large');
    await untilStuck(served);
    await pass(GRACE_MS - 5000);

    let length = 0;
    const whole = new Promise<void>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > LARGE.length) resolve();
      });
    });
    socket.resume();
    await whole;
    await pass(GRACE_MS * 3);

    expect(served.destroyed).toBe(false);
    socket.write('GET /small HTTP/1.1\r\nhost: x\r\n\r\n');
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(String(response)).toContain('200 OK');
  });

  test('does not hold up the others', async () => {
    const { served } = await ask('/large');
    await untilStuck(served);

    const response = await fetch(`http://127.0.0.1:${port}/small`);

    expect(await response.text()).toBe('small');
  });
});
