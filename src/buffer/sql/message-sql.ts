import type { BufferLimits } from '../windows';
import { dueAt, limitParameters, limitValues, milliseconds, writeTime } from './formula';
import type { Statement } from './statement';

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
    text: `select 1 from task where id = $1 and state = 'open' for no key update`,
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
    update task t
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
