import type { ChannelName } from '../../channels';
import { Injectable } from '@nestjs/common';
import type { ContentType } from '../../buffer';
import type { Tx } from '../../common/uow';
import {
  FACTS,
  MESSAGE_COLUMNS,
  type MessageColumns,
  type MessageRole,
  type MessageRow,
  toMessageRow,
} from './message-row';

/** The transcript. Candidates' messages enter through the buffer; this writes the other side's. */
@Injectable()
export class MessageRepository {
  /**
   * Adds a line of the interviewer or the system; the caller holds the conversation's lock.
   * A second message with the same external id changes nothing and returns undefined.
   */
  async say(
    tx: Tx,
    message: {
      id: string;
      conversationId: string;
      role: 'assistant' | 'system';
      externalId: string;
      text: string;
      turnId?: string | null;
      partial?: boolean;
      isFromPerson?: boolean;
      now: Date | null;
    },
  ): Promise<MessageRow | undefined> {
    const { id, conversationId, role, externalId, text, turnId, now } = message;
    const { partial = false, isFromPerson = false } = message;
    const rows = await tx.query<MessageColumns>(
      `with known as (
         select 1 from message
         where conversation_id = $2 and channel = 'code' and external_id = $4
       ), numbered as (
         update conversation set last_seq = last_seq + 1
         where id = $2 and not exists (select 1 from known) returning last_seq
       )
       insert into message (id, conversation_id, seq, role, channel, external_id, text, turn_id,
         partial, from_person, received_at, cleared_at)
       select $1, $2, last_seq, $3, 'code', $4, $5, $6, $7, $9,
         coalesce($8::timestamptz, clock_timestamp()), coalesce($8::timestamptz, clock_timestamp())
       from numbered
       returning ${MESSAGE_COLUMNS}`,
      [id, conversationId, role, externalId, text, turnId ?? null, partial, now, isFromPerson],
    );
    return rows[0] && toMessageRow(rows[0]);
  }

  /**
   * Keeps a line of the candidate that waits for no reply; the caller holds the conversation's lock.
   * A second line with the same external id is `known` and changes nothing; one that would cross a
   * limit of the conversation is not kept.
   */
  async keep(
    tx: Tx,
    message: {
      id: string;
      conversationId: string;
      channel: ChannelName;
      externalId: string;
      text: string;
      attachment: unknown;
      now: Date | null;
    },
    limits: { readonly messages: number; readonly chars: number },
  ): Promise<'kept' | 'known' | 'full'> {
    const { id, conversationId, channel, externalId, text, attachment, now } = message;
    const [row] = await tx.query<{ end: 'kept' | 'known' | 'full' }>(
      `with known as (
         select 1 from message where conversation_id = $2 and channel = $3 and external_id = $4
       ), numbered as (
         update conversation
         set last_seq = last_seq + 1, sent_messages = sent_messages + 1,
           sent_chars = sent_chars + $8::int
         where id = $2 and not exists (select 1 from known)
           and sent_messages < $9 and sent_chars + $8 <= $10::bigint
         returning last_seq
       ), kept as (
         insert into message (id, conversation_id, seq, role, channel, external_id, text,
           attachment, received_at, cleared_at)
         select $1, $2, last_seq, 'user', $3, $4, $5, $6,
           coalesce($7::timestamptz, clock_timestamp()),
           coalesce($7::timestamptz, clock_timestamp())
         from numbered
         returning 1
       )
       select case when exists (select from kept) then 'kept'
         when exists (select from known) then 'known' else 'full' end as end`,
      [
        id,
        conversationId,
        channel,
        externalId,
        text,
        JSON.stringify(attachment),
        now,
        text.length,
        limits.messages,
        limits.chars,
      ],
    );
    return row?.end ?? 'full';
  }

  /** What came with a message that is stored. */
  async attach(tx: Tx, messageId: string, attachment: unknown): Promise<void> {
    await tx.query(`update message set attachment = $2 where id = $1`, [
      messageId,
      JSON.stringify(attachment),
    ]);
  }

