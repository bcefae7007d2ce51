import dns from 'node:dns';
import { readFileSync, readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { Telegraf } from 'telegraf';
import { AlertWebhook } from '../../../src/attention/alerts';
import { BotApi } from '../../../src/channels/telegram/api/bot-api';
import { BotHealth } from '../../../src/channels/telegram/api/bot-health';
import { isRefusedUrl } from '../../../src/common/config';
import {
  outgoingAgent,
  outgoingFetch,
  outgoingStream,
  wasNeverSent,
} from '../../../src/common/http';
import { PeerHealth } from '../../../src/common/lifecycle';
import { Metrics } from '../../../src/common/metrics';
import { examineAddress } from '../../../src/health';
import type { NotionLimiter } from '../../../src/notion-sync/api/limiter/notion-limiter';
import { NotionClient } from '../../../src/notion-sync/api/notion-client';
import { NotionHealth, NotionMetrics } from '../../../src/notion-sync/api/notion-health';
import { Listener } from '../../../tools/http-fake/listener';
import { FakeClock } from '../../../tools/support/fake-clock';
import { REQUEST, clientOf } from '../../support/model-calls';
import { settingsForTests } from '../../support/settings';

const TOKEN = '123456:a-secret-of-the-bot';
const SOURCES = path.join(__dirname, '../../../src');

/** What the server got that settings name, and what the one got to which it redirects. */
let received: IncomingMessage[];
let stolen: IncomingMessage[];
let redirecting: Listener;
let elsewhere: Listener;

beforeEach(async () => {
  received = [];
  stolen = [];
  elsewhere = new Listener((request, response) => {
    stolen.push(request);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true,"result":{}}');
    return Promise.resolve();
  });
  await elsewhere.open();
  redirecting = new Listener((request, response) => {
    received.push(request);
    request.resume();
    response.writeHead(307, { location: `${elsewhere.url}/stolen` }).end();
    return Promise.resolve();
  });
  await redirecting.open();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await redirecting.close();
  await elsewhere.close();
});

function botAt(apiRoot: string): BotApi {
  const clock = new FakeClock();
  const bot = new Telegraf(TOKEN, { telegram: { apiRoot } });
  const health = new BotHealth(new PeerHealth(), clock);
  const settings = settingsForTests({ TELEGRAM_BOT_TOKEN: TOKEN, TELEGRAM_API_ROOT: apiRoot });
  return new BotApi(bot, health, clock, settings, new Metrics());
}

async function askNotion(apiUrl: string): Promise<unknown> {
  const limiter = {
    whenPermitted: (_: object, call: (permit: object) => Promise<unknown>) => call({}),
  } as unknown as NotionLimiter;
  const client = new NotionClient(
    settingsForTests({
      NOTION_TOKEN: 'secret',
      NOTION_DATA_SOURCE_ID: '5f2c7a10-94be-4d0a-8c3e-2b1f60d7a911',
      NOTION_API_URL: apiUrl,
    }),
    limiter,
    new NotionHealth(new PeerHealth()),
    new NotionMetrics(new Metrics()),
    new FakeClock(),
  );
  return client.run({}, { endpoint: 'who_am_i' }, (notion) => notion.users.me({}));
}

async function askModel(baseUrl: string): Promise<void> {
  const client = clientOf({ baseUrl }, new FakeClock());
  for await (const _ of client.stream(REQUEST, new AbortController().signal)) return;
}

async function alert(url: string): Promise<void> {
  const item = { id: '1', kind: 'dead', subject: 'job:7', createdAt: new Date(0) };
  const webhook = new AlertWebhook(settingsForTests({ ALERT_WEBHOOK_URL: url }), new FakeClock());
  await webhook.send(item as never, new AbortController().signal);
}

const FILE = { field: 'document', name: 'my-data.json', type: 'application/json' };

const CLIENTS: Readonly<Record<string, (url: string) => Promise<unknown>>> = {
  'the model': askModel,
  Notion: askNotion,
  'the alert webhook': alert,
  'the Bot API': (url) => botAt(url).call('getMe', {}),
  'an upload to the Bot API': (url) =>
    botAt(url).upload('sendDocument', { chat_id: '1' }, {
      ...FILE,
      pieces: (async function* () {})(),
    } as never),
};

test.each(Object.entries(CLIENTS))('%s is not followed to where it redirects', async (_, call) => {
  await expect(call(redirecting.url)).rejects.toThrow();

  expect(received).toHaveLength(1);
  expect(stolen).toEqual([]);
});

