import { Injectable } from '@nestjs/common';
import type { Tx } from '../../common/uow';
import type { LabelName, MessageLabel } from './message-label';

/** The label of a stored message. */
export interface StoredLabel {
  readonly messageId: string;
  readonly label: LabelName;
  readonly questionId: string | null;
  /** The sequence number of the message that it corrects. */
  readonly correctsSeq: number | null;
}

/** What each message of a candidate is. The caller of a write holds the conversation's lock. */
@Injectable()
export class MessageLabelRepository {
  /**
   * Stores the labels of one answer; an earlier label of a message is replaced. A correction without a
   * question takes the question of the message that it corrects. Only messages of the conversation count.
   */
  async set(tx: Tx, conversationId: string, labels: readonly MessageLabel[]): Promise<void> {
    if (labels.length === 0) return;
    await tx.query(
      `insert into message_label (message_id, label, question_id, corrects, touches)
       select m.id, l.label, coalesce(l."questionId", case when c.id is not null then
           coalesce(known.question_id, c.question_context) end),
         c.id, coalesce(array(select jsonb_array_elements_text(l.touches)), '{}')
       from jsonb_to_recordset($2::jsonb)
         as l (seq int, label text, "questionId" text, "correctsSeq" int, touches jsonb)
       join message m on m.conversation_id = $1 and m.seq = l.seq and m.role = 'user'
       left join message c on c.conversation_id = $1 and c.seq = l."correctsSeq" and c.role = 'user'
       left join message_label known on known.message_id = c.id
       on conflict (message_id) do update set label = excluded.label,
         question_id = excluded.question_id, corrects = excluded.corrects, touches = excluded.touches`,
      [conversationId, JSON.stringify(labels)],
    );
  }

  /** The labels of those of these messages that have one. */
  listOf(tx: Tx, messageIds: readonly string[]): Promise<StoredLabel[]> {
    return tx.query<StoredLabel>(
      `select l.message_id as "messageId", l.label, l.question_id as "questionId",
         c.seq as "correctsSeq"
       from message_label l left join message c on c.id = l.corrects
       where l.message_id = any($1::uuid[])`,
      [messageIds],
    );
  }
}
