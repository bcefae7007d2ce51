import { once } from 'node:events';
import { type Socket, connect } from 'node:net';
import { WebSessionRepository } from '../../../src/candidates';
import { type TestApp, startTestApp } from '../../support/app';
import { TestCandidate } from '../../support/candidate';
import { CHAT, CONSENT, MESSAGES, PROFILE, post } from './raw-posts';

const ADMIN = 'an-admin-token-of-these-tests-only';
const NOBODYS = 'x'.repeat(43);
const SESSION_NEEDED = [CHAT, CONSENT, MESSAGES, PROFILE, '/api/v1/conversation/forget'];

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({
    isWorking: false,
    env: {
      ADMIN_TOKEN: ADMIN,
      TELEGRAM_BOT_TOKEN: '7000000001:test',
      TELEGRAM_API_ROOT: 'http://127.0.0.1:9',
      TELEGRAM_MODE: 'webhook',
      TELEGRAM_WEBHOOK_SECRET: 'a-webhook-secret-of-these-tests-only',
      PUBLIC_URL: 'https://colloquy.example',
    },
  });
});

afterAll(() => app.close());

/** Sends the headers of a request with a body, and nothing of the body. */
async function announce(path: string, headers: readonly string[], length = 200_000) {
  const { hostname, port } = new URL(app.url);
  const socket: Socket = connect(Number(port), hostname);
  const type = 'content-type: application/json';
  const lines = [`POST ${path} HTTP/1.1`, 'host: test', type, `content-length: ${length}`];
  socket.write([...lines, ...headers, '', ''].join('\r\n'));
  const [bytes] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();
  const [head = '', body = ''] = bytes.toString('utf8').split('\r\n\r\n');
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1]);
  return { status, body, closes: /^connection: close/im.test(head) };
}

describe('before anything of a body has arrived', () => {
  test.each(SESSION_NEEDED)('%s refuses a request without a session', async (path) => {
    const bearer = `authorization: Bearer ${NOBODYS}`;

    const bare = await announce(path, []);
    const unknown = await announce(path, [bearer]);

    expect([bare.status, unknown.status]).toEqual([401, 401]);
    expect(JSON.parse(unknown.body)).toMatchObject({ code: 'session_unknown' });
  });

  test('the admin API refuses a request without its token', async () => {
    const path = '/api/v1/admin/attention/1/close';

    const { status } = await announce(path, [`authorization: Bearer ${NOBODYS}`]);

    expect(status).toBe(401);
  });

  test('the Telegram webhook refuses a request without its secret', async () => {
    const secret = `x-telegram-bot-api-secret-token: ${NOBODYS}`;

    const { status, body } = await announce('/webhooks/telegram', [secret]);

    expect(status).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ code: 'secret_unknown' });
  });

  test('a body that is announced as too large is refused', async () => {
    const { token } = await TestCandidate.arrive(app);
    const bearer = `authorization: Bearer ${token}`;

    const { status, closes } = await announce(CHAT, [bearer], 4 * 1024 * 1024 + 1);

    expect({ status, closes }).toEqual({ status: 413, closes: true });
  });
});

test('closes the connection of a refused request whose body is long', async () => {
  const { closes } = await announce(CHAT, [], 4_000_000);

  expect(closes).toBe(true);
});

test('keeps the connection of a refused request whose body is short', async () => {
  const { closes } = await announce(CHAT, [], 1000);

  expect(closes).toBe(false);
});

test('looks up a session only for a token that could be one', async () => {
  const lookUp = jest.spyOn(app.get(WebSessionRepository), 'use');

  const short = await announce(CHAT, ['authorization: Bearer nobody']);
  const odd = await announce(CHAT, [`authorization: Bearer ${'*'.repeat(43)}`]);
  expect([short.status, odd.status, lookUp.mock.calls.length]).toEqual([401, 401, 0]);

  await announce(CHAT, [`authorization: Bearer ${NOBODYS}`]);
  expect(lookUp).toHaveBeenCalledTimes(1);
  lookUp.mockRestore();
});

test('refuses JSON that is nested too deeply', async () => {
  const candidate = await TestCandidate.begin(app);
  const body = `{"id":"c","messages":${'['.repeat(100)}${']'.repeat(100)}}`;

  expect(await post(candidate, CHAT, body)).toEqual({ status: 400, code: 'json_too_deep' });
});