  /** It continues the message before it. */
  async setJoiner(tx: Tx, messageId: string, joiner: string): Promise<void> {
    await tx.query(`update message set joiner = $2 where id = $1`, [messageId, joiner]);
  }

  /** Whether a line that came from a channel is there. */
  async isKnown(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from message where conversation_id = $1 and channel = $2 and external_id = $3`,
      [of.conversationId, of.channel, of.externalId],
    );
    return rows.length > 0;
  }

  /** Whether another part of what was sent as one, such as an album, is there already. */
  async hasAttachmentOfGroup(
    tx: Tx,
    of: { conversationId: string; group: string; contentType: ContentType },
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from message
       where conversation_id = $1 and attachment->>'group' = $2 and content_type = $3 limit 1`,
      [of.conversationId, of.group, of.contentType],
    );
    return rows.length > 0;
  }

  async find(tx: Tx, id: string): Promise<MessageRow | undefined> {
    const rows = await tx.query<MessageColumns>(
      `select ${MESSAGE_COLUMNS} from message where id = $1`,
      [id],
    );
    return rows[0] && toMessageRow(rows[0]);
  }

  /** How many lines of the candidate came after this moment. */
  async countAfter(tx: Tx, conversationId: string, at: Date): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      `select count(*)::int as count from message
       where conversation_id = $1 and role = 'user' and received_at > $2`,
      [conversationId, at],
    );
    return row?.count ?? 0;
  }

  /** The candidate sees it: the last line of that side. */
  async findLast(
    tx: Tx,
    conversationId: string,
    role: MessageRole,
  ): Promise<MessageRow | undefined> {
    const rows = await tx.query<MessageColumns>(
      `select ${MESSAGE_COLUMNS} from message where conversation_id = $1 and role = $2
       order by seq desc limit 1`,
      [conversationId, role],
    );
    return rows[0] && toMessageRow(rows[0]);
  }

  /**
   * What was said before an answer: the last `limit` lines of both sides, oldest first, without
   * the answer itself (`exceptBuffers`) and what was sent after its buffer (`untilBuffer`). Of a
   * longer line its first `lineChars` characters.
   */
  async listHistory(
    tx: Tx,
    of: {
      conversationId: string;
      untilBuffer: string;
      exceptBuffers: readonly string[];
      limit: number;
      lineChars: number;
    },
  ): Promise<MessageRow[]> {
    const rows = await tx.query<MessageColumns>(
      `select ${FACTS}, left(text, $5) as text from message
       where conversation_id = $1 and role in ('user', 'assistant')
         and (buffer_id is null or (buffer_id < $2 and buffer_id <> all($3::bigint[])))
       order by seq desc limit $4`,
      [of.conversationId, of.untilBuffer, of.exceptBuffers, of.limit, of.lineChars],
    );
    return rows.map(toMessageRow).reverse();
  }

  /**
   * The candidate's messages of these buffers, in order; without voices still to be transcribed.
   * Texts that begin behind the first `chars` characters of all of them are left empty.
   */
  async listOfBuffers(tx: Tx, bufferIds: readonly string[], chars: number): Promise<MessageRow[]> {
    const rows = await tx.query<MessageColumns>(
      `select ${FACTS}, case when sum(length(text)) over (order by seq) - length(text) < $2
         then text else '' end as text
       from message
       where buffer_id = any($1::bigint[]) and role = 'user'
         and not (content_type = 'VOICE' and text = '')
       order by seq`,
      [bufferIds, chars],
    );
    return rows.map(toMessageRow);
  }

  /** Ties a turn's messages to it: they are its answer from now on. */
  async assignToTurn(tx: Tx, bufferIds: readonly string[], turnId: string): Promise<void> {
    await tx.query(`update message set turn_id = $2 where buffer_id = any($1::bigint[])`, [
      bufferIds,
      turnId,
    ]);
  }
}
