import { TestCandidate } from '../support/candidate';
import { unusedPort } from '../../tools/fake-network/load-balancer';
import { openTokenIn, rowsOf } from '../support/outside';
import { createExampleDatabase } from '../support/example-database';
import { until } from '../support/until';
import { type Environment, ServerProcess } from '../support/server-process';
import { TelegramServer } from '../../tools/fake-telegram';
import { WEBHOOK_SECRET as SECRET } from '../support/secrets';

jest.setTimeout(120_000);

const CHATS = Array.from({ length: 16 }, (_, place) => 5_000_000_001 + place);
const BATCHES =
  /^colloquy_uow_commits_total\{label="telegram\.store_batch",outcome="committed"\} (\d+)/m;

let databaseUrl: string;
let telegram: TelegramServer;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ url: databaseUrl, drop } = await createExampleDatabase());
  telegram = await TelegramServer.start();
});

afterAll(async () => {
  await ServerProcess.killAll();
  await telegram.close();
  await drop();
});

/** A chat as Telegram sees it: its next update is pushed when the previous one is acknowledged. */
class PushedChat {
  /** Messages that were acknowledged, counted from 1. */
  acknowledged = 0;

  constructor(private readonly chatId: number) {}

  /** Pushes updates until the server is gone or `upTo` of them are acknowledged. */
  async push(url: string, upTo = Infinity): Promise<void> {
    while (this.acknowledged < upTo) {
      if ((await this.pushNext(url)) !== 200) return;
      this.acknowledged += 1;
    }
  }

  async said(): Promise<string[]> {
    const rows = await rowsOf<{ text: string }>(
      databaseUrl,
      `select text from message join telegram_account using (conversation_id)
       where user_id = $1 and role = 'user' order by seq`,
      [this.chatId],
    );
    return rows.map(({ text }) => text);
  }

  /** The status; 0 without a response. */
  private pushNext(url: string): Promise<number> {
    const messageId = this.acknowledged + 1;
    const person = { id: this.chatId, first_name: 'Eve' };
    const message = {
      message_id: messageId,
      date: 1_770_000_000,
      from: { ...person, is_bot: false, language_code: 'en' },
      chat: { ...person, type: 'private' },
      text: String(messageId),
    };
    return fetch(`${url}/webhooks/telegram`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET },
      body: JSON.stringify({ update_id: this.chatId * 1000 + messageId, message }),
    }).then(
      ({ status }) => status,
      () => 0,
    );
  }
}

async function batchesOf(url: string): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(BATCHES.exec(metrics)?.[1] ?? 0);
}

/** The settings of one process. The quiet time is so long that only a test ends it. */
async function environment(): Promise<Environment> {
  const port = await unusedPort();
  return {
    PORT: String(port),
    PUBLIC_URL: `http://localhost:${String(port)}`,
    DATABASE_URL: databaseUrl,
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    TELEGRAM_MODE: 'webhook',
    TELEGRAM_WEBHOOK_SECRET: SECRET,
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '600',
    INTERVIEW_BUFFER_MAX_WAIT: '3600',
    INTERVIEW_BUFFER_MAX_SIZE: '1000',
  };
}

test('after kill -9 under load nothing that was acknowledged is lost, and each chat keeps its order', async () => {
  const killed = await ServerProcess.serve(await environment());
  const openToken = await openTokenIn(databaseUrl);
  for (const chatId of CHATS) {
    const { conversationId } = await TestCandidate.begin({
      url: killed.url,
      vacancy: { openToken },
    });
    await rowsOf(
      databaseUrl,
      `insert into telegram_account (user_id, conversation_id, has_agreed, language)
         values ($1, $2, true, 'en')`,
      [chatId, conversationId],
    );
  }
  const chats = CHATS.map((chatId) => new PushedChat(chatId));
  const pushing = Promise.all(chats.map((chat) => chat.push(killed.url)));
  await until(
    'several batches are stored, and one update of each chat is acknowledged',
    async () => {
      const isEach = chats.every(({ acknowledged }) => acknowledged > 0);
      return isEach && (await batchesOf(killed.url)) >= 5;
    },
  );
  killed.signal('SIGKILL');
  await killed.exited;
  await pushing;
  const atKill = chats.map(({ acknowledged }) => acknowledged);
  const survivor = await ServerProcess.serve(await environment());
  await Promise.all(chats.map((chat) => chat.push(survivor.url, chat.acknowledged + 5)));
  await until('no update waits', async () => {
    const waiting = `select 1 from telegram_update where state = 'waiting' limit 1`;
    return (await rowsOf(databaseUrl, waiting)).length === 0;
  });

  expect(Math.min(...atKill)).toBeGreaterThan(0);
  for (const chat of chats) {
    const all = Array.from({ length: chat.acknowledged }, (_, n) => String(n + 1));
    expect(await chat.said()).toEqual(all);
  }
  expect(await survivor.stop()).toBe(0);
});
