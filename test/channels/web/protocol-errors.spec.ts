import type { IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { ARRIVAL } from '../../../src/bootstrap/application';
import { SessionLookup } from '../../../src/channels/web/session-access';
import { withConstants } from '../../support/constants';
import { until } from '../../support/until';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';

let app: TestApp;

withConstants(ARRIVAL, { longestMs: 1000 });

beforeAll(async () => {
  app = await startTestApp({ isWorking: false });
});

afterAll(() => app.close());

function open() {
  const { hostname, port } = new URL(app.url);
  return connect(Number(port), hostname);
}

/** Everything that the server sends for these bytes until it closes the connection. */
async function responseTo(bytes: string) {
  const socket = open();
  let text = '';
  socket.on('data', (part: Buffer) => (text += part.toString('utf8')));
  socket.on('error', () => undefined);
  socket.write(bytes);
  await once(socket, 'close');
  const [head = '', body = ''] = text.split('\r\n\r\n');
  return { head, problem: JSON.parse(body) as unknown };
}

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'malformed_request'],
  [
    'headers that are too large',
    `GET / HTTP/1.1\r\nhost: test\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`,
    431,
    'headers_too_large',
  ],
  ['headers that never end', 'GET / HTTP/1.1\r\nhost: test\r\n', 408, 'request_timeout'],
  [
    'a body that never comes',
    'POST /api/v1/sessions HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{',
    408,
    'request_timeout',
  ],
])('%s: the response is a problem document', async (_, bytes, status, code) => {
  const { head, problem } = await responseTo(bytes);

  expect(head).toContain(`HTTP/1.1 ${status} `);
  expect(head).toContain('content-type: application/problem+json');
  expect(problem).toMatchObject({ type: 'about:blank', status, code });
});

test('a client that leaves in the middle of its body is logged as such', async () => {
  const { token } = await TestCandidate.begin(app);
  const lookUp = jest.spyOn(app.get(SessionLookup), 'conversationOf');
  const path = '/api/v1/conversation/voice';
  const socket = open();
  socket.write(
    `POST ${path}?id=v1 HTTP/1.1\r\nhost: test\r\nauthorization: Bearer ${token}\r\n` +
      `content-type: audio/webm\r\ncontent-length: 100\r\n\r\nsound`,
  );
  await until('the request has arrived', () => lookUp.mock.calls.length > 0);
  socket.resetAndDestroy();

  const left = 'POST /api/v1/conversation/voice: the client closed the connection [Http]';
  await until('it is logged', () => app.log.lines.includes(left));
  lookUp.mockRestore();
  expect(app.log.lines.filter((line) => line.includes('failed'))).toEqual([]);
});

test('a client that leaves before its request is read is logged as such', async () => {
  const server = app.nest.getHttpServer();
  const leave = ({ socket }: IncomingMessage): void => void socket.destroy();
  server.prependOnceListener('request', leave);
  const known = app.log.lines.length;

  open().write('GET /api/v1/conversation HTTP/1.1\r\nhost: test\r\n\r\n');

  const left = 'GET /api/v1/conversation: the client closed the connection [Http]';
  await until('it is logged', () => app.log.lines.slice(known).includes(left));
  expect(app.log.lines.slice(known).filter((line) => line.includes('failed'))).toEqual([]);
});
