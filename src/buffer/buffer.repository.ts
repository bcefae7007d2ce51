import type { BufferLimits } from './debounce-windows';
import {
  limitParameters,
  limitValues,
  type Statement,
  dueAt,
  milliseconds,
  writeTime,
} from './debounce.repository';

export interface AppendedRow {
  readonly messageId: string;
  readonly seq: number;
  readonly bufferId: string;
  readonly dueAt: Date;
  readonly isNew: boolean;
  /** Known by its id, but with another text, or as a voice. */
  readonly hasOtherText: boolean;
  /** Why it is not stored: the limit of the conversation that it would cross, or not open. */
  readonly refusedBy: 'messages' | 'chars' | 'audio' | NotOpen | null;
}

/** Why a conversation takes no message of its candidate; `consent` and `profile` are to come. */
export type NotOpen = 'unknown' | 'closed' | 'consent' | 'profile';

/** What one conversation takes of its candidate, altogether. */
interface ConversationLimits {
  readonly messages: number;
  readonly chars: number;
  readonly audioBytes: number;
}

/** When a message joins, and who stores it. */
export interface InvitationJoin {
  readonly weight: number;
  readonly holds: 0 | 1;
  readonly windowMs: number;
  readonly limits: BufferLimits;
  readonly replica: string;
  readonly now: Date | null;
}

/** Composed once: a new string for each message would be hashed again to find what is prepared. */
const APPEND = `
    select a.message_id as "messageId", a.seq, a.buffer_id as "bufferId", a.due_at as "dueAt",
      a.is_new as "isNew", a.has_other_text as "hasOtherText", a.refused_by as "refusedBy"
    from buffer_append($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13,
      ${limitParameters(14)}, $17, $18, $19, $20, $21) a
    where a.seq is not null or a.refused_by is not null`;

/**
 * Locks the conversation, numbers and stores the message, opens or extends its buffer. With
 * `fromCandidate` only in an open interview, which reads the question from its plan.
 */
export function append(
  message: {
    id: string;
    conversationId: string;
    channel: string;
    externalId: string;
    contentType: string;
    text: string;
    questionContext: string | null;
    amends: string | null;
    audioBytes: number;
    fromCandidate: boolean;
  },
  joining: InvitationJoin,
  limits: ConversationLimits,
): Statement {
  return {
    text: APPEND,
    values: [
      message.conversationId,
      message.id,
      message.channel,
      message.externalId,
      message.contentType,
      message.text,
      message.questionContext,
      message.amends,
      joining.weight,
      joining.holds,
      joining.replica,
      joining.now,
      joining.windowMs,
      ...limitValues(joining.limits),
      message.audioBytes,
      limits.messages,
      limits.chars,
      limits.audioBytes,
      message.fromCandidate,
    ],
  };
}

/** The conversation's open buffer, or a new one, takes a stored message. Under its lock. */
export function join(conversationId: string, joining: InvitationJoin): Statement {
  return {
    text: `
    select j.buffer_id as "bufferId", j.due_at as "dueAt"
    from buffer_join($1, $2, $3, $4, $5, $6, ${limitParameters(7)}) j`,
    values: [
      conversationId,
      joining.weight,
      joining.holds,
      joining.replica,
      joining.now,
      joining.windowMs,
      ...limitValues(joining.limits),
    ],
  };
}

/** The messages of buffers: the only place that says what is waiting for a reply. */

/** A voice whose transcript is still to come. */
const HELD = `(m.content_type = 'VOICE' and m.text = '')`;

const COLUMNS = `m.id, m.seq, m.buffer_id as "bufferId", m.channel,
  m.external_id as "externalId", m.content_type as "contentType", m.text,
  m.question_context as "questionContext", m.received_at as "receivedAt",
  m.edited_at as "editedAt", m.before_reply as "beforeReply", m.amends, ${HELD} as "isHeld"`;

const WAITING = `m.conversation_id = $1 and m.role = 'user' and m.cleared_at is null
  and ($2::bigint is null or m.buffer_id = $2)`;

export interface BufferOf {
  readonly conversationId: string;
  readonly bufferId: string | null;
}

export function waiting({ conversationId, bufferId }: BufferOf): Statement {
  return {
    text: `select ${COLUMNS} from message m where ${WAITING} order by m.seq`,
    values: [conversationId, bufferId],
  };
}

export function hasWaiting({ conversationId, bufferId }: BufferOf): Statement {
  return {
    text: `select exists (select from message m where ${WAITING}) as "hasBuffer"`,
    values: [conversationId, bufferId],
  };
}

