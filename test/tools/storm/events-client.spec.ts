import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { EventsClient } from '../../../tools/storm/events-client';

const frame = (event: string, data: object): string =>
  `event: ${event}\ndata: ${JSON.stringify({ messageId: 'r1', ...data })}\n\n`;

test('a page remembers a reply that had ended when another took its place', async () => {
  const over = new AbortController();
  const server = createServer((_request, response) => {
    response.write(frame('start', {}) + frame('delta', { offset: 0, text: 'One' }));
    response.write(frame('finish', {}) + frame('start', {}));
    response.write(frame('delta', { offset: 0, text: 'Another' }) + frame('finish', {}));
    response.write(frame('message', { id: 'last', role: 'system', text: 'The last frame' }));
    over.signal.addEventListener('abort', () => response.end());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new EventsClient(`http://127.0.0.1:${String(port)}`, 'token');

  client.open();
  while (!client.lines.has('last')) await new Promise(setImmediate);
  over.abort();
  await client.close();
  server.close();

  expect(client.replies.get('r1')).toEqual({ text: 'Another', isFinished: true });
  expect([...(client.ended.get('r1') ?? [])]).toEqual(['One', 'Another']);
});
