import type { ChannelName } from '../../channels';
import {
  type ContentType,
  type ConversationLimits,
  CROSSED_LIMIT,
  type FullOf,
  charsOf,
} from '../../buffer';
import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type Tx, keptPlan, namedStatement } from '../../common/uow';
import type { QuestionMark } from '../../streams';
import type { FileState } from '../files/file';

/**
 * The transcript. The buffer stores the candidates' messages; this writes the other side's, and
 * candidates' lines that get no reply.
 */
@Injectable()
export class MessageRepository {
  constructor(private readonly clock: Clock) {}

  /**
   * Adds a message of the interviewer or the system; the caller holds the conversation's lock.
   * A second message with the same external id changes nothing and returns undefined.
   */
  async add(
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
      question?: QuestionMark | null;
    },
  ): Promise<MessageRow | undefined> {
    const { id, conversationId, role, externalId, text, turnId, question } = message;
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
         partial, from_person, question_context, question_at, received_at, cleared_at)
       select $1, $2, last_seq, $3, 'code', $4, $5, $6, $7, $9, $10, $11,
         coalesce($8::timestamptz, clock_timestamp()), coalesce($8::timestamptz, clock_timestamp())
       from numbered
       returning ${MESSAGE_COLUMNS}`,
      [
        id,
        conversationId,
        role,
        externalId,
        text,
        turnId ?? null,
        partial,
        this.clock.databaseNow(),
        isFromPerson,
        question?.id ?? null,
        question?.start ?? null,
      ],
    );
    return rows[0] && toMessageRow(rows[0]);
  }

  /**
   * Keeps a line of the candidate that waits for no reply; the caller holds the conversation's lock.
   * A second line with the same external id is known and changes nothing. Returns the limit of the
   * conversation that it would cross, so that it is not kept; null: it is kept.
   */
  async keep(
    tx: Tx,
    { attachment, ...line }: Omit<KeptLine, 'attachment'> & { readonly attachment: unknown },
    limits: ConversationLimits,
  ): Promise<FullOf | null> {
    const [row] = await tx.query<{ crossed: FullOf | null }>(
      KEEP.text,
      KEEP.values(line, limits, {
        attachment: JSON.stringify(attachment),
        chars: charsOf(line.text),
        mediaBytes: 0,
        now: this.clock.databaseNow(),
      }),
    );
    return row?.crossed ?? null;
  }

  /** Sets the attachment of a stored message. */
  async attach(tx: Tx, messageId: string, attachment: unknown): Promise<void> {
    await tx.query(`update message set attachment = $2 where id = $1`, [
      messageId,
      JSON.stringify(attachment),
    ]);
  }

  /** Marks the message as a continuation of the one before it. */
  async setJoiner(tx: Tx, messageId: string, joiner: string): Promise<void> {
    await tx.query(`update message set joiner = $2 where id = $1`, [messageId, joiner]);
  }

  /** Whether a message of a channel is stored; `code`: one of our own. */
  async isKnown(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName | 'code'; externalId: string },
  ): Promise<boolean> {
    const rows = await tx.query(
      `select 1 from message where conversation_id = $1 and channel = $2 and external_id = $3`,
      [of.conversationId, of.channel, of.externalId],
    );
    return rows.length > 0;
  }

  /**
   * The line that a message of the channel is (`externalId`), or that was sent there under `sentId`; null:
   * neither.
   */
  async findSeq(
    tx: Tx,
    of: { conversationId: string; channel: ChannelName; externalId: string; sentId: string },
  ): Promise<number | null> {
    const [row] = await tx.query<{ seq: number }>(
      `select seq from message where conversation_id = $1 and channel = $2 and external_id = $3
       union all
       select m.seq from delivery d join message m on m.id = d.message_id
       where d.conversation_id = $1 and d.channel = $2 and d.external_id = $4
       limit 1`,
      [of.conversationId, of.channel, of.externalId, of.sentId],
    );
    return row?.seq ?? null;
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

  /** The candidate's messages by number, in order. */
  listSeqs(tx: Tx, conversationId: string): Promise<{ id: string; seq: number }[]> {
    return tx.query(
      `select id, seq from message where conversation_id = $1 and role = 'user' order by seq`,
      [conversationId],
    );
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

  /** The last line of this role. */
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
   * the answer itself (`exceptBuffers`) and what was sent after its buffer (`untilAnswer`). Of a
   * longer line its first `lineChars` characters.
   */
  async listHistory(
    tx: Tx,
    of: {
      conversationId: string;
      untilAnswer: string;
      exceptBuffers: readonly string[];
      limit: number;
      lineChars: number;
    },
  ): Promise<MessageRow[]> {
    const rows = await tx.query<MessageColumns>(
      `select ${FACTS}, left(text, $5) as text from message
       where conversation_id = $1 and role in ('user', 'assistant')
         and (answer_id is null or (answer_id < $2 and answer_id <> all($3::bigint[])))
       order by seq desc limit $4`,
      [of.conversationId, of.untilAnswer, of.exceptBuffers, of.limit, of.lineChars],
    );
    return rows.map(toMessageRow).reverse();
  }

  /**
   * The candidate's messages of these buffers, in order; without voices still to be transcribed.
   * Texts that begin behind the first `chars` characters of all of them are left empty.
   */
  async listOfAnswers(tx: Tx, answerIds: readonly string[], chars: number): Promise<MessageRow[]> {
    const rows = await tx.query<MessageColumns>(
      `select ${FACTS}, case when sum(length(text)) over (order by seq) - length(text) < $2
         then text else '' end as text
       from message
       where answer_id = any(${keptPlan('$1::bigint[]')}) and role = 'user'
         and not (content_type = 'VOICE' and text = '')
       order by seq`,
      [answerIds, chars],
    );
    return rows.map(toMessageRow);
  }

  /** The messages of these ids, in order. Of a longer line its first `chars` characters. */
  async listOf(
    tx: Tx,
    of: { conversationId: string; ids: readonly string[]; chars: number },
  ): Promise<MessageRow[]> {
    const rows = await tx.query<MessageColumns>(
      `select ${FACTS}, left(text, $3) as text from message
       where conversation_id = $1 and id = any($2::uuid[]) order by seq`,
      [of.conversationId, of.ids, of.chars],
    );
    return rows.map(toMessageRow);
  }

  /**
   * Assigns messages to a turn: they are its answer from now on. Decides which of them came before the
   * last reply.
   */
  async assignToTurn(tx: Tx, answerIds: readonly string[], turnId: string): Promise<void> {
    await tx.query(
      `update message set turn_id = $2,
         before_reply = before_reply and came_before_reply(conversation_id, seq, received_at)
       where answer_id = any(${keptPlan('$1::bigint[]')})`,
      [answerIds, turnId],
    );
  }

  /** The candidate's last words before a moment; null: they had written none. */
  async lastSaidBefore(tx: Tx, conversationId: string, before: Date): Promise<string | null> {
    const [row] = await tx.query<{ text: string }>(
      `select text from message where conversation_id = $1 and role = 'user' and received_at <= $2
       order by seq desc limit 1`,
      [conversationId, before],
    );
    return row?.text ?? null;
  }
}

interface KeptLine {
  readonly id: string;
  readonly conversationId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly text: string;
  /** As JSON. */
  readonly attachment: string;
}

/** Under the conversation's lock, so that both parts see the same row of it. */
const KEEP = namedStatement<
  KeptLine & ConversationLimits & { chars: number; mediaBytes: number; now: Date | null }
>(`
  with known as (
    select 1 from message
    where conversation_id = $conversationId::uuid and channel = $channel::text
      and external_id = $externalId::text
  ), numbered as (
    update conversation c
    set last_seq = c.last_seq + 1, sent_messages = c.sent_messages + 1,
      sent_chars = c.sent_chars + $chars::int
    where c.id = $conversationId::uuid and not exists (select 1 from known)
      and ${CROSSED_LIMIT} is null
    returning c.last_seq, coalesce($now::timestamptz, clock_timestamp()) as now
  ), kept as (
    insert into message (id, conversation_id, seq, role, channel, external_id, text,
      attachment, received_at, cleared_at)
    select $id::uuid, $conversationId::uuid, n.last_seq, 'user', $channel::text,
      $externalId::text, $text::text, $attachment::jsonb, n.now, n.now
    from numbered n
    returning 1
  )
  select ${CROSSED_LIMIT} as crossed from conversation c
  where c.id = $conversationId::uuid and not exists (select from kept)
    and not exists (select from known)`);

/** Columns without the text, which some readers cut off, and without its file. */
export const FACTS = `id, seq, role, channel, external_id, content_type, received_at, answer_id,
  turn_id, before_reply, amends, partial, from_person, cleared_at, joiner, question_context,
  question_at, attachment->'author' as author, attachment->'reference' as reference`;

/** Of `message`, or of what is inserted into it. */
const FILE = `case when content_type = 'FILE' then (
  select json_build_object('name', f.name, 'mimeType', f.mime_type, 'sizeBytes', f.size_bytes,
    'state', f.state, 'needsPassword', f.needs_password)
  from file f where f.message_id = message.id) end as file`;

export const MESSAGE_COLUMNS = `${FACTS}, text, ${FILE}`;

/** One line of a transcript. */
export interface MessageRow {
  readonly id: string;
  readonly seq: number;
  readonly role: MessageRole;
  readonly channel: ChannelName | 'code';
  readonly externalId: string;
  readonly contentType: ContentType;
  /** Empty for a voice without a transcript yet. */
  readonly text: string;
  readonly receivedAt: Date;
  readonly answerId: string | null;
  readonly turnId: string | null;
  /** It came before the last reply reached the candidate. Its turn decides this when it opens. */
  readonly beforeReply: boolean;
  /** The earlier message whose text this one replaces: it was edited after it was claimed. */
  readonly amends: string | null;
  readonly partial: boolean;
  /** A person of the hiring team wrote it. */
  readonly isFromPerson: boolean;
  readonly clearedAt: Date | null;
  /** The text between it and the message before it, if the client split one text; else null. */
  readonly joiner: string | null;
  /** Null for a message that is no file, and when messages are read for a prompt. */
  readonly file: FileLine | null;
  /** The question of the plan at the end of what the interviewer said; null without one. */
  readonly question: QuestionMark | null;
  /** The notice that the interviewer is unavailable. */
  readonly isOutageNotice: boolean;
  /** Null: the one whose role it is. */
  readonly author: Author | null;
  readonly reference: Reference | null;
}

export type MessageRole = 'user' | 'assistant' | 'system';

/** What a transcript shows of a file; its bytes are read separately. */
export interface FileLine {
  readonly name: string;
  /** Null until its content has shown it. */
  readonly mimeType: string | null;
  readonly sizeBytes: number;
  readonly state: FileState;
  readonly needsPassword: boolean;
}

/** Somebody else than the sender wrote a message. */
export interface Author {
  /** `bot`: a bot wrote it in the sender's name. */
  readonly how: 'forwarded' | 'bot';
  /** As the channel gives it; null: not known. */
  readonly name: string | null;
}

/** What a message refers to: a line of its conversation, or words that are none. */
export interface Reference {
  readonly seq: number | null;
  readonly quote: string | null;
}

export interface MessageColumns {
  id: string;
  seq: number;
  role: MessageRole;
  channel: ChannelName | 'code';
  external_id: string;
  content_type: ContentType;
  text: string;
  received_at: Date;
  answer_id: string | null;
  turn_id: string | null;
  before_reply: boolean;
  amends: string | null;
  partial: boolean;
  from_person: boolean;
  cleared_at: Date | null;
  joiner: string | null;
  question_context: string | null;
  question_at: number | null;
  author: Author | null;
  reference: Reference | null;
  file?: FileLine | null;
}

/**
 * Begins the external id of the notice that the interviewer is unavailable. Stored in rows, so it
 * keeps its value.
 */
export const OUTAGE_NOTICE = 'trouble';

export function toMessageRow(columns: MessageColumns): MessageRow {
  const { role, channel, external_id: externalId } = columns;
  return {
    id: columns.id,
    seq: columns.seq,
    role,
    channel,
    externalId,
    contentType: columns.content_type,
    text: columns.text,
    receivedAt: columns.received_at,
    answerId: columns.answer_id,
    turnId: columns.turn_id,
    beforeReply: columns.before_reply,
    amends: columns.amends,
    partial: columns.partial,
    isFromPerson: columns.from_person,
    clearedAt: columns.cleared_at,
    joiner: columns.joiner,
    file: columns.file ?? null,
    question: questionOf(columns),
    isOutageNotice:
      role === 'system' && channel === 'code' && externalId.startsWith(`${OUTAGE_NOTICE}:`),
    author: columns.author,
    reference: columns.reference,
  };
}

function questionOf({
  question_context: id,
  question_at: start,
}: MessageColumns): QuestionMark | null {
  return id === null || start === null ? null : { id, start };
}

/** What is stored of a candidate's message in its attachment, besides its content. */
export interface MessageContext {
  readonly author: Author;
  readonly reference: Reference;
}
