/**
 * A comparison with Vercel's Chat SDK (`chat` with its Telegram adapter and its PostgreSQL state), on
 * the same updates and the same PostgreSQL, each in its own process with as many pooled connections:
 *
 *   accepted   updates that get a 200, per second, on as many connections, in alternating blocks, with
 *              a window so long that nothing is flushed; and how many messages are in the database then.
 *   after a crash  people write three messages each, all get a 200; then kill -9 within the window of
 *              2 s, and a new process starts at once. The bench counts who gets a reply without writing
 *              again, and, once everybody has written again, whose first messages are in a reply.
 *
 * Theirs is configured as its documentation (docs/concurrency.mdx) says for turns of several messages:
 * `burst` stores the messages of the window in its state adapter and passes all of them to one
 * handler. Its queue holds as many messages as ours, for as long. `debounce` stores and loses the same.
 *
 * Not comparable: a 200 of ours means that the message is stored, numbered in an interview that has
 * consent, and has a due time, or, under load, that the whole update is stored and becomes a message
 * later. A 200 of theirs means that the update's id is stored; the message is stored after it. Their
 * reply lists the messages, ours is the next question of a plan. Their window counts from the first
 * message, ours from the last. Theirs is a library for many chat services with arbitrary handlers; for
 * a crash it relies on the service to redeliver what got no 200, as we do too, and that is not measured
 * here.
 *
 * Its packages are no dependencies of the project: run `npm ci --prefix bench` first; without them
 * this bench ends at once.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import { type BotApiServer, startBotApi } from './lib/bot-api';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, type Server, startServer } from './lib/processes';
import { type Figure, report } from './lib/report';
import { median } from './lib/stats';
import { BOT, chatOf, SECRET, telegramSettings, Updates } from './lib/telegram';
import { openConnections, pushFor, Pushing } from './lib/webhook-client';

const POOL = 6;
const CONNECTIONS = 40;
const CHATS = 400;
const BLOCKS = 3;
const BLOCK_MS = 4000;
const WARM_UP_MS = 2000;
/** Longer than the bench. */
const ENDLESS_S = 600;

const CRASH_CHATS = 100;
const WORDS = 3;
const WORDS_EVERY_MS = 400;
const WINDOW_S = 2;
/** Within the window of the person who wrote first. */
const KILL_AFTER_MS = 300;
/** Longer than every lock or lease of either (30 s and 6 s), and longer than the window. */
const TIMEOUT_MS = 40_000;
const ONCE_MORE_MS = 10_000;
const WORD = /c\d+m\d+/g;

type Name = 'ours' | 'theirs';
const NAMES = ['theirs', 'ours'] as const;
type Ready = { url: string };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How a process of either is started; ours creates its interviews at the first start only. */
interface Start {
  readonly databaseUrl: string;
  readonly botApi: string;
  readonly windowS: number;
  readonly chats: number;
}

function start(name: Name, { databaseUrl, botApi, windowS, chats }: Start): Promise<Server<Ready>> {
  const common = { DATABASE_URL: databaseUrl, DATABASE_POOL_SIZE: String(POOL) };
  if (name === 'theirs') {
    return startServer('chat-sdk.mjs', {
      ...common,
      BOT_TOKEN: BOT.token,
      BOT_NAME: BOT.name,
      BOT_SECRET: SECRET,
      BOT_API: botApi,
      WINDOW_MS: String(windowS * 1000),
    });
  }
  return startServer('application.ts', {
    ...common,
    BENCH_CHATS: String(chats),
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: String(windowS),
    INTERVIEW_BUFFER_MAX_WAIT: '3600',
    INTERVIEW_BUFFER_MAX_SIZE: '1000',
    INTERVIEW_BUFFER_MAX_CHARS: '200000',
    ...telegramSettings(botApi),
  });
}

async function count(client: Client, rows: string): Promise<number> {
  const query = `select count(*)::int as count from ${rows}`;
  return (await client.query<{ count: number }>(query)).rows[0]?.count ?? 0;
}

/** Where each stores the messages that it accepted and has not replied to. */
const STORED: Record<Name, string> = {
  // An update that waits for the queue is stored whole; it becomes a numbered message a moment later.
  ours: `(select from message where role = 'user'
    union all select from telegram_update where state = 'waiting') stored`,
  theirs: 'chat_state_queues',
};

