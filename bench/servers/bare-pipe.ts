/** The minimum that a relay costs: each POST is sent on to the model server, and its response is piped back. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

const model = new URL(process.env['OPENAI_BASE_URL'] ?? '');

const server = createServer((incoming, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  const target = {
    host: model.hostname,
    port: model.port,
    path: '/v1/chat/completions',
    method: 'POST',
  };
  const outgoing = request(target, (reply) => reply.pipe(response));
  incoming.pipe(outgoing);
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
