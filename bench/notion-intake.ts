/**
 * A burst of Notion automations: 2,000 events in 2 s, once over 50 boards and once on one board. The
 * application runs in its own process and stores them, while another flow of that process commits every
 * 10 ms. Measured: how many events are refused, how long each takes, and how long the commits of the
 * process wait for a pooled connection. The boards get a due job; they are not ranked.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { NotionServer } from '../tools/fake-notion';
import type { Commits } from './lib/commit-log';
import { openBenchDatabase } from './lib/database';
import { type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import { percentile } from './lib/stats';

const EVENTS = 2000;
const SPAN_MS = 2000;
const OTHER_EVERY_MS = 10;
const MOST_WAIT_MS = 50;
/** Connections of the sender: Notion opens more than one as well. */
const CONNECTIONS = 50;
const SECRET = 'a-secret-of-the-bench-that-is-long-enough';

interface Target {
  readonly url: string;
  readonly dataSourceId: string;
}

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

/** Returns the status of the response. */
function post(url: string, body: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'x-colloquy-secret': SECRET,
    };
    request(`${url}/webhooks/notion/automation`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        resolve(response.statusCode ?? 0);
      });
    })
      .once('error', reject)
      .end(body);
  });
}

function bodyOf(userId: string, dataSourceId: string): string {
  const assignees = { id: 'a', type: 'people', people: [{ id: userId }] };
  return JSON.stringify({
    source: { type: 'automation', event_id: randomUUID(), user_id: userId, attempt: 1 },
    data: {
      object: 'page',
      id: randomUUID(),
      parent: { type: 'data_source_id', data_source_id: dataSourceId },
      properties: { Assignee: assignees },
    },
  });
}

/** Returns how long each event took, and whether it was refused. */
async function burst(users: readonly string[], { url, dataSourceId }: Target) {
  const startMs = performance.now();
  const sent = Array.from({ length: EVENTS }, async (_, n) => {
    const body = bodyOf(users[n % users.length] ?? '', dataSourceId);
    await sleep(Math.max(0, startMs + (n * SPAN_MS) / EVENTS - performance.now()));
    const sentMs = performance.now();
    const status = await post(url, body);
    return { ms: performance.now() - sentMs, isRefused: status !== 200 };
  });
  return Promise.all(sent);
}

async function measured(
  server: Server<{ url: string }>,
  { database, dataSourceId, boards }: { database: Client; dataSourceId: string; boards: number },
): Promise<Figure[]> {
  const users = Array.from({ length: boards }, () => randomUUID());
  await server.ask('commits');
  const sent = await burst(users, { url: server.ready.url, dataSourceId });
  const { poolWaits, durations } = await server.ask<Commits>('commits');
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from job where queue = 'notion-sync' and key = any($1::text[])`,
    [users],
  );
  const times = sent.map(({ ms }) => ms);
  const others = durations['bench'] ?? [];
  const on = boards === 1 ? 'one board' : `${boards} boards`;
  return [
    {
      name: `refused, ${on}`,
      value: sent.filter(({ isRefused }) => isRefused).length,
      unit: 'events',
      bound: { atMost: 0 },
    },
    {
      name: `boards marked, ${on}`,
      value: rows[0]?.count ?? 0,
      unit: '',
      bound: { atLeast: boards },
    },
    { name: `an event, p50, ${on}`, value: percentile(times, 0.5), unit: 'ms' },
    { name: `an event, p99, ${on}`, value: percentile(times, 0.99), unit: 'ms' },
    {
      name: `longest wait for a connection, ${on}`,
      value: Math.max(...poolWaits),
      unit: 'ms',
      bound: { atMost: MOST_WAIT_MS },
    },
    { name: `another flow's commit, p99, ${on}`, value: percentile(others, 0.99), unit: 'ms' },
    { name: `commits of events, ${on}`, value: durations['notion.take']?.length ?? 0, unit: '' },
  ];
}

async function main(): Promise<void> {
  const own = await openBenchDatabase();
  const notion = await NotionServer.start();
  const dataSourceId = notion.workspace.board().id;
  const server = await startServer<{ url: string }>('application.ts', {
    DATABASE_URL: own.url,
    BENCH_CLAIMS: 'none',
    BENCH_COMMIT_EVERY: String(OTHER_EVERY_MS),
    NOTION_TOKEN: notion.token,
    NOTION_API_URL: notion.url,
    NOTION_DATA_SOURCE_ID: dataSourceId,
    NOTION_AUTOMATION_SECRET: SECRET,
    NOTION_SWEEP_SHARE: '0',
    NOTION_LOGGING: 'false',
  });
  const database = new Client({ connectionString: own.url });
  await database.connect();
  // A warm-up: it compiles the code and opens the connections.
  await measured(server, { database, dataSourceId, boards: 50 });
  const figures: Figure[] = [];
  for (const boards of [50, 1]) {
    figures.push(...(await measured(server, { database, dataSourceId, boards })));
  }
  report('notion-intake', figures, [
    'the server is a process of its own; the sender, the fake Notion and PostgreSQL share the machine',
  ]);
  agent.destroy();
  await database.end();
  await server.stop();
  await notion.close();
  await own.close();
}

void main();