interface Throughput {
  readonly rates: number[];
  readonly cpuMicros: number[];
  accepted: number;
  /** Messages in the database right after the last 200. */
  stored: number;
}

async function acceptedPerSecond(
  databaseUrl: string,
  client: Client,
  botApi: string,
): Promise<Record<Name, Throughput>> {
  const subjects = await Promise.all(
    NAMES.map(async (name) => {
      const server = await start(name, { databaseUrl, botApi, windowS: ENDLESS_S, chats: CHATS });
      const connections = await openConnections(server.ready.url, CONNECTIONS);
      const [updates, turns] = [new Updates(), connections.map(() => 0)];
      const next = (n: number): string => {
        turns[n] = (turns[n] ?? 0) + 1;
        return updates.text(chatOf((n + (turns[n] ?? 0) * CONNECTIONS) % CHATS), 'I kept both.');
      };
      const throughput: Throughput = { rates: [], cpuMicros: [], accepted: 0, stored: 0 };
      return { name, server, connections, next, throughput };
    }),
  );
  for (let block = -1; block < BLOCKS; block += 1) {
    for (const { name, server, connections, next, throughput } of subjects) {
      const before = cpuSeconds(server.pid);
      const { accepted, seconds } = await pushFor(
        block < 0 ? WARM_UP_MS : BLOCK_MS,
        connections,
        next,
      );
      throughput.accepted += accepted;
      throughput.stored = await count(client, STORED[name]);
      if (block < 0) continue;
      throughput.rates.push(accepted / seconds);
      throughput.cpuMicros.push((1e6 * (cpuSeconds(server.pid) - before)) / accepted);
    }
  }
  for (const { server, connections } of subjects) {
    for (const connection of connections) connection.close();
    await server.kill();
  }
  return Object.fromEntries(subjects.map(({ name, throughput }) => [name, throughput])) as Record<
    Name,
    Throughput
  >;
}

interface CrashOutcome {
  readonly accepted: number;
  readonly repliedBefore: number;
  /** Chats that got a reply without another message. */
  readonly replied: number;
  /** From the start of the new process until the last of them got its reply; NaN for none. */
  readonly lastMs: number;
  /** Messages from before the crash that are in a reply once everybody has written again. */
  readonly words: number;
}

function chatsWithReply({ sent }: BotApiServer, sinceMs: number): Set<number> {
  return new Set(sent.filter(({ atMs }) => atMs >= sinceMs).map(({ chatId }) => chatId));
}

async function writeAll(url: string, updates: Updates, words: number): Promise<number> {
  const connections = await openConnections(url, CONNECTIONS);
  const pushing = new Pushing(connections);
  const startMs = performance.now();
  const write = async (place: number): Promise<void> => {
    for (let n = 0; n < words; n += 1) {
      const dueMs = startMs + (place * WORDS_EVERY_MS) / CRASH_CHATS + n * WORDS_EVERY_MS;
      await sleep(dueMs - performance.now());
      await pushing.push(updates.text(chatOf(place), `c${place}m${n}`));
    }
  };
  await Promise.all(Array.from({ length: CRASH_CHATS }, (_, place) => write(place)));
  for (const connection of connections) connection.close();
  return pushing.latencies.length - pushing.refused;
}

/** Their replies list the messages; for ours, the database has the turn of each message. */
async function wordsWithReply(name: Name, client: Client, botApi: BotApiServer): Promise<number> {
  if (name === 'ours') {
    return count(
      client,
      `message m join turn t on t.id = m.turn_id
       where m.role = 'user' and t.state = 'delivered' and m.text <> 'once more'`,
    );
  }
  return new Set(botApi.sent.flatMap(({ text }) => text.match(WORD) ?? [])).size;
}

