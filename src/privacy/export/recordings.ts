import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';

/**
 * Of audio in one export, together: some forty minutes of speech. The file is made in memory, as
 * Base64, and several people may ask for theirs at once; Telegram takes files up to 50 MB.
 */
export const MAX_RECORDED_BYTES = 10 * 1024 * 1024;

/** What a person has recorded, by the id of the message. */
export type Recordings = ReadonlyMap<string, string>;

interface Kept {
  readonly messageId: string;
  readonly bytes: number;
}

/** Reads the recordings of an export, each by itself: together they may be large. */
@Injectable()
export class RecordingRows {
  /** In Base64, the oldest first, as far as they fit. */
  async of(tx: Tx, conversationIds: readonly string[]): Promise<Recordings> {
    const recordings = new Map<string, string>();
    let left = MAX_RECORDED_BYTES;
    for (const { messageId, bytes } of await this.list(tx, conversationIds)) {
      if (bytes > left) continue;
      const [row] = await tx.query<{ audio: Buffer }>(
        'select bytes as audio from voice where message_id = $1',
        [messageId],
      );
      if (row === undefined) continue;
      left -= bytes;
      recordings.set(messageId, row.audio.toString('base64'));
    }
    return recordings;
  }

  private list(tx: Tx, conversationIds: readonly string[]): Promise<Kept[]> {
    return tx.query<Kept>(
      `select v.message_id as "messageId", octet_length(v.bytes) as bytes
       from voice v join message m on m.id = v.message_id
       where m.conversation_id = any($1::uuid[]) and v.bytes is not null
       order by m.received_at, m.id`,
      [conversationIds],
    );
  }
}
