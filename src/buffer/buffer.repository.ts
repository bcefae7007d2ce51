import { Injectable } from '@nestjs/common';
import type { ChannelName } from '../channels';
import { Clock } from '../common/clock';
import {
  type Tx,
  WriteConflictError,
  isUniqueViolation,
  keptPlan,
  namedStatement,
} from '../common/uow';
import {
  type AddedBy,
  type DebounceLimits,
  EXTENSIBLE_JOB,
  addToOpenJob,
  extendJob,
} from '../jobs';
import { type ConversationLimits, CROSSED_LIMIT, CROSSES_CHARS } from './conversation-limits';
import type { FullOf, NotOpen } from './errors';
import type { ContentType } from './message';

/** A message that waits for a reply. */
export interface BufferedMessage {
  readonly id: string;
  readonly seq: number;
  readonly answerId: string;
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
  readonly isPending: boolean;
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

interface AppendedRow {
  readonly messageId: string;
  readonly seq: number;
  readonly answerId: string;
  readonly dueAt: Date;
  readonly dueInMs: number;
  /**
   * Why it is not stored: what the interview says, or the limit of the conversation that it would cross.
   * `other_text`: a message with this id is stored, but with another text, or as a voice.
   */
  readonly refusedBy: NotOpen | FullOf | 'other_text' | null;
  /** This message made its answer long. */
  readonly isLong: boolean;
}

/** What is appended; the names are those of the statement, as those of AppendRules and AddedBy are. */
export interface Append extends MessageName {
  /** Of the new row. */
  readonly messageId: string;
  readonly contentType: ContentType;
  readonly text: string;
  /** The claimed message whose text this one replaces, and the question that was open then. */
  readonly amends: string | null;
  readonly amendedQuestion: string | null;
  readonly chars: number;
  readonly pending: 0 | 1;
  readonly mediaBytes: number;
  /** The setting, which a learned quiet time replaces (AppendRules). */
  readonly windowMs: number;
  /** By how much the end of its text changes the odds that another message follows. */
  readonly endOdds: number;
}

/** By which limits and settings a message is appended: the same for all of a process. */
export interface AppendRules extends DebounceLimits, ConversationLimits {
  /** Messages after which the quiet time is a learned one, within these bounds; null: never. */
  readonly enough: number | null;
  readonly floorMs: number;
  readonly ceilingMs: number;
  /** When an answer counts as long (buffer_long_answer.sql); 0: never. */
  readonly longChars: number;
  readonly longMs: number;
}

/** Typing or recording, and by which limits and settings; the names are those of the statement. */
interface Activity extends AddedBy, DebounceLimits {
  /** The conversation, as the key of its timer. */
  readonly key: string;
  readonly windowMs: number;
  /** Pauses are learned from. */
  readonly learns: boolean;
  readonly longMs: number;
}

interface ExtendedRow {
  readonly dueAt: Date;
  /** This made the answer long. */
  readonly isLong: boolean;
}

/** What an edit or a transcript adds to its conversation's characters; less than 0: it is shorter. */
interface AddedChars {
  readonly conversationId: string;
  readonly chars: number;
  readonly limitChars: number | null;
}

/** The parameters of learn_quiet_time. */
interface LearnedFrom {
  readonly settingMs: number;
  readonly enough: number;
  readonly endOdds: readonly number[];
}

export interface MessageName {
  readonly conversationId: string;
  readonly channel: string;
  readonly externalId: string;
}

/** Of one buffer, or of all (null). */
type WaitingOf = Readonly<{ conversationId: string; answerId: string | null }>;

/** How a channel names the message that its sender wrote last. */
export type LastMessage = Pick<BufferedMessage, 'channel' | 'externalId'>;

/** A voice whose transcript is still to come. */
const PENDING = `(m.content_type = 'VOICE' and m.text = '')`;

const COLUMNS = `m.id, m.seq, m.answer_id as "answerId", m.channel,
  m.external_id as "externalId", m.content_type as "contentType", m.text,
  m.question_context as "questionContext", m.received_at as "receivedAt",
  m.edited_at as "editedAt", m.amends, ${PENDING} as "isPending"`;

/** Messages that wait for a reply: of a conversation, or of one of its buffers. */
const WAITING = `m.conversation_id = $1 and m.role = 'user' and m.cleared_at is null
  and ($2::bigint is null or m.answer_id = $2)`;

/**
 * The candidates' messages and their buffers. Whether something waits is decided by the messages:
 * the job of a buffer is only its timer (DebounceRepository).
 */
@Injectable()
export class BufferRepository {
  constructor(private readonly clock: Clock) {}

  /** The first statement wherever a buffer and its conversation change: one lock order. */
  async lockConversation(tx: Tx, conversationId: string): Promise<void> {
    await tx.query(`select 1 from conversation where id = $1 for no key update`, [conversationId]);
  }

