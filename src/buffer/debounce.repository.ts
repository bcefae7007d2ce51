import type { Tx } from '../common/uow';
import type { BufferLimits } from './debounce-windows';

/** One SQL statement as a value. */
export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

export function run<Row>(tx: Tx, statement: Statement): Promise<Row[]> {
  return tx.query<Row>(statement.text, statement.values);
}

/** The first statement wherever a buffer and its conversation change: one lock order. */
export function lockConversation(conversationId: string): Statement {
  return {
    text: `select 1 from conversation where id = $1 for no key update`,
    values: [conversationId],
  };
}

/**
 * The due time of a buffer: its quiet time has passed, or a limit is reached, or the longest wait
 * is over; a hold waits for the last of these only. `buffer_due_at` in the database is the only
 * place that computes it: a statement says here what it changes and leaves the rest to `t`.
 */
export function dueAt(parts: {
  now: string;
  limits: string;
  quietAt?: string;
  weight?: string;
  holds?: string;
}): string {
  const { now, limits, quietAt = 't.quiet_at', weight = 't.weight', holds = 't.holds' } = parts;
  return `buffer_due_at(t.first_at, ${quietAt}, t.count, ${weight}, ${holds}, ${now}, ${limits})`;
}

/** Placeholders of `limitValues`, beginning with `$first`. */
export function limitParameters(first: number): string {
  return `$${first}::float8, $${first + 1}::int, $${first + 2}::int`;
}

export function limitValues(limits: BufferLimits): number[] {
  return [limits.maxWaitMs, limits.maxSize, limits.maxChars];
}

/** What time a statement writes. */
export function writeTime(parameter: string): string {
  return `coalesce(${parameter}::timestamptz, clock_timestamp())`;
}

/** What time a statement compares with: a volatile clock would defeat the index. */
export function readTime(parameter: string): string {
  return `coalesce(${parameter}::timestamptz, now())`;
}

export function milliseconds(parameter: string): string {
  return `${parameter}::float8 * interval '1 millisecond'`;
}

/**
 * What moves an open buffer's due time without adding a message. The job row is only the timer:
 * whether there are messages is never asked of it.
 */

const OPEN = `t.queue = 'flush' and t.key = $1 and t.state = 'open'`;

export interface Moment {
  readonly limits: BufferLimits;
  readonly now: Date | null;
}

/**
 * Typing or recording: extends, never shortens, never flushes; nothing after Done or when full.
 * It locks one row only, so it needs no place in the lock order.
 */
export function extend(conversationId: string, activity: Moment & { windowMs: number }): Statement {
  const quietAt = `greatest(t.quiet_at, ${writeTime('$2')} + ${milliseconds('$3')})`;
  return {
    text: `
    update job t
    set quiet_at = ${quietAt},
      due_at = ${dueAt({ quietAt, now: writeTime('$2'), limits: limitParameters(4) })}
    where ${OPEN} and not t.sealed and t.count < $5 and t.weight < $6
    returning t.due_at as "dueAt"`,
    values: [conversationId, activity.now, activity.windowMs, ...limitValues(activity.limits)],
  };
}

/** Done: due after a short wait, whatever the quiet time was. Pressed again it changes nothing. */
export function seal(conversationId: string, done: Moment & { windowMs: number }): Statement {
  const quietAt = `case when t.sealed then t.quiet_at
        else ${writeTime('$2')} + ${milliseconds('$3')} end`;
  return {
    text: `
    update job t
    set sealed = true, quiet_at = ${quietAt},
      due_at = ${dueAt({ quietAt, now: writeTime('$2'), limits: limitParameters(4) })}
    where ${OPEN}
    returning t.due_at as "dueAt"`,
    values: [conversationId, done.now, done.windowMs, ...limitValues(done.limits)],
  };
}

export interface PendingRow {
  readonly conversationId: string;
  readonly dueAt: Date | null;
  readonly isAnswering: boolean;
  readonly transcribing: number;
  readonly filesArriving: number;
}

/**
 * By conversation, the timer of the answer that is being collected, whether an earlier one is
 * worked on, how many voices are still to be heard, and how many files of another channel are still
 * on their way; no row where there is none of these. A voice or a file may outlive its buffer, so
 * both are looked for by themselves.
 */
export function pending(conversationIds: readonly string[]): Statement {
  return {
    text: `
    select p.key as "conversationId", p."dueAt", p."isAnswering", p.transcribing,
      p."filesArriving"
    from (
      select k.key, t."dueAt", coalesce(t."isAnswering", false) as "isAnswering",
        t."isAnswering" is not null as "isLive",
        (select count(*)::int from message m
          where m.conversation_id = k.key::uuid and m.role = 'user' and m.cleared_at is null
            and m.content_type = 'VOICE' and m.text = '') as transcribing,
        (select count(*)::int from file f join message m on m.id = f.message_id
          where f.state = 'announced' and m.conversation_id = k.key::uuid) as "filesArriving"
      from unnest($1::text[]) as k (key)
      left join (
        select t.key, min(t.due_at) filter (where t.state = 'open') as "dueAt",
          bool_or(t.state <> 'open') as "isAnswering"
        from job t
        where t.queue = 'flush' and t.key = any($1::text[])
          and t.state in ('open', 'running', 'retry')
        group by t.key) t on t.key = k.key) p
    where p."isLive" or p.transcribing > 0 or p."filesArriving" > 0`,
    values: [conversationIds],
  };
}

/**
 * Makes open buffers without holds due now. A row that is locked is skipped: whoever holds it is
 * adding a message.
 */
export function makeDue(options: { replica: string | null; now: Date | null }): Statement {
  return {
    text: `
    with picked as (
      select t.id from job t
      where t.queue = 'flush' and t.state = 'open' and t.holds = 0
        and t.due_at > ${readTime('$1')} and ($2::text is null or t.worker = $2)
      order by t.id
      for no key update skip locked)
    update job t
    set quiet_at = ${writeTime('$1')}, due_at = ${writeTime('$1')}
    from picked where t.id = picked.id
    returning t.id`,
    values: [options.now, options.replica],
  };
}

/**
 * What makeDue picks from, whether it is due already, locked, or behind a running one; and what the
 * replica has claimed: until it is answered, a claimed buffer may be put back.
 */
export function countOwn(replica: string): Statement {
  return {
    text: `
    select count(*)::int as "count" from job t
    where t.queue = 'flush' and t.worker = $1
      and (t.state = 'open' and t.holds = 0 or t.state = 'running')`,
    values: [replica],
  };
}

export interface OpenBuffers {
  readonly buffers: number;
  readonly meanSize: number;
}

/** The open buffers of the database, for the metrics. */
export function measureOpen(): Statement {
  return {
    text: `
    select count(*)::int as "buffers", coalesce(avg(t.count), 0)::float8 as "meanSize"
    from job t where t.queue = 'flush' and t.state = 'open'`,
    values: [],
  };
}
