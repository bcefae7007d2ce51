import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { SseResponse } from '../../../src/channels/web/events/sse-response';
import { FakeClock } from '../../../tools/support/fake-clock';

/** Not ASCII: a chunk's size counts bytes. */
const FRAME = 'data: Спасибо, 👩‍🚀\n\n';
/** More than the kernel buffers for a client that reads nothing. */
const FLOOD = 16 * 1024 * 1024;

describe('an event stream on its connection', () => {
  let server: Server;
  const streams: SseResponse[] = [];
  const responses: ServerResponse[] = [];
  const connections: Socket[] = [];
  const clients: Socket[] = [];

  beforeEach(async () => {
    server = createServer((request, response) => {
      if (request.url === '/stream') {
        responses.push(response);
        streams.push(new SseResponse(response, {}, new FakeClock(), () => undefined));
      } else if (request.url === '/plain') response.end('plain');
    });
    server.on('connection', (socket) => void connections.push(socket));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    streams.splice(0);
    responses.splice(0);
    connections.splice(0);
    server.close();
    await once(server, 'close');
  });

  /** A connection that sends these requests, and everything it received. */
  async function ask(requests: string): Promise<{ client: Socket; got: () => string }> {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    clients.push(client);
    const pieces: Buffer[] = [];
    client.on('data', (piece) => void pieces.push(piece));
    client.write(requests);
    while (streams.length === 0) await once(server, 'request');
    return { client, got: () => Buffer.concat(pieces).toString() };
  }

  async function until(client: Socket, isEnough: () => boolean): Promise<void> {
    while (!isEnough()) await once(client, 'data');
  }

  const stream = (): SseResponse => {
    const [only] = streams;
    if (only === undefined) throw new Error('there is no stream');
    return only;
  };

  const get = (path: string, version = '1.1'): string =>
    `GET ${path} HTTP/${version}\r\nhost: x\r\n\r\n`;

  test('writes frames with one write, as one chunk', async () => {
    const { client, got } = await ask(get('/stream'));
    await until(client, () => got().includes(': ok'));
    const [connection] = connections;
    if (connection === undefined) throw new Error('there is no connection');
    const written = jest.spyOn(connection, 'write');
    stream().write(FRAME);
    await until(client, () => got().includes('👩‍🚀'));

    const bytes = Buffer.byteLength(FRAME).toString(16);
    expect(written).toHaveBeenCalledTimes(1);
    expect(got().split('\r\n\r\n')[1]).toBe(`5\r\n: ok\n\r\n${bytes}\r\n${FRAME}\r\n`);
  });

  test('keeps nothing of the head that it has sent', async () => {
    const { client, got } = await ask(get('/stream'));
    await until(client, () => got().includes(': ok'));

    const [raw] = responses;
    expect(String(Reflect.get(raw ?? {}, '_header'))).not.toContain('text/event-stream');
    expect(raw?.headersSent).toBe(true);
    expect(got()).toContain('text/event-stream');
  });

  test('sends the next response of the connection after its end', async () => {
    const { client, got } = await ask(get('/stream') + get('/plain'));
    stream().write(FRAME);
    stream().end();
    stream().write('data: after the end\n\n');
    await until(client, () => got().endsWith('plain'));

    const [, chunks, , body] = got().split('\r\n\r\n');
    expect(chunks?.endsWith(`${FRAME}\r\n0`)).toBe(true);
    expect(body).toBe('plain');
  });

  test('waits for an earlier response of its connection', async () => {
    const held = once(server, 'request');
    const { client, got } = await ask(get('/held') + get('/stream'));
    stream().write(FRAME);
    const [, earlier] = (await held) as [unknown, { end(text: string): void }];
    earlier.end('earlier');
    await until(client, () => got().includes('👩‍🚀'));

    expect(got().indexOf('earlier')).toBeGreaterThan(0);
    expect(got().indexOf('earlier')).toBeLessThan(got().indexOf(': ok'));
    expect(got().indexOf(': ok')).toBeLessThan(got().indexOf(FRAME));
  });

  test('is not cut into chunks for a client of HTTP/1.0', async () => {
    const { client, got } = await ask(get('/stream', '1.0'));
    stream().write(FRAME);
    await until(client, () => got().includes('👩‍🚀'));

    expect(got().split('\r\n\r\n')[1]).toBe(`: ok\n${FRAME}`);
  });

  test('waits while its reader does not read, and continues when it has read everything', async () => {
    const { client, got } = await ask(get('/stream'));
    await until(client, () => got().includes(': ok'));
    client.pause();
    stream().write('x'.repeat(FLOOD));
    expect(stream().isStalled).toBe(true);

    client.resume();
    await stream().drained();

    expect(stream().isStalled).toBe(false);
  });
});
