/**
 * What one answer and its reply cost in processor time, of Node and of PostgreSQL: a few conversations, a
 * reply of 8 s with 20 deltas a second and a reader each, so few at a time that nothing waits. What both
 * processes need while nothing happens is measured before and taken off.
 */
import { Client } from 'pg';
import type { Commits } from './lib/commit-log';
import { openBenchDatabase } from './lib/database';
import { EventReaders } from './lib/event-readers';
import { cpuSeconds, cpuSecondsOfFamily, startServer } from './lib/processes';
import { report } from './lib/report';
import { sendMessage } from './lib/send';

const CONVERSATIONS = 30;
const POOL = 5;
const DELTAS = 160;
/** A reply takes 8 s; the next answer is sent a little later. */
const TURN_MS = 10_000;
const TURNS = 2;
const IDLE_MS = 8000;

interface Ready {
  readonly url: string;
  readonly tokens: readonly string[];
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function main(): Promise<void> {
  const database = await openBenchDatabase();
  const server = await startServer<Ready>('application.ts', {
    DATABASE_URL: database.url,
    DATABASE_POOL_SIZE: String(POOL),
    BENCH_SESSIONS: String(CONVERSATIONS),
    BENCH_DELTAS: String(DELTAS),
    OPENAI_API_KEY: 'bench',
    INTERVIEW_BUFFER_ENABLED: 'false',
  });
  const client = new Client({ connectionString: database.url, application_name: 'bench' });
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const used = (): readonly [node: number, postgres: number] => [
    cpuSeconds(server.pid),
    cpuSecondsOfFamily(rows[0]?.pid ?? 0),
  ];
  const { url, tokens } = server.ready;
  const readers = new EventReaders(new URL(url));
  await readers.open('/api/v1/conversation/events', tokens);
  // One turn each, so that code is compiled and connections are open.
  const talk = async (turns: number): Promise<void> => {
    const startedMs = performance.now();
    const each = tokens.map(async (token, n) => {
      for (let turn = 0; turn < turns; turn += 1) {
        const dueMs = startedMs + (n * TURN_MS) / CONVERSATIONS + turn * TURN_MS;
        await sleep(dueMs - performance.now());
        if (!(await sendMessage(url, token))) throw new Error('a message was refused');
      }
    });
    await Promise.all(each);
    await sleep(TURN_MS);
  };
  await talk(1);
  const idleBefore = used();
  await sleep(IDLE_MS);
  const idleAfter = used();
  await server.ask<Commits>('commits');
  const before = used();
  const startedMs = performance.now();
  await talk(TURNS);
  const after = used();
  const seconds = (performance.now() - startedMs) / 1000;
  const { durations } = await server.ask<Commits>('commits');
  const turns = durations['turn.close']?.length ?? 0;
  const idlePerSecond = (n: 0 | 1): number => (idleAfter[n] - idleBefore[n]) / (IDLE_MS / 1000);
  const perTurn = (n: 0 | 1): number =>
    (1000 * (after[n] - before[n] - idlePerSecond(n) * seconds)) / turns;
  report(
    'turn-cost',
    [
      { name: 'turns', value: turns, unit: '', bound: { atLeast: TURNS * CONVERSATIONS } },
      {
        name: 'commits of a turn, all labels',
        value: Object.values(durations).flat().length / turns,
        unit: '',
      },
      { name: 'processor of Node for a turn', value: perTurn(0), unit: 'ms' },
      { name: 'processor of PostgreSQL for a turn', value: perTurn(1), unit: 'ms' },
      { name: 'processor of Node, idle', value: 100 * idlePerSecond(0), unit: '%' },
      { name: 'processor of PostgreSQL, idle', value: 100 * idlePerSecond(1), unit: '%' },
    ],
    [
      `${CONVERSATIONS} conversations, one message an answer, a reply of ${(DELTAS * 50) / 1000} s, ${TURNS} turns each`,
      'the server, its reader and PostgreSQL share the machine; commits that replies share are counted with the turns',
    ],
  );
  readers.close();
  await client.end();
  await server.stop();
  await database.close();
}

void main();
