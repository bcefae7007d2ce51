/**
 * People write on Telegram: 500 chats, each with a burst of three messages in 2 s and then 13 s of
 * silence, 100 messages a second in all, for a minute. The debounce window is 2 s, so that each burst
 * is one answer. Measured from outside: whether every message is in exactly one answered turn, how
 * late due answers are claimed (claim − due), how long a stored reply takes to reach the Bot API, and
 * how long it takes from a burst's last message to its reply.
 *
 * The application is a process of its own in webhook mode, on its defaults except for the window; its
 * model runs inside it and writes a reply in a second. The Bot API is in this process and accepts
 * everything at once: the real one lets a bot send about 30 messages a second to all chats and one to
 * each chat, so deliveries to this many chats would wait there. This bench measures only the time that
 * the application adds.
 */
import { Client } from 'pg';
import { type SentMessage, startBotApi } from './lib/bot-api';
import { openBenchDatabase } from './lib/database';
import { cpuSeconds, startServer } from './lib/processes';
import { report } from './lib/report';
import { median, percentile } from './lib/stats';
import { chatOf, telegramSettings, Updates } from './lib/telegram';
import { openConnections, Pushing } from './lib/webhook-client';

const CHATS = 500;
const CONNECTIONS = 40;
const BURST = 3;
/** From one message of a burst to the next. */
const BURST_EVERY_MS = 1000;
const CYCLE_MS = 15_000;
const CYCLES = 4;
const WINDOW_S = 2;
/** 20 a second. */
const DELTAS = 20;
/** For the last answers after the last message. */
const DRAIN_MS = 30_000;
const TEXTS = ['We kept the old ledger running', 'beside the new one', 'until both agreed.'];

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** How people send their updates, and the times that are recorded. */
interface World {
  readonly pushing: Pushing;
  readonly updates: Updates;
  /** By chat: when the last message of each burst got its 200. */
  readonly ended: Map<number, number[]>;
  /** How late the timers of this process were: the delay that the machine itself adds. */
  readonly timers: number[];
}

/** Sends one person's bursts; records when the last message of each got its 200. */
async function write(
  place: number,
  startMs: number,
  { pushing, updates, ended, timers }: World,
): Promise<void> {
  const chatId = chatOf(place);
  const ends: number[] = [];
  ended.set(chatId, ends);
  const firstMs = startMs + (place * CYCLE_MS) / CHATS;
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    for (let n = 0; n < BURST; n += 1) {
      const dueMs = firstMs + cycle * CYCLE_MS + n * BURST_EVERY_MS;
      const isAhead = performance.now() < dueMs;
      await sleep(dueMs - performance.now());
      if (isAhead) timers.push(performance.now() - dueMs);
      await pushing.push(updates.text(chatId, TEXTS[n] ?? ''));
    }
    ends.push(performance.now());
  }
}

interface Outcome {
  readonly messages: number;
  readonly answered: number;
  readonly turns: number;
  readonly whole: number;
  /** From the commit of a reply to the commit that marks it as sent, in ms. */
  readonly deliveries: readonly number[];
}

