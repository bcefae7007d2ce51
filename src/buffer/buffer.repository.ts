import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Clock } from '../common/clock';
import { currentTraceparent } from '../common/tracing';
import { type Tx, WriteConflictError, isUniqueViolation } from '../common/uow';
import { type DebounceLimits, ReplicaId } from '../jobs';
import type { Pace } from './answer-pace';
import type { ContentType } from './message-intake';

/** A message that waits for a reply. */
export interface BufferedMessage {
  readonly id: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly channel: ChannelName;
  readonly externalId: string;
  readonly contentType: ContentType;
  readonly text: string;
  readonly questionContext: string | null;
  readonly receivedAt: Date;
  readonly editedAt: Date | null;
  /** The message that it corrects. */
  readonly amends: string | null;
  /** A voice whose transcript is still to come. */
  readonly isHeld: boolean;
}

/** The open buffer's timer, if there is one, and what else is being worked on. */
export interface PendingWork {
  readonly dueAt: Date | null;
  /** Null without a timer, and while a voice holds it open. */
  readonly dueInMs: number | null;
  readonly isReplying: boolean;
  /** Voices whose transcript is still to come. */
  readonly transcribing: number;
  /** Files that another channel has not delivered yet. */
  readonly filesArriving: number;
}

/**
 * Why a conversation takes no message of its candidate. `unknown`: there is no such conversation;
 * `closed`: declined or withdrawn; `consent`, `profile`: these are still missing.
 */
export type NotOpen = 'unknown' | 'closed' | 'consent' | 'profile';

export interface AppendedRow {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly dueAt: Date;
  readonly dueInMs: number;
  /**
   * Why it is not stored: the limit of the conversation that it would cross, or not open. `other_text`: a
   * message with this id is stored, but with another text, or as a voice.
   */
  readonly refusedBy: 'messages' | 'chars' | 'audio' | 'other_text' | NotOpen | null;
  /** This message made its answer long. */
  readonly isLong: boolean;
}

/** What one conversation accepts from its candidate, in total. */
interface ConversationLimits {
  readonly messages: number;
  readonly chars: number;
  readonly audioBytes: number;
}

/** The parameters of learn_quiet_time. */
interface LearnedFrom {
  readonly settingMs: number;
  readonly enough: number;
  readonly endOdds: readonly number[];
}

/** What a message adds to its buffer, and how long the buffer then waits. */
export interface Addition {
  readonly weight: number;
  readonly holds: 0 | 1;
  readonly windowMs: number;
  readonly limits: DebounceLimits;
}

export interface MessageName {
  readonly conversationId: string;
  readonly channel: string;
  readonly externalId: string;
}

/** Of one buffer, or of all (null). */
type WaitingOf = Readonly<{ conversationId: string; bufferId: string | null }>;

/** How a channel names the message that its sender wrote last. */
export type LastMessage = Pick<BufferedMessage, 'channel' | 'externalId'>;

/** Composed once: the driver hashes the text of each statement to find the prepared one. */
const APPEND = `
    select a.message_id as "messageId", a.seq, a.buffer_id as "bufferId", a.due_at as "dueAt",
      extract(epoch from a.due_at - coalesce($12, clock_timestamp()))::float8 * 1000 as "dueInMs",
      case when a.has_other_text then 'other_text' else a.refused_by end as "refusedBy",
      a.is_long as "isLong"
    from buffer_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14::float8, $15::int,
      $16::int, $17, $18, $19, $20, $21, $22::float8, $23::int, $24::float8, $25::float8, $26::int,
      $27::float8, $28) a
    where a.seq is not null or a.refused_by is not null`;

const MESSAGE_IDS = 'message_conversation_id_channel_external_id_key';
/** A voice whose transcript is still to come. */
const HELD = `(m.content_type = 'VOICE' and m.text = '')`;

const COLUMNS = `m.id, m.seq, m.buffer_id as "bufferId", m.channel,
  m.external_id as "externalId", m.content_type as "contentType", m.text,
  m.question_context as "questionContext", m.received_at as "receivedAt",
  m.edited_at as "editedAt", m.amends, ${HELD} as "isHeld"`;

/** Messages that wait for a reply: of a conversation, or of one of its buffers. */
const WAITING = `m.conversation_id = $1 and m.role = 'user' and m.cleared_at is null
  and ($2::bigint is null or m.buffer_id = $2)`;

/**
 * The candidates' messages and their buffers. Whether something waits is decided by the messages:
 * the job of a buffer is only its timer (DebounceRepository).
 */
@Injectable()
export class BufferRepository {
  constructor(
    private readonly clock: Clock,
    private readonly replica: ReplicaId,
  ) {}

  /** The first statement wherever a buffer and its conversation change: one lock order. */
  async lockConversation(tx: Tx, conversationId: string): Promise<void> {
    await tx.query(`select 1 from conversation where id = $1 for no key update`, [conversationId]);
  }