  /**
   * Stores the message in the open buffer, or in a new one, if the interview takes it; a stored message is
   * only found. Locks the conversation. Undefined: there is no such conversation. Throws
   * WriteConflictError if the conversation changed while this waited for its lock.
   */
  async append(
    tx: Tx,
    message: Append,
    rules: AppendRules,
    by: AddedBy,
  ): Promise<AppendedRow | undefined> {
    type Row = Omit<AppendedRow, 'refusedBy'> & { refusedBy: AppendedRow['refusedBy'] | 'changed' };
    const rows = await tx
      .query<Row>(APPEND.text, APPEND.values(message, rules, by))
      .catch((error: unknown) => {
        if (!isUniqueViolation(error, MESSAGE_IDS)) throw error;
        throw new WriteConflictError('the same message was stored meanwhile', { cause: error });
      });
    const [row] = rows;
    if (row === undefined) return undefined;
    const { refusedBy } = row;
    if (refusedBy !== 'changed') return { ...row, refusedBy };
    throw new WriteConflictError('the conversation has changed meanwhile');
  }

  /**
   * Typing or recording extends the wait of the open buffer; the first sign after a message ends the
   * pause that is learned. Undefined: there was nothing to extend.
   */
  async noteActivity(tx: Tx, activity: Activity): Promise<ExtendedRow | undefined> {
    const [row] = await tx.query<ExtendedRow>(ACTIVITY.text, ACTIVITY.values(activity));
    return row;
  }

  /** Under the conversation's lock. */
  async learnQuietTime(tx: Tx, conversationId: string, of: LearnedFrom): Promise<void> {
    const values = [conversationId, of.settingMs, of.enough, of.endOdds];
    await tx.query(`select learn_quiet_time($1, $2::float8, $3::int, $4::float8[])`, values);
  }

  /** In the order of their arrival. */
  listWaiting(tx: Tx, of: WaitingOf): Promise<BufferedMessage[]> {
    return tx.query<BufferedMessage>(
      `select ${COLUMNS} from message m where ${WAITING} order by m.seq`,
      [of.conversationId, of.answerId],
    );
  }

  async hasWaiting(tx: Tx, of: WaitingOf): Promise<boolean> {
    const values = [of.conversationId, of.answerId];
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
  async clear(tx: Tx, answerIds: readonly string[]): Promise<string[]> {
    const rows = await tx.query<{ conversationId: string }>(
      `update message m set cleared_at = coalesce($2::timestamptz, clock_timestamp())
       where m.answer_id = any(${keptPlan('$1::bigint[]')}) and m.role = 'user' and m.cleared_at is null
         and not ${PENDING}
       returning m.conversation_id as "conversationId"`,
      [answerIds, this.clock.databaseNow()],
    );
    return [...new Set(rows.map(({ conversationId }) => conversationId))];
  }

  /**
   * Adds the characters of an edit or a transcript to the conversation's total, under its lock.
   * False: they would cross the limit (null: none), and nothing has changed.
   */
  async countChars(tx: Tx, added: AddedChars): Promise<boolean> {
    const rows = await tx.query(COUNT_CHARS.text, COUNT_CHARS.values(added));
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
      `update message set text = $2, answer_id = null, turn_id = null,
         cleared_at = coalesce($3::timestamptz, clock_timestamp())
       where id = $1`,
      [message.id, message.text, this.clock.databaseNow()],
    );
  }

