import { Injectable } from '@nestjs/common';
import type { Tx } from '../../../common/uow';

/** Messages of the bot that say what was heard in a voice message. */
@Injectable()
export class ReadBacks {
  /** The voice message, by its id in the transcript; null: that message of the bot is another. */
  async voiceOf(tx: Tx, conversationId: string, telegramMessageId: number): Promise<string | null> {
    const rows = await tx.query<{ id: string }>(
      `select v.message_id as id
       from delivery d
       join message n on n.id = d.message_id
       join voice v on n.external_id = 'voice:' || v.message_id
       where v.state = 'heard' and d.conversation_id = $1 and d.channel = 'telegram' and d.external_id = $2`,
      [conversationId, String(telegramMessageId)],
    );
    return rows[0]?.id ?? null;
  }
}
