/**
 * The minimum that streaming replies costs: Node's HTTP server writes 20 frames a second, each with one
 * delta, to each reader of `/active`, and nothing to others.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { momentText } from '../lib/moments';

const EVERY_MS = 50;
const MESSAGE_ID = '00000000-0000-7000-8000-000000000000';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Has the same length as a frame of the application. */
function frame(n: number, text: string): string {
  const offset = n * text.length;
  const data = `{"messageId":"${MESSAGE_ID}","offset":${offset},"text":"${text}"}`;
  return `id: 1.1.${offset + text.length}\nevent: delta\ndata: ${data}\n\n`;
}

async function streamReply(response: ServerResponse): Promise<void> {
  const startedMs = performance.now();
  for (let n = 0; !response.destroyed; n += 1) {
    const dueMs = startedMs + n * EVERY_MS;
    await sleep(dueMs - performance.now());
    response.write(frame(n, momentText(dueMs)));
  }
}

const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': ok\n\n');
  if (request.url === '/active') void streamReply(response);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGUSR2', () => globalThis.gc?.());
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
