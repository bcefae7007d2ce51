import { Logger } from '@nestjs/common';
import fastify, { type FastifyInstance } from 'fastify';
import { once } from 'node:events';
import { connect } from 'node:net';
import { SystemClock } from '../../../src/common/clock';
import { ProblemError } from '../../../src/common/http';
import { Drain, drainRequests } from '../../../src/common/lifecycle';
import { type Gate, gate } from '../../../tools/http-fake/gate';
import { until } from '../../support/until';

/** More than the sockets of both ends hold. */
const BIG = 30_000_000;

let server: FastifyInstance;
let drain: Drain;
let url: string;
let slow: Gate;
/** Requests whose handler has begun. */
let begun: number;
/** The drain has got beyond the requests. */
let isBeyond: boolean;

beforeAll(() => {
  Logger.overrideLogger(false);
});

beforeEach(async () => {
  server = fastify({ forceCloseConnections: true });
  drain = new Drain(new SystemClock(), 30_000);
  slow = gate();
  begun = 0;
  isBeyond = false;
  drainRequests(server, drain, new SystemClock());
  drain.register('flows', 'look', () => {
    isBeyond = true;
  });
  server.setErrorHandler((error, _, reply) => {
    void reply.code(error instanceof ProblemError ? error.status : 500).send();
  });
  server.get('/slow', async () => {
    begun += 1;
    await slow.opened;
    return 'responded';
  });
  server.get('/big', () => {
    begun += 1;
    return 'x'.repeat(BIG);
  });
  server.get('/stream', (_, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write('so far');
    begun += 1;
  });
  server.get('/health/live', () => 'alive');
  url = await server.listen({ port: 0, host: '127.0.0.1' });
});

afterEach(async () => {
  slow.open();
  await server.close();
});

afterAll(() => {
  Logger.overrideLogger(new Logger());
});

describe('a drain', () => {
  test('waits for the requests that came before it, and refuses those that come after', async () => {
    const early = fetch(`${url}/slow`).then((response) => response.text());
    await until('it is being handled', () => begun === 1);

    const draining = drain.begin('test');
    const late = await fetch(`${url}/slow`);
    const alive = await fetch(`${url}/health/live`);
    const wasBeyond = isBeyond;
    slow.open();
    await draining;

    expect([late.status, late.headers.get('connection')]).toEqual([503, 'close']);
    expect(alive.status).toBe(200);
    expect(wasBeyond).toBe(false);
    expect(await early).toBe('responded');
  });

  test('waits until the last byte of a response is sent', async () => {
    const { hostname, port } = new URL(url);
    const reader = connect(Number(port), hostname);
    let bytes = 0;
    reader.write(`GET /big HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await until('it is being handled', () => begun === 1);

    const draining = drain.begin('test');
    await fetch(`${url}/health/live`);
    const wasBeyond = isBeyond;
    reader.on('data', (chunk) => (bytes += chunk.length));
    await draining;
    await server.close();
    await once(reader, 'close');

    expect(wasBeyond).toBe(false);
    expect(bytes).toBeGreaterThan(BIG);
  });

  test('does not wait for a stream', async () => {
    const stream = await fetch(`${url}/stream`);

    await drain.begin('test');

    expect(isBeyond).toBe(true);
    expect(stream.status).toBe(200);
    await stream.body?.cancel();
  });
});
