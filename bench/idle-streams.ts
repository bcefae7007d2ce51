/** Memory of an idle event stream: resident bytes of the server before and after many of them open. */
import { type ClientRequest, get } from 'node:http';
import { openBenchDatabase } from './lib/database';
import { residentBytes, type Server, startServer } from './lib/processes';
import { report } from './lib/report';

const STREAMS = 5000;
const AT_A_TIME = 25;
const SETTLE_MS = 3000;

interface Ready {
  readonly url: string;
  readonly tokens?: readonly string[];
}

const settle = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, SETTLE_MS));

/** Opens one stream and resolves at its first bytes. */
function open(url: string, token: string | undefined): Promise<ClientRequest> {
  return new Promise((resolve, reject) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const request = get(url, { headers, agent: false }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode ?? 0}`));
      response.once('data', () => {
        resolve(request);
      });
    });
    request.once('error', reject);
  });
}

/** Kilobytes of memory for each stream. */
async function kilobytesEach(server: Server<Ready>, path: string): Promise<number> {
  const { url, tokens } = server.ready;
  // The first requests fill the server's caches, which is not the cost of a stream.
  for (const request of await openAll(`${url}${path}`, tokens, 200)) request.destroy();
  process.kill(server.pid, 'SIGUSR2');
  await settle();
  const before = residentBytes(server.pid);
  const requests = await openAll(`${url}${path}`, tokens, STREAMS);
  await settle();
  process.kill(server.pid, 'SIGUSR2');
  await settle();
  const after = residentBytes(server.pid);
  for (const request of requests) request.destroy();
  return (after - before) / STREAMS / 1000;
}

async function openAll(
  url: string,
  tokens: readonly string[] | undefined,
  count: number,
): Promise<ClientRequest[]> {
  const requests: ClientRequest[] = [];
  for (let from = 0; from < count; from += AT_A_TIME) {
    const some = Array.from({ length: AT_A_TIME }, (_, n) => open(url, tokens?.[from + n]));
    requests.push(...(await Promise.all(some)));
  }
  return requests;
}

async function main(): Promise<void> {
  const bareServer = await startServer<Ready>('bare-sse.ts', {});
  const bare = await kilobytesEach(bareServer, '/');
  await bareServer.stop();
  const database = await openBenchDatabase();
  const env = { DATABASE_URL: database.url, BENCH_SESSIONS: String(STREAMS) };
  const server = await startServer<Ready>('application.ts', env);
  const ours = await kilobytesEach(server, '/api/v1/conversation/events');
  await server.stop();
  await database.close();
  report(
    'idle-streams',
    [
      { name: 'bare Node stream', value: bare, unit: 'kB' },
      { name: 'idle /events stream', value: ours, unit: 'kB', bound: { atMost: 34 } },
    ],
    [
      `${STREAMS} streams, resident memory after a full collection, each server a process of its own`,
    ],
  );
}

void main();
