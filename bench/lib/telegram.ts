import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { commit } from './application';

export const BOT = { token: '7000000001:bench', id: 7_000_000_001, name: 'bench_bot' } as const;
export const SECRET = 'bench-secret-of-32-characters-or-more';
export const WEBHOOK = '/webhooks/telegram';

/** Settings of an application to which Telegram pushes its updates. */
export function telegramSettings(apiRoot: string): Record<string, string> {
  return {
    TELEGRAM_BOT_TOKEN: BOT.token,
    TELEGRAM_BOT_NAME: BOT.name,
    TELEGRAM_API_ROOT: apiRoot,
    TELEGRAM_MODE: 'webhook',
    TELEGRAM_WEBHOOK_SECRET: SECRET,
    PUBLIC_URL: 'https://bench.example',
  };
}

/** The chat id of the conversation at this index. */
export function chatOf(place: number): number {
  return place + 1;
}

/** Moves each of these conversations to a Telegram chat of its own. */
export async function moveToChats(
  app: NestFastifyApplication,
  conversations: readonly string[],
): Promise<void> {
  await commit(app, async (tx) => {
    await tx.query(
      `insert into telegram_account (user_id, conversation_id, has_agreed, language)
       select n, id, true, 'en' from unnest($1::uuid[]) with ordinality as c (id, n)`,
      [conversations],
    );
    await tx.query(`update conversation set channel = 'telegram' where id = any($1::uuid[])`, [
      conversations,
    ]);
  });
}

/** Updates as Telegram numbers them: each with an id of its own, messages by chat. */
export class Updates {
  private updateId = 0;
  private readonly messageIds = new Map<number, number>();

  /** Updates that were made so far. */
  get count(): number {
    return this.updateId;
  }

  /** A person writes in their private chat with the bot. */
  text(chatId: number, text: string): string {
    const messageId = (this.messageIds.get(chatId) ?? 0) + 1;
    this.messageIds.set(chatId, messageId);
    this.updateId += 1;
    return JSON.stringify({
      update_id: this.updateId,
      message: {
        message_id: messageId,
        date: Math.floor((performance.timeOrigin + performance.now()) / 1000),
        chat: { id: chatId, type: 'private', first_name: 'Ada', username: `ada${chatId}` },
        from: { id: chatId, is_bot: false, first_name: 'Ada', language_code: 'en' },
        text,
      },
    });
  }
}