export function find(message: {
  conversationId: string;
  channel: string;
  externalId: string;
}): Statement {
  return {
    text: `
    select ${COLUMNS} from message m
    where m.conversation_id = $1 and m.channel = $2 and m.external_id = $3`,
    values: [message.conversationId, message.channel, message.externalId],
  };
}

/** The newest text of a message that was edited after its claim. */
export function lastCorrection(conversationId: string, messageId: string): Statement {
  return {
    text: `
    select ${COLUMNS} from message m
    where m.conversation_id = $1 and m.amends = $2 order by m.seq desc limit 1`,
    values: [conversationId, messageId],
  };
}

/** A voice that still waits for its transcript stays: it joins a later buffer. */
export function clear(options: { bufferIds: readonly string[]; now: Date | null }): Statement {
  return {
    text: `
    update message m set cleared_at = ${writeTime('$2')}
    where m.buffer_id = any($1::bigint[]) and m.role = 'user' and m.cleared_at is null
      and not ${HELD}
    returning m.conversation_id as "conversationId"`,
    values: [options.bufferIds, options.now],
  };
}

/** Keeps the buffer's row unclaimed for the rest of the commit; no row: a claim has sealed it. */
export function lockOpenBuffer(bufferId: string): Statement {
  return {
    text: `select 1 from job where id = $1 and state = 'open' for no key update`,
    values: [bufferId],
  };
}

/**
 * Counts an edit or a transcript among what the conversation's candidate has sent, under its lock.
 * No row: it would cross `maxChars`, and nothing has changed. Null: whatever it comes to.
 */
export function countChars(
  conversationId: string,
  change: { chars: number; maxChars: number | null },
): Statement {
  return {
    text: `
    update conversation set sent_chars = sent_chars + $2::int
    where id = $1 and ($2 <= 0 or $3::bigint is null or sent_chars + $2 <= $3)
    returning 1`,
    values: [conversationId, change.chars, change.maxChars],
  };
}

export function setText(message: { id: string; text: string; now: Date | null }): Statement {
  return {
    text: `
    update message m set text = $2, edited_at = ${writeTime('$3')} where m.id = $1`,
    values: [message.id, message.text, message.now],
  };
}

/** A transcript is the first text of its message, not an edit. */
export function setTranscript(message: { id: string; text: string }): Statement {
  return { text: `update message set text = $2 where id = $1`, values: [message.id, message.text] };
}

/** Out of every answer: `text` stands for it in the transcript. */
export function takeOut(message: { id: string; text: string; now: Date | null }): Statement {
  return {
    text: `
    update message
    set text = $2, buffer_id = null, turn_id = null, cleared_at = ${writeTime('$3')}
    where id = $1`,
    values: [message.id, message.text, message.now],
  };
}

/**
 * Another weight or one hold less, in a row that `lockOpenBuffer` has locked. Extends like typing
 * where `windowMs` says so, but never after Done.
 */
export function reweigh(
  bufferId: string,
  change: {
    weightChange: number;
    holdsReleased: 0 | 1;
    windowMs: number;
    limits: BufferLimits;
    now: Date | null;
  },
): Statement {
  const quietAt = `case when t.sealed or $4 = 0 then t.quiet_at
        else greatest(t.quiet_at, ${writeTime('$5')} + ${milliseconds('$4')}) end`;
  const weight = `t.weight + $2::int`;
  const holds = `greatest(t.holds - $3::int, 0)`;
  const due = dueAt({
    quietAt,
    weight,
    holds,
    now: writeTime('$5'),
    limits: limitParameters(6),
  });
  return {
    text: `
    update job t
    set weight = ${weight}, holds = ${holds}, quiet_at = ${quietAt}, due_at = ${due}
    where t.id = $1`,
    values: [
      bufferId,
      change.weightChange,
      change.holdsReleased,
      change.windowMs,
      change.now,
      ...limitValues(change.limits),
    ],
  };
}

/**
 * Moves a message that its buffer left behind. It adds to the answer that the rest of that buffer
 * got; where there was no rest, it is an answer of its own.
 */
export function moveTo(bufferId: string, messageId: string): Statement {
  return {
    text: `
    update message m
    set buffer_id = $1, before_reply = exists (
      select from message o
      where o.buffer_id = m.buffer_id and o.role = 'user' and o.id <> m.id
        and not (o.content_type = 'VOICE' and o.text = ''))
    where m.id = $2`,
    values: [bufferId, messageId],
  };
}