  /**
   * Locks the conversation, numbers and stores the message, opens or extends its buffer. With
   * `fromCandidate` only into an open interview, whose plan then gives the question. A stored message
   * is only found. Throws WriteConflictError if it was stored at the same time.
   */
  async append(
    tx: Tx,
    message: MessageName & {
      id: string;
      contentType: string;
      text: string;
      questionContext: string | null;
      amends: string | null;
      mediaBytes: number;
      fromCandidate: boolean;
      /** By how much the end of its text changes the odds that another message follows. */
      endOdds: number;
    },
    { weight, holds, windowMs, limits }: Addition,
    total: ConversationLimits,
    { learning, longChars, longMs }: Pace,
  ): Promise<AppendedRow | undefined> {
    const values = [
      message.conversationId,
      message.id,
      message.channel,
      message.externalId,
      message.contentType,
      message.text,
      message.questionContext,
      message.amends,
      weight,
      holds,
      this.replica.value,
      this.clock.databaseNow(),
      windowMs,
      limits.maxWaitMs,
      limits.maxSize,
      limits.maxChars,
      message.mediaBytes,
      total.messages,
      total.chars,
      total.audioBytes,
      message.fromCandidate,
      message.endOdds,
      learning?.enough ?? null,
      learning?.floorMs ?? 0,
      learning?.ceilingMs ?? 0,
      longChars,
      longMs,
      currentTraceparent(),
    ];
    const rows = await tx.query<AppendedRow>(APPEND, values).catch((error: unknown) => {
      if (!isUniqueViolation(error, MESSAGE_IDS)) throw error;
      throw new WriteConflictError('the same message was stored meanwhile', { cause: error });
    });
    return rows[0];
  }

  /**
   * Typing or recording extends the wait of the open buffer; the first sign after a message ends the
   * pause that is learned. Undefined: there was nothing to extend.
   */
  async noteActivity(
    tx: Tx,
    conversationId: string,
    { windowMs, limits }: { windowMs: number; limits: DebounceLimits },
    { learning, longMs }: Pace,
  ): Promise<{ dueAt: Date; isLong: boolean } | undefined> {
    const { maxWaitMs, maxSize, maxChars } = limits;
    const now = this.clock.databaseNow();
    const [row] = await tx.query<{ dueAt: Date; isLong: boolean }>(
      `select a.due_at as "dueAt", a.is_long as "isLong"
       from buffer_activity($1, $2, $3::float8, $4::float8, $5::int, $6::int, $7, $8::float8) a`,
      [conversationId, now, windowMs, maxWaitMs, maxSize, maxChars, learning !== null, longMs],
    );
    return row;
  }

  /** Under the conversation's lock. */
  async learnQuietTime(tx: Tx, conversationId: string, of: LearnedFrom): Promise<void> {
    const values = [conversationId, of.settingMs, of.enough, of.endOdds];
    await tx.query(`select learn_quiet_time($1, $2::float8, $3::int, $4::float8[])`, values);
  }

  /** Adds a stored message to the conversation's open buffer, or to a new one. Under its lock. */
  async join(
    tx: Tx,
    conversationId: string,
    { weight, holds, windowMs, limits }: Addition,
  ): Promise<{ bufferId: string }> {
    const [row] = await tx.query<{ bufferId: string }>(
      `select j.buffer_id as "bufferId"
       from buffer_join($1, $2, $3, $4, $5, $6, $7::float8, $8::int, $9::int, $10) j`,
      [
        conversationId,
        weight,
        holds,
        this.replica.value,
        this.clock.databaseNow(),
        windowMs,
        limits.maxWaitMs,
        limits.maxSize,
        limits.maxChars,
        currentTraceparent(),
      ],
    );
    if (row === undefined) throw new Error('buffer_join returned no buffer');
    return row;
  }

  /** In the order of their arrival. */
  listWaiting(tx: Tx, of: WaitingOf): Promise<BufferedMessage[]> {
    return tx.query<BufferedMessage>(
      `select ${COLUMNS} from message m where ${WAITING} order by m.seq`,
      [of.conversationId, of.bufferId],
    );
  }

  async hasWaiting(tx: Tx, of: WaitingOf): Promise<boolean> {
    const values = [of.conversationId, of.bufferId];
    return (await tx.query(`select 1 from message m where ${WAITING} limit 1`, values)).length > 0;
  }

  async find(tx: Tx, named: MessageName): Promise<BufferedMessage | undefined> {
    const rows = await tx.query<BufferedMessage>(
      `select ${COLUMNS} from message m
       where m.conversation_id = $1 and m.channel = $2 and m.external_id = $3`,
      [named.conversationId, named.channel, named.externalId],
    );
    return rows[0];
  }

  /** Whether the candidate has written nothing since this message, on any channel. */
  async isNewest(tx: Tx, conversationId: string, message: LastMessage): Promise<boolean> {
    const [newest] = await tx.query<{ channel: string; externalId: string }>(
      `select m.channel, m.external_id as "externalId" from message m
       where m.conversation_id = $1 and m.role = 'user' order by m.seq desc limit 1`,
      [conversationId],
    );
    return newest?.channel === message.channel && newest.externalId === message.externalId;
  }

