/**
 * How much requests without a session slow down everybody else: candidates read their conversations at
 * a steady rate while 40 requests a second bring large nested JSON and an unknown secret to /api/chat
 * (4 MB each) and to the Telegram webhook (250 kB each). Blocks with and without them alternate. The
 * candidates' requests are sent at fixed times, whether the last one has a response or not, and a wait
 * counts from the time when the request was due.
 */
import { Agent, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import { median, percentile } from './lib/stats';
import { telegramSettings } from './lib/telegram';

const SESSIONS = 50;
const READS_PER_SECOND = 50;
const STRANGERS_PER_SECOND = 40;
const BLOCK_MS = 6000;
const BLOCKS = 3;
const MAX_POLLS = 60;
const POLL_MS = 200;
const IDLE_MS = 15;
const TARGETS = ['chat', 'webhook'] as const;

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

interface Block {
  readonly latencies: readonly number[];
  readonly refused: number;
  /** Processor time of the server per second. */
  readonly cpu: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 200 });

/** Resolves whether the read was served: a server that is too busy refuses with 503. */
function read({ url, tokens }: Ready, place: number): Promise<boolean> {
  const authorization = `Bearer ${tokens[place % tokens.length] ?? ''}`;
  return new Promise((resolve, reject) => {
    const path = `${url}/api/v1/conversation`;
    const request = get(path, { agent, headers: { authorization } }, (response) => {
      response.resume().once('end', () => {
        resolve(response.statusCode === 200);
      });
    });
    request.once('error', reject);
  });
}

async function block(server: Server<Ready>): Promise<Block> {
  const latencies: number[] = [];
  let refused = 0;
  const reads: Promise<void>[] = [];
  const [startedMs, cpu] = [performance.now(), cpuSeconds(server.pid)];
  const count = (BLOCK_MS / 1000) * READS_PER_SECOND;
  for (let n = 0; n < count; n += 1) {
    const dueMs = startedMs + (n * 1000) / READS_PER_SECOND;
    await sleep(Math.max(0, dueMs - performance.now()));
    reads.push(
      read(server.ready, n).then((isServed) => {
        latencies.push(performance.now() - dueMs);
        if (!isServed) refused += 1;
      }),
    );
  }
  await Promise.all(reads);
  const seconds = (performance.now() - startedMs) / 1000;
  return { latencies, refused, cpu: (cpuSeconds(server.pid) - cpu) / seconds };
}

/** Waits until the server has worked off what the last block left behind. */
async function settle(server: Server<Ready>): Promise<void> {
  for (let polls = 0; polls < MAX_POLLS; polls += 1) {
    const startedMs = performance.now();
    await read(server.ready, 0);
    if (performance.now() - startedMs < IDLE_MS) return;
    await sleep(POLL_MS);
  }
}

type Load = (typeof TARGETS)[number] | 'none';

async function measured(server: Server<Ready>): Promise<Record<Load, Block[]>> {
  const blocks: Record<Load, Block[]> = { none: [], chat: [], webhook: [] };
  const { hostname, port } = new URL(server.ready.url);
  const env = { STRANGERS_HOST: hostname, STRANGERS_PORT: port };
  for (let n = 0; n < BLOCKS; n += 1) {
    blocks.none.push(await block(server));
    for (const target of TARGETS) {
      const strangers = await startServer<object>('strangers.ts', env);
      await strangers.ask(`${target} ${STRANGERS_PER_SECOND}`);
      blocks[target].push(await block(server));
      const statuses = await strangers.ask<Record<string, number>>('statuses');
      process.stdout.write(`${target} ${n}: ${JSON.stringify(statuses)}\n`);
      await strangers.stop();
      await settle(server);
    }
  }
  return blocks;
}

function figuresOf(blocks: Record<Load, Block[]>): Figure[] {
  const p99 = (load: Load): number =>
    median(blocks[load].map(({ latencies }) => percentile(latencies, 0.99)));
  const p50 = (load: Load): number =>
    median(blocks[load].map(({ latencies }) => median(latencies)));
  const cpu = (load: Load): number => median(blocks[load].map((one) => 100 * one.cpu));
  const of = (load: Load): Figure[] => [
    { name: `${load}: a candidate's read, p50`, value: p50(load), unit: 'ms' },
    { name: `${load}: a candidate's read, p99`, value: p99(load), unit: 'ms' },
    {
      name: `${load}: reads refused with 503`,
      value: blocks[load].reduce((sum, { refused }) => sum + refused, 0),
      unit: '',
    },
    { name: `${load}: processor of the server`, value: cpu(load), unit: '%' },
  ];
  const added = (load: Load): Figure => ({
    name: `${load}: what strangers add to p99`,
    value: p99(load) - p99('none'),
    unit: 'ms',
    bound: { atMost: 50 },
  });
  return [...of('none'), ...of('chat'), ...of('webhook'), added('chat'), added('webhook')];
}

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const server = await startServer<Ready>('application.ts', {
    DATABASE_URL: database.url,
    BENCH_SESSIONS: String(SESSIONS),
    BENCH_CLAIMS: 'none',
    ...telegramSettings('http://127.0.0.1:9'),
  });
  await block(server);
  const figures = figuresOf(await measured(server));
  await server.stop();
  await database.close();
  agent.destroy();
  report('strangers', figures, [
    `${READS_PER_SECOND} reads a second of ${SESSIONS} candidates, ${STRANGERS_PER_SECOND} strangers a second, ${BLOCKS} blocks of ${BLOCK_MS / 1000} s each by turns`,
  ]);
}

void main();
