import fastify, { type FastifyInstance } from 'fastify';
import { acceptOnlyJson } from '../../../src/channels/web/web-server';
import { type UnreadBody, limitRawBodies } from '../../../src/common/http';
import { FakeClock } from '../../../tools/support/fake-clock';

let server: FastifyInstance;

beforeEach(() => {
  server = fastify({ bodyLimit: 20 });
  limitRawBodies(server);
  acceptOnlyJson(server, { clock: new FakeClock(), minBytesPerSecond: 1 });
  const tell = async (request: { body: unknown }) => {
    const body = await (request.body as UnreadBody).read();
    return Buffer.isBuffer(body) ? `bytes ${body.toString('hex')}` : `value ${String(body)}`;
  };
  server.post('/raw', { config: { rawBodyLimit: 10 } }, tell);
  server.post('/wide', { config: { rawBodyLimit: 30 } }, tell);
  server.post('/plain', tell);
  server.post('/csv', { config: { rawBodyLimit: 10, rawBodyTypes: ['text/csv'] } }, tell);
  server.post('/twice', async (request) => {
    const body = request.body as UnreadBody;
    return { digest: await body.digest(), value: await body.read() };
  });
});
afterEach(() => server.close());

const post = async (url: string, payload: Buffer, type = 'application/json') => {
  const { statusCode, body } = await server.inject({
    method: 'POST',
    url,
    payload,
    headers: { 'content-type': type },
  });
  return { statusCode, body };
};

test('a route that wants its body raw gets the bytes, whatever they are', async () => {
  const bytes = Buffer.from([0x7b, 0xff, 0x00, 0x20]);

  expect(await post('/raw', bytes)).toEqual({ statusCode: 200, body: 'bytes 7bff0020' });
});

test('a route that wants its body raw has a limit of its own, lower or higher than that of other routes', async () => {
  expect((await post('/raw', Buffer.alloc(11, 32))).statusCode).toBe(413);
  expect((await post('/wide', Buffer.alloc(30, 32))).statusCode).toBe(200);
  expect((await post('/wide', Buffer.alloc(31, 32))).statusCode).toBe(413);
});

test('other routes get the value, and respond 400 to invalid JSON or UTF-8', async () => {
  expect(await post('/plain', Buffer.from('"\u00e9"'))).toEqual({
    statusCode: 200,
    body: 'value \u00e9',
  });
  expect((await post('/plain', Buffer.from('"'))).statusCode).toBe(400);
  expect((await post('/plain', Buffer.from([0x22, 0xff, 0x22]))).statusCode).toBe(400);
});

test('a route gets the other types that it wants, and no route any other', async () => {
  const bytes = Buffer.from('a;b');

  expect(await post('/csv', bytes, 'Text/CSV; charset=windows-1251')).toEqual({
    statusCode: 200,
    body: 'bytes 613b62',
  });
  expect((await post('/csv', bytes, 'application/vnd.ms-excel')).statusCode).toBe(415);
  expect((await post('/csv', bytes, 'text/csvx')).statusCode).toBe(415);
  expect((await post('/plain', bytes, 'text/csv')).statusCode).toBe(415);
});

test('a body that was digested before is read by its handler', async () => {
  const { body } = await post('/twice', Buffer.from('{"a":1}'));

  // SHA-256 of these seven bytes, by coreutils 9.1.
  const digest = '015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862';
  expect(JSON.parse(body)).toEqual({ digest, value: { a: 1 } });
});