async function outcome(client: Client): Promise<Outcome> {
  const { rows } = await client.query<Outcome>(
    `with answered as (
       select t.id, t.replied_at, count(m.id)::int as messages
       from turn t join message m on m.turn_id = t.id and m.role = 'user'
       where t.state = 'delivered' group by t.id)
     select (select count(*)::int from message where role = 'user') as messages,
       (select coalesce(sum(messages), 0)::int from answered) as answered,
       (select count(*)::int from answered) as turns,
       (select count(*)::int from answered where messages = $1) as whole,
       (select coalesce(array_agg(extract(epoch from d.sent_at - a.replied_at)::float8 * 1000), '{}')
        from answered a join delivery d on d.turn_id = a.id) as deliveries`,
    [BURST],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('an aggregate without a row');
  return row;
}

/** Waits until every message is in a delivered turn, or DRAIN_MS is over. */
async function settled(client: Client, messages: number): Promise<Outcome> {
  const endMs = performance.now() + DRAIN_MS;
  for (;;) {
    const now = await outcome(client);
    if (now.answered >= messages || performance.now() > endMs) return now;
    await sleep(500);
  }
}

/** From the 200 of a burst's last message to the bot's reply; each reply belongs to one burst. */
function replyTimes(
  ended: ReadonlyMap<number, readonly number[]>,
  sent: readonly SentMessage[],
): number[] {
  return [...ended].flatMap(([chatId, ends]) => {
    const replies = sent.filter((message) => message.chatId === chatId);
    return ends.map((endMs, n) => (replies[n]?.atMs ?? NaN) - endMs);
  });
}

async function main(): Promise<void> {
  const botApi = await startBotApi();
  const database = await openBenchDatabase();
  const server = await startServer<{ url: string }>('application.ts', {
    DATABASE_URL: database.url,
    BENCH_CHATS: String(CHATS),
    BENCH_DELTAS: String(DELTAS),
    OPENAI_API_KEY: 'bench',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: String(WINDOW_S),
    ...telegramSettings(botApi.url),
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const connections = await openConnections(server.ready.url, CONNECTIONS);
  const [pushing, updates] = [new Pushing(connections), new Updates()];
  const world: World = { pushing, updates, ended: new Map(), timers: [] };

  const startMs = performance.now() + 500;
  const cpuBefore = cpuSeconds(server.pid);
  const people = Array.from({ length: CHATS }, (_, place) => write(place, startMs, world));
  await Promise.all(people);
  const cpu = (cpuSeconds(server.pid) - cpuBefore) / ((performance.now() - startMs) / 1000);
  const { messages, answered, turns, whole, deliveries } = await settled(client, updates.count);
  const late = await server.ask<number[]>('lateness');
  const replies = replyTimes(world.ended, botApi.sent);
  const timersP99 = percentile(world.timers, 0.99);
  const bursts = CHATS * CYCLES;
  report(
    'telegram-bursts',
    [
      { name: 'messages', value: updates.count, unit: '' },
      { name: 'answered with another status than 200', value: pushing.refused, unit: '' },
      { name: 'not stored', value: updates.count - messages, unit: '', bound: { atMost: 0 } },
      {
        name: 'not in one answered and delivered turn',
        value: updates.count - answered,
        unit: '',
        bound: { atMost: 0 },
      },
      { name: 'bursts', value: bursts, unit: '' },
      { name: 'turns', value: turns, unit: '' },
      {
        name: 'replies sent more than once',
        value: botApi.sent.length - turns,
        unit: '',
        bound: { atMost: 0 },
      },
      { name: 'turns that hold a whole burst', value: whole, unit: '' },
      { name: 'bare timers of the load, p99', value: timersP99, unit: 'ms' },
      { name: 'claim − due, p50', value: median(late), unit: 'ms' },
      {
        name: 'claim − due, p99',
        value: percentile(late, 0.99),
        unit: 'ms',
        bound: { atMost: 25 },
        isNoisy: timersP99 > 10,
      },
      { name: 'update to its 200, p50', value: median(pushing.latencies), unit: 'ms' },
      { name: 'update to its 200, p99', value: percentile(pushing.latencies, 0.99), unit: 'ms' },
      { name: 'reply stored to sent, p50', value: median(deliveries), unit: 'ms' },
      { name: 'reply stored to sent, p99', value: percentile(deliveries, 0.99), unit: 'ms' },
      {
        name: 'last message of a burst to its reply, p50',
        value: median(replies),
        unit: 'ms',
      },
      {
        name: 'last message of a burst to its reply, p99',
        value: percentile(replies, 0.99),
        unit: 'ms',
      },
      { name: 'processor of the server', value: 100 * cpu, unit: '%' },
    ],
    [
      `${CHATS} chats, bursts of ${BURST} in ${((BURST - 1) * BURST_EVERY_MS) / 1000} s every ${CYCLE_MS / 1000} s, ${(CYCLES * CYCLE_MS) / 1000} s, window ${WINDOW_S} s`,
      `a reply is written for ${(DELTAS * 50) / 1000} s; that, the window and the delivery make the time to it`,
    ],
  );
  for (const connection of connections) connection.close();
  await client.end();
  await server.stop();
  await database.close();
  botApi.stop();
}

void main();