async function crash(name: Name): Promise<CrashOutcome> {
  const [database, botApi] = [await openBenchDatabase(), await startBotApi()];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const of = { databaseUrl: database.url, botApi: botApi.url, windowS: WINDOW_S };
  const first = await start(name, { ...of, chats: CRASH_CHATS });
  const updates = new Updates();
  const accepted = await writeAll(first.ready.url, updates, WORDS);
  await sleep(KILL_AFTER_MS);
  await first.kill();
  const repliedBefore = chatsWithReply(botApi, 0).size;

  const restartMs = performance.now();
  const second = await start(name, { ...of, chats: 0 });
  const replied = (): number => chatsWithReply(botApi, restartMs).size;
  while (replied() < CRASH_CHATS && performance.now() - restartMs < TIMEOUT_MS) await sleep(100);
  const [repliedAlone, last] = [replied(), botApi.sent.at(-1)?.atMs ?? NaN];
  const connections = await openConnections(second.ready.url, CONNECTIONS);
  const pushing = new Pushing(connections);
  const chats = Array.from({ length: CRASH_CHATS }, (_, place) => chatOf(place));
  await Promise.all(chats.map((chatId) => pushing.push(updates.text(chatId, 'once more'))));
  await sleep(ONCE_MORE_MS);
  const words = await wordsWithReply(name, client, botApi);
  for (const connection of connections) connection.close();
  await client.end();
  await second.kill();
  botApi.stop();
  await database.close();
  return { accepted, repliedBefore, replied: repliedAlone, lastMs: last - restartMs, words };
}

function crashFigures(whose: string, outcome: CrashOutcome, bound?: Figure['bound']): Figure[] {
  const { accepted, repliedBefore, replied, lastMs, words } = outcome;
  const share = (part: number, of: number): number => (100 * part) / of;
  return [
    {
      name: `${whose}: chats that got a reply before the crash`,
      value: repliedBefore,
      unit: 'chats',
    },
    {
      name: `${whose}: chats that got a reply without another word`,
      value: share(replied, CRASH_CHATS),
      unit: '%',
      ...(bound === undefined ? {} : { bound }),
    },
    ...(replied === 0
      ? []
      : [{ name: `${whose}: the last of them`, value: lastMs / 1000, unit: 's' }]),
    {
      name: `${whose}: messages that got a reply after another word`,
      value: share(words, accepted),
      unit: '%',
    },
  ];
}

async function main(): Promise<void> {
  if (!existsSync(path.join(__dirname, 'node_modules', 'chat'))) {
    process.stdout.write('chat-sdk: not measured, npm ci --prefix bench installs its packages\n');
    return;
  }
  const [database, botApi] = [await openBenchDatabase(), await startBotApi()];
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const { ours, theirs } = await acceptedPerSecond(database.url, client, botApi.url);
  await client.end();
  await database.close();
  botApi.stop();
  const crashed = { theirs: await crash('theirs'), ours: await crash('ours') };
  const ratio = median(ours.rates.map((rate, n) => rate / (theirs.rates[n] ?? NaN)));
  report(
    'chat-sdk',
    [
      { name: 'Chat SDK: accepted', value: median(theirs.rates), unit: '/s' },
      { name: 'ours: accepted', value: median(ours.rates), unit: '/s' },
      { name: 'ours over Chat SDK', value: ratio, unit: '×', bound: { atLeast: 3 } },
      { name: 'Chat SDK: processor, each', value: median(theirs.cpuMicros), unit: 'µs' },
      { name: 'ours: processor, each', value: median(ours.cpuMicros), unit: 'µs' },
      {
        name: 'Chat SDK: accepted, not in its queue at the last 200',
        value: theirs.accepted - theirs.stored,
        unit: `of ${theirs.accepted}`,
      },
      {
        name: 'ours: accepted, not stored at the last 200',
        value: ours.accepted - ours.stored,
        unit: `of ${ours.accepted}`,
        bound: { atMost: 0 },
      },
      ...crashFigures('Chat SDK', crashed.theirs),
      ...crashFigures('ours', crashed.ours, { atLeast: 100 }),
    ],
    [
      `accepted: ${CONNECTIONS} connections, ${CHATS} chats, pools of ${POOL}, ${BLOCKS} blocks of ${BLOCK_MS / 1000} s each by turns`,
      `crash: ${CRASH_CHATS} chats, ${WORDS} messages each within 1.2 s, window ${WINDOW_S} s, kill -9 ${KILL_AFTER_MS} ms after the last 200; ${TIMEOUT_MS / 1000} s of patience, then another word each and ${ONCE_MORE_MS / 1000} s`,
    ],
  );
}

void main();