test('a file of the Bot API is not fetched from where it redirects', async () => {
  const api = new Listener((request, response) => {
    const isCall = request.url?.endsWith('/getFile') === true;
    const file = '{"ok":true,"result":{"file_path":"voice.ogg"}}';
    if (isCall) response.writeHead(200, { 'content-type': 'application/json' }).end(file);
    else response.writeHead(302, { location: elsewhere.url }).end();
    return Promise.resolve();
  });
  await api.open();

  await expect(botAt(api.url).download('1')).rejects.toThrow();
  expect(stolen).toEqual([]);
  await api.close();
});

test('says that a public address redirects, and does not go there', async () => {
  const { address } = await examineAddress(redirecting.url, new FakeClock());

  expect(address.at(-1)).toMatchObject({
    kind: 'problem',
    sentence: expect.stringContaining('redirects to another address') as string,
  });
  expect(stolen).toEqual([]);
});

test.each([
  'http://169.254.169.254/latest/meta-data',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://[fd00:ec2::254]/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://169.254.169.254./',
  'http://169\u3002254\u3002169\u3002254/',
  'http://\uff11\uff16\uff19.254.169.254/',
  'http://192.0.0.192/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
  'http://[::ffff:100.100.100.200]/',
  'http://[::ffff:0.0.0.0]/',
  'http://[::ffff:0:a9fe:a9fe]/',
  'http://[::169.254.169.254]/',
  'http://[::a83f:8110]/',
  'http://[64:ff9b::a9fe:a9fe]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[64:ff9b:1::a9fe:a9fe]/',
  'http://[64:ff9b:1:a9fe:a9:fe00::]/',
  'http://[64:ff9b:1:a9:fe:a9fe::]/',
  'http://[64:ff9b:1:0:a9:fea9:fe00:0]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[2001:0:a9fe:a9fe::1]/',
  'http://[2001:0:102:304::5601:5601]/',
  'http://[2001:db8::5efe:a9fe:a9fe]/',
  'http://[fd00:ec2::23]/',
  'http://[fd20:ce::254]/',
  'http://[fd00:c1::a9fe:a9fe]/',
  'http://[fd00:42::42]/',
  'http://[fd00:100::100:200]/',
  'http://[fe80::a9fe:a9fe]/',
  'http://[ff02::1]/',
  'http://METADATA.google.internal./',
  'http://metadata.goog/',
  'http://[fe80::1]/',
  'http://[::]/',
  'http://0.0.0.0:3000/',
  'http://100.100.100.200/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://224.0.0.1/',
  'https://user:password@example.org/',
  'file:///etc/passwd',
  'gopher://example.org/',
])('never calls %s', async (address) => {
  expect(isRefusedUrl(new URL(address))).toBe(true);
  await expect(outgoingFetch(address)).rejects.toMatchObject({ code: 'address_refused' });
  await expect(outgoingStream(address)).rejects.toMatchObject({ code: 'address_refused' });
});

test.each([
  'https://api.openai.com/v1',
  'http://127.0.0.1:8083/v1',
  'http://[::1]:8083/v1',
  'http://[::ffff:10.0.0.7]:8083/v1',
  'http://[::ffff:127.0.0.1]:8083/v1',
  'http://[64:ff9b::808:808]/v1',
  'http://[64:ff9b:1::808:808]/v1',
  'http://[2002:808:808::1]/v1',
  'http://[fd12:3456:789a::1]:8083/v1',
  'http://[2a00:1450:4010::8a]/v1',
  'http://10.0.0.7/v1',
  'http://192.168.1.5:11434/v1',
  'http://model:8083/v1',
])('may call %s, where operators run servers of their own', (address) => {
  expect(isRefusedUrl(new URL(address))).toBe(false);
});

describe('a name', () => {
  function resolvesTo(...addresses: string[]): void {
    const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    jest.spyOn(dns, 'lookup').mockImplementation(((
      _name: string,
      _options: object,
      callback: (error: null, found: object) => void,
    ) => {
      callback(null, found);
    }) as never);
  }
  const portOf = ({ url }: Listener): string => new URL(url).port;

  test.each([
    ['169.254.169.254'],
    ['127.0.0.1', 'fd00:ec2::254'],
    ['::ffff:169.254.169.254'],
    ['64:ff9b::a9fe:a9fe'],
    ['2002:a9fe:a9fe::1', '127.0.0.1'],
    ['fe80::1%lo'],
    ['fd20:ce::254%2'],
  ])('that resolves to %s is not called', async (...addresses) => {
    resolvesTo(...addresses);

    const call = outgoingFetch(`http://model.example:${portOf(elsewhere)}/`);
    await expect(call).rejects.toMatchObject({ cause: { code: 'address_refused' } });
    const stream = outgoingStream(`http://model.example:${portOf(elsewhere)}/`);
    await expect(stream).rejects.toMatchObject({ code: 'address_refused' });
    const bot = botAt(`http://bot.example:${portOf(elsewhere)}`).call('getMe', {});
    await expect(bot).rejects.toMatchObject({ failure: { kind: 'unreachable' } });
    expect(stolen).toEqual([]);
  });

  test('that resolves to this machine is called', async () => {
    resolvesTo('127.0.0.1');

    const response = await outgoingFetch(`http://model.example:${portOf(elsewhere)}/v1`);
    expect(response.status).toBe(200);
    await response.arrayBuffer();
    await botAt(`http://bot.example:${portOf(elsewhere)}`).call('getMe', {});
    expect(stolen.map(({ url }) => url)).toEqual(['/v1', `/bot${TOKEN}/getMe`]);
  });
});

