import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from 'pg';
import { ModelServer, replyWith } from '../fake-model/model-server';
import { TelegramServer } from '../fake-telegram';
import { startEmbeddedPostgres } from '../../src/persistence/embedded';
import type { Tally } from './load';

const WEBHOOK_SECRET = 'the-webhook-secret-of-the-rehearsal-012345';
/** About two seconds of writing, so that replies are always in the middle when a replica ends. */
const REPLY = {
  text: 'Thank you, that gives a clear picture of what you did and why you did it, and it is written down as you said it.',
  pace: { chunkSize: 4, chunkDelayMs: 60 },
};

/** A PostgreSQL 18 as durable as in production (fsync on), for this rehearsal alone. */
export async function openDatabase(): Promise<{ url: string; close(): Promise<void> }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'colloquy-rehearsal-'));
  chmodSync(folder, 0o755);
  const server = await startEmbeddedPostgres({
    dataDir: folder,
    log: (line) => void process.stderr.write(`${line}\n`),
  });
  return {
    url: server.url,
    async close() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The servers that replicas call. */
export async function openPeers(): Promise<{
  readonly model: ModelServer;
  readonly telegram: TelegramServer;
  close(): Promise<void>;
}> {
  const model = await ModelServer.start(replyWith('answered', REPLY.text, REPLY.pace));
  const telegram = await TelegramServer.start();
  return {
    model,
    telegram,
    async close() {
      await telegram.close();
      await model.close();
    },
  };
}

/** Settings of a replica, except where its database and its secrets are. */
export function settingsFor(
  { model, telegram }: { readonly model: ModelServer; readonly telegram: TelegramServer },
  publicUrl: string,
): Record<string, string> {
  return {
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '1',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_OF_KEY_PER_MINUTE: '1000000',
    OPEN_LINK_INTERVIEWS_PER_10_MINUTES: '1000000',
    OPEN_LINK_INTERVIEWS_PER_DAY: '1000000',
    OPEN_LINK_UPLOAD_MB_PER_10_MINUTES: '1000000',
    OPEN_LINK_UPLOAD_MB_PER_DAY: '1000000',
    DATABASE_REPLICAS: '4',
    OPENAI_BASE_URL: model.baseUrl,
    TELEGRAM_API_ROOT: telegram.apiRoot,
    TELEGRAM_BOT_NAME: 'colloquy_test_bot',
    TELEGRAM_MODE: 'webhook',
    // Short, so that a rehearsal has many answers.
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT: '1',
    INTERVIEW_BUFFER_DEBOUNCE_TIMEOUT_WEB: '0.5',
    INTERVIEW_BUFFER_LEARNING: 'false',
  };
}

/** The values of the secrets by their settings. */
export function secretsFor(databaseUrl: string, telegram: TelegramServer): Record<string, string> {
  return {
    DATABASE_URL: databaseUrl,
    OPENAI_API_KEY: 'sk-rehearsal',
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_WEBHOOK_SECRET: WEBHOOK_SECRET,
  };
}

export async function rowsOf<Row>(
  url: string,
  text: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url, application_name: 'colloquy-rehearsal' });
  await client.connect();
  try {
    return (await client.query(text, values)).rows as Row[];
  } finally {
    await client.end();
  }
}

/** The file of the vacancy that candidates are interviewed for, in the image and in a checkout. */
export const VACANCY = 'examples/backend-engineer.en.yaml';

/** The open link of `VACANCY`. */
export async function openTokenOf(url: string): Promise<string> {
  const [vacancy] = await rowsOf<{ token: string }>(
    url,
    `select open_token as token from vacancy where language = 'en' limit 1`,
  );
  if (vacancy === undefined) throw new Error('the database has no English vacancy');
  return vacancy.token;
}

/** Messages of candidates that have no delivered reply yet. */
export async function countWithoutReply(url: string): Promise<number> {
  const rows = await rowsOf(
    url,
    `select 1 from message where role = 'user' and cleared_at is null`,
  );
  return rows.length;
}

/** What is wrong between what candidates sent and read, and what the database has; empty: nothing. */
export async function problemsOf(
  url: string,
  telegram: TelegramServer,
  { sent, read }: Pick<Tally, 'sent' | 'read'>,
): Promise<string[]> {
  const problems: string[] = [];
  const lines = await rowsOf<{ id: string; role: string; text: string; turn: string | null }>(
    url,
    'select id, role, text, turn_id as turn from message',
  );
  const stored = lines.filter(({ role }) => role === 'user').map(({ text }) => text);
  for (const text of sent) {
    const times = stored.filter((one) => one === text).length;
    if (times !== 1) problems.push(`a message is stored ${String(times)} times`);
  }
  const byId = new Map(lines.map(({ id, text }) => [id, text]));
  for (const [id, text] of read) {
    if (byId.get(id) !== text) problems.push('a reply that a candidate read on the page differs');
  }
  const twice = await rowsOf(
    url,
    `select turn_id from message where role = 'assistant' and turn_id is not null
     group by turn_id having count(*) > 1`,
  );
  if (twice.length > 0) problems.push(`${String(twice.length)} answers have two replies`);
  problems.push(...(await chatProblems(url, telegram)));
  const dead = await rowsOf(url, `select 1 from job where state = 'dead'`);
  if (dead.length > 0) problems.push(`${String(dead.length)} jobs are dead`);
  return problems;
}

/** Each reply to a chat has to be there as often as it is stored: once, unless two have the same words. */
async function chatProblems(url: string, telegram: TelegramServer): Promise<string[]> {
  const replies = await rowsOf<{ chat: string; text: string; times: number }>(
    url,
    `select d.chat, btrim(m.text) as text, count(*)::int as times
     from message m join (select distinct message_id, chat from delivery
       where channel = 'telegram' and kind = 'reply' and turn_id is not null) d on d.message_id = m.id
     group by 1, 2`,
  );
  return replies.flatMap(({ chat, text, times }) => {
    const seen = telegram.chat(Number(chat)).botTexts.filter((shown) => shown === text).length;
    if (seen === times) return [];
    return [`a reply that is stored ${String(times)} times is in its chat ${String(seen)} times`];
  });
}
