/**
 * Notion's rate limits in front of the fake Notion, in a process that does nothing else, so that the
 * arrival times do not include delays of the busy bench process. It passes on the calls that it allows.
 * To the message `calls` it responds with the arrival of each call in milliseconds, and whether the
 * call was refused.
 */
import { Agent, createServer, request as send, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../../src/common/clock';
import { ApiError } from '../../tools/fake-notion/api-error';
import { Limits } from '../../tools/fake-notion/limits';

export interface EdgeCall {
  readonly atMs: number;
  readonly isRefused: boolean;
}

const target = new URL(process.env['EDGE_TARGET'] ?? '');
const clock = new SystemClock();
const limits = new Limits(clock);
const agent = new Agent({ keepAlive: true });
const calls: EdgeCall[] = [];

function refuse(response: ServerResponse, error: ApiError): void {
  const { status, code, message, details } = error;
  const { retryAfterS = 1, additionalData: additional_data } = details;
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'retry-after': String(retryAfterS),
  });
  response.end(JSON.stringify({ object: 'error', status, code, message, additional_data }));
}

const server = createServer((incoming, response) => {
  const atMs = clock.monotonicMs();
  try {
    limits.count();
    calls.push({ atMs, isRefused: false });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    calls.push({ atMs, isRefused: true });
    incoming.resume().once('end', () => {
      refuse(response, error);
    });
    return;
  }
  const { method, url: path, headers } = incoming;
  const { hostname: host, port } = target;
  const passed = send({ host, port, method, path, headers, agent }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(response);
  });
  passed.once('error', () => response.destroy());
  incoming.pipe(passed);
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${JSON.stringify({ url: `http://127.0.0.1:${String(port)}` })}\n`);
});
process.on('message', () => process.send?.(calls));
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