describe('a body', () => {
  /** What a server gets of this body, and what it says about its type. */
  async function sent(init: RequestInit): Promise<{ text: string; type: string | undefined }> {
    const parts: Buffer[] = [];
    let type: string | undefined;
    const receiving = new Listener(async (request, response) => {
      type = request.headers['content-type'];
      for await (const part of request) parts.push(part as Buffer);
      response.writeHead(204).end();
    });
    await receiving.open();
    const response = await outgoingFetch(receiving.url, { method: 'POST', ...init });
    await receiving.close();
    expect(response.status).toBe(204);
    return { text: Buffer.concat(parts).toString(), type };
  }

  test('that is a form of Node is sent as a form, with the names and types of its files', async () => {
    const form = new FormData();
    form.append('model', 'w-1');
    form.append('file', new File(['sound'], 'voice.ogg', { type: 'audio/ogg' }));

    const { text, type } = await sent({ body: form });

    expect(type).toMatch(/^multipart\/form-data; boundary=/);
    expect(text).toContain('name="model"\r\n\r\nw-1');
    expect(text).toContain('name="file"; filename="voice.ogg"');
    expect(text).toMatch(/content-type: audio\/ogg\r\n\r\nsound/i);
  });

  test('that comes in pieces is sent whole', async () => {
    const pieces = ReadableStream.from([Buffer.from('one '), Buffer.from('two')]);

    const { text } = await sent({ body: pieces, duplex: 'half' });

    expect(text).toBe('one two');
  });
});

test('calls of one server use its connections again', async () => {
  for (let n = 0; n < 6; n += 1) await (await outgoingFetch(elsewhere.url)).arrayBuffer();

  // The second call may begin before the first connection is free.
  expect(new Set(stolen.map(({ socket }) => socket)).size).toBeLessThanOrEqual(2);
});

test('an agent connects to its own host and port only', () => {
  const agent = outgoingAgent(elsewhere.url);
  const port = Number(new URL(elsewhere.url).port);

  const connect = (host: string, at: number) => (): unknown =>
    agent.createConnection({ host, port: at }, () => undefined);
  expect(connect('127.0.0.1', port + 1)).toThrow('redirects to another address');
  expect(connect('example.org', port)).toThrow('redirects to another address');
});

test('no other part of the application calls fetch', () => {
  const others = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== path.join('common', 'http', 'outgoing.ts'))
    .filter((file) =>
      /(await|return|=>|[=(:])\s*fetch\(/.test(readFileSync(path.join(SOURCES, file), 'utf8')),
    );

  expect(others).toEqual([]);
});

describe('a failed call', () => {
  /** The error of a call that must fail. */
  async function failure(url: string, init: RequestInit = {}): Promise<unknown> {
    return outgoingFetch(url, init).then(
      () => {
        throw new Error('the call did not fail');
      },
      (error: unknown) => error,
    );
  }

  test('was never sent if nothing listens, or the address is never called', async () => {
    const { url } = elsewhere;
    await elsewhere.close();

    expect(wasNeverSent(await failure(url))).toBe(true);
    expect(wasNeverSent(await failure('http://169.254.169.254/'))).toBe(true);
    await elsewhere.open();
  });

  test.each(['CERT_HAS_EXPIRED', 'UND_ERR_CONNECT_TIMEOUT', 'ENOTFOUND'])(
    'was never sent with %s in any cause of its error',
    (code) => {
      const socket = Object.assign(new Error('the socket'), { code });
      const fetchFailed = new TypeError('fetch failed', { cause: socket });
      expect(wasNeverSent(new Error('connection error', { cause: fetchFailed }))).toBe(true);
    },
  );

  test('may have arrived if the connection broke, or an error has no code', async () => {
    const breaking = new Listener((request) => {
      request.socket.destroy();
      return Promise.resolve();
    });
    await breaking.open();

    expect(wasNeverSent(await failure(breaking.url))).toBe(false);
    expect(wasNeverSent(new Error('no code'))).toBe(false);
    expect(wasNeverSent(undefined)).toBe(false);
    await breaking.close();
  });
});
