import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { unusedPort } from '../../tools/fake-network/load-balancer';
import { Listener } from '../../tools/http-fake/listener';
import { until } from '../support/until';

/** deploy/compose/nginx.conf, run by a real nginx in front of two replicas that are played. */

const PROGRAM = '/usr/sbin/nginx';
const CONFIGURATION = path.join(__dirname, '../../deploy/compose/nginx.conf');
const isHere = existsSync(PROGRAM) || process.env['COLLOQUY_TEST_NGINX'] === 'required';
const withNginx = isHere ? describe : describe.skip;
const WHY = isHere ? '' : ` (skipped: no ${PROGRAM} on this machine)`;

/** How the first replica that gets a request treats it; the other one responds 200. */
type Fate = 'breaks off' | 'is draining' | 'is down';

const DRAINING = JSON.stringify({ code: 'draining' });

/** A second time does no harm: the message, the update or the wish has an id, or is the same wish. */
const HARMLESS = [
  '/api/chat',
  '/api/chat/019a3c1e/stop',
  '/api/v1/conversation/messages',
  '/api/v1/conversation/messages/m1/correction',
  '/api/v1/conversation/voice',
  '/api/v1/conversation/files',
  '/api/v1/conversation/consent',
  '/api/v1/conversation/profile',
  '/api/v1/conversation/done',
  '/api/v1/conversation/human',
  '/api/v1/conversation/withdraw',
  '/webhooks/telegram',
  '/webhooks/notion',
];
const ADMIN = [
  '/api/v1/admin/attention/17/reply',
  '/api/v1/admin/attention/17/return',
  '/api/v1/admin/candidates/019a3c1e/erase',
];
const SESSIONS = '/api/v1/sessions';

interface Met {
  readonly status: number;
  readonly text: string;
  /** The requests that replicas have read, as method, address and body. */
  readonly read: readonly string[];
}

withNginx(`nginx in front of two replicas${WHY}`, () => {
  const running: { close: () => Promise<void> }[] = [];

  afterEach(async () => {
    for (const one of running.splice(0).reverse()) await one.close();
  });

  /** What became of one request, and what each replica has read of it. */
  async function meet(method: string, address: string, fate: Fate): Promise<Met> {
    const read: string[] = [];
    const replicas = [0, 1].map(
      () =>
        new Listener(async (request, response) => {
          read.push(`${method} ${request.url ?? ''} ${await bodyOf(request)}`);
          if (read.length > 1 || fate === 'is down') response.writeHead(200).end('taken');
          else if (fate === 'breaks off') request.socket.destroy();
          else response.writeHead(503, { connection: 'close' }).end(DRAINING);
        }),
    );
    for (const replica of replicas) await replica.open();
    running.push(...replicas);
    // nginx begins with the first one.
    if (fate === 'is down') await replicas[0]?.close();
    const nginx = await Nginx.start(replicas.map(({ url }) => new URL(url).host));
    running.push(nginx);
    const response = await fetch(`${nginx.url}${address}`, {
      method,
      ...(method === 'POST' ? { body: 'the body' } : {}),
    });
    return { status: response.status, text: await response.text(), read };
  }

  const post = (address: string): string => `POST ${address} the body`;

  test.each(HARMLESS)(
    'repeats POST %s at the other replica when one breaks off',
    async (address) => {
      const met = await meet('POST', address, 'breaks off');

      expect(met).toMatchObject({
        status: 200,
        text: 'taken',
        read: [post(address), post(address)],
      });
    },
  );

  test.each([SESSIONS, ...ADMIN])(
    'never repeats POST %s that a replica has read',
    async (address) => {
      const met = await meet('POST', address, 'breaks off');

      expect(met).toMatchObject({ status: 502, read: [post(address)] });
    },
  );

  test.each([SESSIONS, ...HARMLESS.slice(0, 3), ...ADMIN])(
    'sends POST %s, whole, to the other replica when one is down',
    async (address) => {
      const met = await meet('POST', address, 'is down');

      expect(met).toMatchObject({ status: 200, text: 'taken', read: [post(address)] });
    },
  );

  test.each([SESSIONS, ...HARMLESS.slice(0, 3)])(
    'shows no candidate that a replica restarts: POST %s',
    async (address) => {
      const met = await meet('POST', address, 'is draining');

      expect(met).toMatchObject({
        status: 200,
        text: 'taken',
        read: [post(address), post(address)],
      });
    },
  );

  test('leaves to a recruiter whether a POST is sent again that a replica has refused', async () => {
    const met = await meet('POST', ADMIN[0] ?? '', 'is draining');

    expect(met).toMatchObject({ status: 503, text: DRAINING, read: [post(ADMIN[0] ?? '')] });
  });

  test.each(['breaks off', 'is draining', 'is down'] as const)(
    'asks the other replica for what is only read when one %s',
    async (fate) => {
      for (const address of [
        '/',
        '/i/some-token',
        '/api/v1/conversation',
        '/api/v1/admin/attention',
      ]) {
        expect(await meet('GET', address, fate)).toMatchObject({ status: 200, text: 'taken' });
      }
    },
  );
});

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  return body;
}

/** A real nginx with the configuration of compose, in a temporary folder, on 127.0.0.1. */
class Nginx {
  private constructor(
    readonly url: string,
    private readonly child: ChildProcess,
    private readonly folder: string,
  ) {}

  static async start(replicas: readonly string[]): Promise<Nginx> {
    const folder = await mkdtemp(path.join(tmpdir(), 'colloquy-nginx-'));
    // Started as root, its worker is another user.
    await chmod(folder, 0o777);
    const port = await unusedPort();
    const configuration = (await readFile(CONFIGURATION, 'utf8'))
      .replace(/app-([12]):3000/g, (_, n) => replicas[Number(n) - 1] ?? '')
      .replace('listen 8080', `listen 127.0.0.1:${String(port)}`)
      .replaceAll('/tmp/', `${folder}/`);
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, configuration);
    const args = [
      '-p',
      folder,
      '-c',
      file,
      '-e',
      path.join(folder, 'error.log'),
      '-g',
      'daemon off;',
    ];
    const child = spawn(PROGRAM, args, { stdio: 'ignore' });
    const nginx = new Nginx(`http://127.0.0.1:${String(port)}`, child, folder);
    await until('nginx listens', () => existsSync(path.join(folder, 'nginx.pid')));
    return nginx;
  }

  async close(): Promise<void> {
    const ended = once(this.child, 'close');
    this.child.kill('SIGTERM');
    await ended;
    await rm(this.folder, { recursive: true, force: true });
  }
}
