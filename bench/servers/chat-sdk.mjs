/**
 * A bot of Vercel's Chat SDK as its documentation shows: the Telegram adapter in webhook mode, the
 * PostgreSQL state adapter, and for turns of several messages the strategy `burst`, whose handler
 * gets all messages of the window. A reply lists the messages that it replies to.
 * It is plain JavaScript, because the compiler must not need the packages of bench/node_modules.
 */
import { createPostgresState } from '@chat-adapter/state-pg';
import { createTelegramAdapter } from '@chat-adapter/telegram';
import { Chat, ConsoleLogger } from 'chat';
import { createServer } from 'node:http';
import pg from 'pg';

const { env } = process;
const logger = new ConsoleLogger('error');
const client = new pg.Pool({
  connectionString: env.DATABASE_URL,
  max: Number(env.DATABASE_POOL_SIZE),
});
const bot = new Chat({
  userName: env.BOT_NAME,
  adapters: {
    telegram: createTelegramAdapter({
      mode: 'webhook',
      botToken: env.BOT_TOKEN,
      secretToken: env.BOT_SECRET,
      apiUrl: env.BOT_API,
      logger,
    }),
  },
  state: createPostgresState({ client, logger }),
  concurrency: {
    strategy: 'burst',
    debounceMs: Number(env.WINDOW_MS),
    // As many as our queue holds, for as long as the bench lasts: the defaults drop the eleventh.
    maxQueueSize: 1000,
    queueEntryTtlMs: 3_600_000,
  },
  logger,
});

bot.onDirectMessage(async (thread, message, _channel, context) => {
  const turn = [...(context?.skipped ?? []), message];
  await thread.post(`reply to ${turn.map(({ text }) => text).join(' ')}`);
});

async function requestOf(incoming) {
  const pieces = [];
  for await (const piece of incoming) pieces.push(piece);
  const { method, headers, url } = incoming;
  return new globalThis.Request(`http://127.0.0.1${url}`, {
    method,
    headers,
    body: Buffer.concat(pieces),
  });
}

const server = createServer(async (incoming, response) => {
  const result = await bot.webhooks.telegram(await requestOf(incoming));
  const body = Buffer.from(await result.arrayBuffer());
  response.writeHead(result.status, { 'content-length': body.length });
  response.end(body);
});

await bot.initialize();
server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${server.address().port}`;
  process.stdout.write(`ready ${JSON.stringify({ url })}\n`);
});
// The bench that started it is gone.
process.once('disconnect', () => process.exit(1));
process.once('SIGTERM', () => process.exit(0));
