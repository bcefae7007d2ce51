/** The minimum that an event stream costs: Node's HTTP server writes the headers and one comment. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(': ok\n\n');
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`ready ${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
});
process.on('SIGUSR2', () => globalThis.gc?.());
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