  /** The newest text of a message that was edited after its claim. */
  async findLastCorrection(
    tx: Tx,
    conversationId: string,
    messageId: string,
  ): Promise<BufferedMessage | undefined> {
    const rows = await tx.query<BufferedMessage>(
      `select ${COLUMNS} from message m
       where m.conversation_id = $1 and m.amends = $2 order by m.seq desc limit 1`,
      [conversationId, messageId],
    );
    return rows[0];
  }

  /**
   * The messages of these buffers wait no more; returns their conversations. A voice that still has
   * no transcript stays: it joins a later buffer.
   */
  async clear(tx: Tx, bufferIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ conversationId: string }>(
      `update message m set cleared_at = coalesce($2::timestamptz, clock_timestamp())
       where m.buffer_id = any($1::bigint[]) and m.role = 'user' and m.cleared_at is null
         and not ${HELD}
       returning m.conversation_id as "conversationId"`,
      [bufferIds, this.clock.databaseNow()],
    );
    return [...new Set(rows.map(({ conversationId }) => conversationId))];
  }

  /**
   * Adds the characters of an edit or a transcript to the conversation's total, under its lock.
   * False: they would cross `maxChars` (null: no limit), and nothing has changed.
   */
  async countChars(
    tx: Tx,
    conversationId: string,
    change: { chars: number; maxChars: number | null },
  ): Promise<boolean> {
    const values = [conversationId, change.chars, change.maxChars];
    const rows = await tx.query(
      `update conversation set sent_chars = sent_chars + $2::int
       where id = $1 and ($2 <= 0 or $3::bigint is null or sent_chars + $2 <= $3) returning 1`,
      values,
    );
    return rows.length > 0;
  }

  async setText(tx: Tx, message: { id: string; text: string }): Promise<void> {
    await tx.query(
      `update message m set text = $2, edited_at = coalesce($3::timestamptz, clock_timestamp())
       where m.id = $1`,
      [message.id, message.text, this.clock.databaseNow()],
    );
  }

  /** A transcript is the first text of its message, not an edit. */
  async setTranscript(tx: Tx, message: { id: string; text: string }): Promise<void> {
    await tx.query(`update message set text = $2 where id = $1`, [message.id, message.text]);
  }

  /** Removes a message from its buffer and turn; the transcript shows `text` for it. */
  async takeOut(tx: Tx, message: { id: string; text: string }): Promise<void> {
    await tx.query(
      `update message set text = $2, buffer_id = null, turn_id = null,
         cleared_at = coalesce($3::timestamptz, clock_timestamp())
       where id = $1`,
      [message.id, message.text, this.clock.databaseNow()],
    );
  }

  /**
   * Moves a message whose buffer got its reply without it. It adds to the answer of that buffer's
   * other messages; if there were none, it is an answer of its own.
   */
  async moveTo(tx: Tx, bufferId: string, messageId: string): Promise<void> {
    await tx.query(
      `update message m set buffer_id = $1, before_reply = exists (
         select from message o
         where o.buffer_id = m.buffer_id and o.role = 'user' and o.id <> m.id
           and not (o.content_type = 'VOICE' and o.text = ''))
       where m.id = $2`,
      [bufferId, messageId],
    );
  }

  /**
   * By conversation, the timer of the answer that is being collected, whether an earlier one is
   * being replied to, how many voices have no transcript yet, and how many files of another channel
   * have not arrived; no row where there is none of these. A voice or a file may outlive its buffer,
   * so both are counted separately.
   */
  pending(
    tx: Tx,
    conversationIds: readonly string[],
  ): Promise<(PendingWork & { conversationId: string })[]> {
    return tx.query(
      `select p.key as "conversationId", p."dueAt",
         case when isfinite(p."dueAt") then greatest(0, extract(epoch from
           p."dueAt" - coalesce($2::timestamptz, clock_timestamp())) * 1000)::int end as "dueInMs",
         p."isReplying", p.transcribing, p."filesArriving"
       from (
         select k.key, t."dueAt", coalesce(t."isReplying", false) as "isReplying",
           t."isReplying" is not null as "isLive",
           (select count(*)::int from message m
             where m.conversation_id = k.key::uuid and m.role = 'user' and m.cleared_at is null
               and m.content_type = 'VOICE' and m.text = '') as transcribing,
           (select count(*)::int from file f join message m on m.id = f.message_id
             where f.state = 'announced' and m.conversation_id = k.key::uuid) as "filesArriving"
         from unnest($1::text[]) as k (key)
         left join (
           select t.key, min(t.due_at) filter (where t.state = 'open') as "dueAt",
             bool_or(t.state <> 'open') as "isReplying"
           from job t
           where t.queue = 'flush' and t.key = any($1::text[])
             and t.state in ('open', 'running', 'retry')
           group by t.key) t on t.key = k.key) p
       where p."isLive" or p.transcribing > 0 or p."filesArriving" > 0`,
      [conversationIds, this.clock.databaseNow()],
    );
  }
}
