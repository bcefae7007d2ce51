import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';

/**
 * Of audio and files in one export, together: some forty minutes of speech. It is made in memory, as
 * Base64, and several people may ask for theirs at once; Telegram takes files up to 50 MB.
 */
export const MAX_RECORDED_BYTES = 10 * 1024 * 1024;

/** What a person has recorded and sent as files, by the id of the message. */
export type Recordings = ReadonlyMap<string, string>;

interface Kept {
  readonly messageId: string;
  readonly bytes: number;
  readonly isVoice: boolean;
}

/** Reads the recordings and files of an export, each by itself: together they may be large. */
@Injectable()
export class RecordingRows {
  /** In Base64, the oldest first, as far as they fit. */
  async of(tx: Tx, conversationIds: readonly string[]): Promise<Recordings> {
    const recordings = new Map<string, string>();
    let left = MAX_RECORDED_BYTES;
    for (const { messageId, bytes, isVoice } of await this.list(tx, conversationIds)) {
      if (bytes > left) continue;
      const [row] = await tx.query<{ content: Buffer }>(
        `select bytes as content from ${isVoice ? 'voice' : 'file'} where message_id = $1`,
        [messageId],
      );
      if (row === undefined) continue;
      left -= bytes;
      recordings.set(messageId, row.content.toString('base64'));
    }
    return recordings;
  }

  private list(tx: Tx, conversationIds: readonly string[]): Promise<Kept[]> {
    return tx.query<Kept>(
      `select m.id as "messageId", octet_length(coalesce(v.bytes, f.bytes)) as bytes,
         v.bytes is not null as "isVoice"
       from message m left join voice v on v.message_id = m.id
         left join file f on f.message_id = m.id
       where m.conversation_id = any($1::uuid[]) and (v.bytes is not null or f.bytes is not null)
       order by m.received_at, m.id`,
      [conversationIds],
    );
  }
}