  /**
   * Moves a message whose buffer got its reply without it. It adds to the answer of that buffer's
   * other messages; if there were none, it is an answer of its own.
   */
  async moveTo(tx: Tx, answerId: string, messageId: string): Promise<void> {
    await tx.query(
      `update message m set answer_id = $1, before_reply = exists (
         select from message o
         where o.answer_id = m.answer_id and o.role = 'user' and o.id <> m.id
           and not (o.content_type = 'VOICE' and o.text = ''))
       where m.id = $2`,
      [answerId, messageId],
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
         from unnest(${keptPlan('$1::text[]')}) as k (key)
         cross join lateral (
           select min(t.due_at) filter (where t.state = 'open') as "dueAt",
             bool_or(t.state <> 'open') as "isReplying"
           from live_job t where t.queue = 'flush' and t.key = k.key) t) p
       where p."isLive" or p.transcribing > 0 or p."filesArriving" > 0`,
      [conversationIds, this.clock.databaseNow()],
    );
  }
}

const MESSAGE_IDS = 'message_conversation_id_channel_external_id_key';

/** The message of the append, if it is stored already. */
const SAME = `m.conversation_id = $conversationId::uuid and m.channel = $channel::text
      and m.external_id = $externalId::text`;

/** Why the conversation `c` does not take the message; null: it takes it. */
const REFUSAL = `coalesce(
      case when $amends::uuid is null then why_not_open(c.status, c.consent_accepted) end,
      ${CROSSED_LIMIT})`;

/**
 * Stores a message in the open buffer, in one statement: every message runs it. The update of
 * `conversation` takes its lock, the number of the message, and the message's part of the limits, all at
 * once. What is stored already, and what is refused, updates nothing, and a stored message is neither
 * refused by a limit nor by the end of the interview.
 *
 * All parts see the rows as they were when the statement began. If it waited for the lock, another
 * transaction may have stored the same message (it then violates the unique index of message ids) or changed
 * what refuses it ('changed'). In both cases the caller runs again.
 *
 * before_reply is true until the turn opens, which decides it (buffer_before_reply.sql).
 */
const APPEND = namedStatement<Append & AppendRules & AddedBy>(`
  with taken as (
    update conversation c set last_seq = c.last_seq + 1, sent_messages = c.sent_messages + 1,
      sent_chars = c.sent_chars + $chars::int,
      sent_audio_bytes = c.sent_audio_bytes + $mediaBytes::bigint,
      channel = case when $amends::uuid is null then $channel::text else c.channel end
    where c.id = $conversationId::uuid and not exists (select from message m where ${SAME})
      and ${REFUSAL} is null
    returning c.id, c.last_seq as seq, c.long_answer,
      coalesce($now::timestamptz, clock_timestamp()) as now,
      case when $amends::uuid is null then open_question(c.state) else $amendedQuestion::text end
        as question,
      case when $enough::int is null or c.quiet_channel is distinct from $channel::text
        then $windowMs::float8
        else least($ceilingMs::float8, greatest($floorMs::float8,
          c.quiet_ms[2 + sign($endOdds::float8 - 1)::int])) end as quiet_ms
  ), timer as (
    ${addToOpenJob(`
      select t.id::text as key, t.now, t.now + t.quiet_ms * interval '1 millisecond' as quiet_at,
        $chars::int as chars, $pending::int as pending from taken t`)}
    returning j.id, j.due_at, j.first_at, j.chars
  ), stored as (
    insert into message (id, conversation_id, seq, role, channel, external_id, content_type, text,
      question_context, amends, received_at, answer_id, before_reply)
    select $messageId::uuid, t.id, t.seq, 'user', $channel::text, $externalId::text,
      $contentType::text, $text::text, t.question, $amends::uuid, t.now, j.id, true
    from taken t cross join timer j
  )
  select $messageId::uuid as "messageId", t.seq, j.id as "answerId", j.due_at as "dueAt",
    extract(epoch from j.due_at - t.now)::float8 * 1000 as "dueInMs", null as "refusedBy",
    case when j.id is distinct from t.long_answer
      and ($longChars::int > 0 and j.chars >= $longChars
        or $longMs::float8 > 0 and t.now >= j.first_at + $longMs * interval '1 millisecond')
      then note_long_answer(t.id, j.id, t.now) else false end as "isLong"
  from taken t cross join timer j
  union all
  select m.id, m.seq, m.answer_id, d.due_at,
    extract(epoch from d.due_at - coalesce($now::timestamptz, clock_timestamp()))::float8 * 1000,
    case when m.content_type = 'TEXT' and m.edited_at is null and m.text <> $text::text
      or $contentType::text = 'TEXT' and m.content_type <> 'TEXT' then 'other_text' end, false
  from message m left join job j on j.id = m.answer_id and j.state in ('open', 'retry')
  cross join lateral (select coalesce(j.due_at, m.received_at) as due_at) d
  where ${SAME} and not exists (select from taken)
  union all
  select null, null, null, null, null, coalesce(${REFUSAL}, 'changed'), false
  from conversation c
  where c.id = $conversationId::uuid and not exists (select from taken)
    and not exists (select from message m where ${SAME})`);

const COUNT_CHARS = namedStatement<AddedChars>(`
  update conversation c set sent_chars = c.sent_chars + $chars::int
  where c.id = $conversationId::uuid and not coalesce(${CROSSES_CHARS}, false) returning 1`);

/**
 * Extends the wait of the conversation's open buffer, never makes it due, and changes nothing in a sealed or
 * full one. The first sign after a message is also noted at that message, because it ends the pause after it
 * (buffer_quiet_time.sql); only at one of the locked job, because a commit that clears another one locks that
 * first. When the answer becomes long, the conversation is locked before its job, as for a message.
 */
const ACTIVITY = namedStatement<Activity>(`
  with found as (
    select f.id, c.now, c.now + $windowMs::float8 * interval '1 millisecond' as quiet_at,
      case when $longMs::float8 > 0 and c.now >= f.first_at + $longMs * interval '1 millisecond'
        then note_long_answer($key::uuid, f.id, c.now) else false end as is_long
    from (${EXTENSIBLE_JOB}) f
    cross join (select coalesce($now::timestamptz, clock_timestamp()) as now offset 0) c
  ), extended as (
    ${extendJob('select f.id, f.now, f.quiet_at from found f')}
    returning j.id, j.due_at, e.now
  ), typed as (
    update message m set typed_at = e.now from extended e
    where $learns::bool and m.typed_at is null and m.answer_id = e.id and m.id = (
      select l.id from message l
      where l.conversation_id = $key::uuid and l.role = 'user' and l.amends is null
      order by l.seq desc limit 1)
  )
  select e.due_at as "dueAt", f.is_long as "isLong" from extended e join found f on f.id = e.id`);
