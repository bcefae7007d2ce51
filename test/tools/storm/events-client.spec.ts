import { once } from 'node:events';
import { type AddressInfo } from 'node:net';
import { createServer } from 'node:http';
import { EventsClient } from '../../../tools/storm/events-client';

const frame = (event: string, data: object = {}): string =>
  `event: ${event}\ndata: ${JSON.stringify({ messageId: 'r1', ...data })}\n\n`;
const whole = (text: string): string =>
  frame('start') + frame('delta', { offset: 0, text }) + frame('finish');

test('a page remembers a reply that had ended when another took its place', async () => {
  let isFirst = true;
  const server = createServer((_request, response) => {
    if (isFirst) response.end(whole('One') + whole('Another'));
    else response.writeHead(503).end();
    isFirst = false;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new EventsClient(`http://127.0.0.1:${String(port)}`, 'token');

  client.open();
  await once(server, 'request');
  // It comes again when it has read all of that.
  await once(server, 'request');
  await client.close();
  server.close();

  expect(client.replies.get('r1')).toEqual({ text: 'Another', isFinished: true });
  expect([...(client.ended.get('r1') ?? [])]).toEqual(['One', 'Another']);
});
