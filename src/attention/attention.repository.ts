import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { PayloadOf } from '../common/events';
import type { Tx } from '../common/uow';
import { ATTENTION_COLUMNS, AttentionItem } from './attention.entity';

const MAX_LISTED = 200;
const MAX_ANNOUNCED = 100;
const MAX_WAITING = 200;

/** The item that this one is listed under. */
const OPEN_ABOVE = `select 1 from attention above
  where above.kind = 'model' and above.subject = attention.under and above.closed_at is null`;

/**
 * Under an open item it needs no alert: that item had one. $8: nor does what a person knows. Nobody is needed for a
 * preview.
 */
const ADD = `
insert into attention (kind, subject, conversation_id, job_id, reason, created_at, under, alerted_at)
select $1, $2, $3::uuid, $4::bigint, $5, coalesce($6::timestamptz, clock_timestamp()), $7::text,
  case when $8 then coalesce($6::timestamptz, clock_timestamp())
    else (select coalesce($6::timestamptz, clock_timestamp()) from attention above
      where above.kind = 'model' and above.subject = $7::text and above.closed_at is null) end
where not exists (select from conversation c where c.id = $3::uuid and c.is_preview)
on conflict (kind, subject) where closed_at is null do nothing
returning id, conversation_id as "conversationId"`;

/**
 * Closed items are listed by themselves, and so is an open one whose item above is closed. $4: only items
 * about interviews of these vacancies, which are all listed by themselves, because the item above belongs to none.
 * $5: only items of this kind.
 */
const LIST = `
select ${ATTENTION_COLUMNS} from attention
where id > $1 and case $2
    when 'open' then closed_at is null and ($4::uuid[] is not null or not exists (${OPEN_ABOVE}))
    when 'closed' then closed_at is not null
    else true end
  and ($4::uuid[] is null or exists (select 1 from conversation c
    where c.id = attention.conversation_id and c.vacancy_id = any($4::uuid[])))
  and ($5::text is null or kind = $5)
order by id limit $3`;

const LIST_UNDER = `
select ${ATTENTION_COLUMNS} from attention
where under = $1 and closed_at is null and id > $2
order by id limit $3`;

const COUNT_UNDER = `
select under as subject, count(*)::int as count from attention
where under = any($1) and closed_at is null group by under`;

const WAS_CLOSED = `
select 1 from attention
where kind = $1 and subject = $2 and closed_by <> 'colloquy'
  and closed_at > coalesce($4::timestamptz, now()) - $3::float8 * interval '1 millisecond'
limit 1`;

const CLOSE = `
update attention set closed_at = coalesce($4::timestamptz, clock_timestamp()),
  closed_by = $2, resolution = $3
where id = $1 and closed_at is null
returning ${ATTENTION_COLUMNS}`;

const CLOSE_SUBJECT = `
update attention set closed_at = coalesce($3::timestamptz, clock_timestamp()),
  closed_by = $4, resolution = $2
where subject = $1 and closed_at is null
returning id, conversation_id as "conversationId"`;

const TAKE_NEW = `
update attention set alert_due_at = coalesce($1::timestamptz, clock_timestamp()),
  alerted_at = case when $2 then null else coalesce($1::timestamptz, clock_timestamp()) end
where id in (
  select id from attention where alerted_at is null and alert_due_at is null
  order by id limit ${String(MAX_ANNOUNCED)} for update skip locked)
returning ${ATTENTION_COLUMNS}`;

const CLAIM_ALERT = `
update attention
set alert_due_at = coalesce($1::timestamptz, clock_timestamp()) + $2 * interval '1 millisecond'
where id = (
  select id from attention
  where alerted_at is null and closed_at is null
    and alert_due_at <= coalesce($1::timestamptz, now())
  order by alert_due_at limit 1 for update skip locked)
returning ${ATTENTION_COLUMNS}`;

const ALERT_SENT = `
update attention set alerted_at = coalesce($2::timestamptz, clock_timestamp()) where id = $1`;

const POSTPONE_ALERT = `
update attention
set alert_due_at = coalesce($2::timestamptz, clock_timestamp()) + least(interval '10 minutes',
  greatest(interval '10 seconds',
    (coalesce($2::timestamptz, clock_timestamp()) - created_at) / 2))
where id = $1 and alerted_at is null`;

const ADD_WAITING = `
insert into attention (kind, subject, conversation_id, job_id, under, alerted_at, reason, created_at)
select 'waiting', 'job:' || t.id,
  conversation_of_job(t.queue, t.key), t.id, a.under,
  (select coalesce($1::timestamptz, clock_timestamp()) from attention above
    where above.kind = 'model' and above.subject = a.under and above.closed_at is null),
  format('a job of the queue "%s" has waited since %s UTC after %s tries and is still retried; last error: %s',
    t.queue, to_char(t.given_back_since at time zone 'UTC', 'YYYY-MM-DD HH24:MI'),
    t.given_back + t.failures, coalesce(t.last_error, 'unknown')),
  coalesce($1::timestamptz, clock_timestamp())
from live_job t
  cross join lateral (select case
    when t.queue = 'flush' and t.last_error like 'model_unavailable:%' then 'model:unavailable' end) a (under)
where t.given_back_since is not null
  and t.given_back_since <= coalesce($1::timestamptz, now()) - $2::float8 * interval '1 millisecond'
  and not exists (select 1 from attention a where a.kind = 'waiting' and a.job_id = t.id)
  and not exists (select from conversation c
    where c.id = conversation_of_job(t.queue, t.key) and c.is_preview)
order by t.given_back_since limit ${String(MAX_WAITING)}
on conflict (kind, subject) where closed_at is null do nothing
returning id, conversation_id as "conversationId"`;

const CLOSE_WAITING = `
update attention a
set closed_at = coalesce($1::timestamptz, clock_timestamp()), closed_by = 'colloquy',
  resolution = 'the job is not waiting any more'
where a.kind = 'waiting' and a.closed_at is null
  and not exists (
    select 1 from live_job t where t.id = a.job_id and t.given_back_since is not null)
returning id, conversation_id as "conversationId"`;

/** An item that a statement has added or closed. */
export type ChangedItem = Pick<AttentionItem, 'id' | 'conversationId'>;

export interface AttentionFilter {
  readonly state?: 'open' | 'closed' | 'all';
  readonly afterId?: string;
  readonly limit?: number;
  /** Only items about interviews for these vacancies; null: all items. */
  readonly vacancyIds?: readonly string[] | null;
  /** Null: items of every kind. */
  readonly kind?: AttentionItem['kind'] | null;
}

/**
 * The table `attention`. What changes it is SQL, because each statement decides by the row's state and
 * the database's clock in one step.
 */
@Injectable()
export class AttentionRepository {
  constructor(private readonly clock: Clock) {}

  /** Null: an open item of this kind and subject exists already, or it is about a preview. */
  async add(tx: Tx, item: PayloadOf<'attention.needed'>): Promise<ChangedItem | null> {
    const [row] = await tx.query<ChangedItem>(ADD, [
      item.kind,
      item.subject,
      item.conversationId ?? null,
      item.jobId ?? null,
      item.reason,
      this.clock.databaseNow(),
      item.under ?? null,
      item.isKnown === true,
    ]);
    return row ?? null;
  }

  /** Oldest first, at most 200; of open items only those that are listed by themselves. */
  list(
    tx: Tx,
    { state, afterId, limit, vacancyIds, kind }: Required<AttentionFilter>,
  ): Promise<AttentionItem[]> {
    return tx.query(LIST, [afterId, state, Math.min(limit, MAX_LISTED), vacancyIds, kind]);
  }

  /** The open items that name this subject as the one above them, oldest first, at most 200. */
  listUnder(tx: Tx, subject: string, page: { afterId: string; limit: number }) {
    const { afterId, limit } = page;
    return tx.query<AttentionItem>(LIST_UNDER, [subject, afterId, Math.min(limit, MAX_LISTED)]);
  }

  /** By subject, how many open items there are under it; subjects without any are left out. */
  async countUnder(tx: Tx, subjects: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.query<{ subject: string; count: number }>(COUNT_UNDER, [subjects]);
    return new Map(rows.map(({ subject, count }) => [subject, count]));
  }

  /** Whether a person has closed an item of this kind and subject within the last `withinMs`. */
  async wasClosedByPerson(
    tx: Tx,
    { kind, subject }: Pick<AttentionItem, 'kind' | 'subject'>,
    withinMs: number,
  ): Promise<boolean> {
    const values = [kind, subject, withinMs, this.clock.databaseNow()];
    return (await tx.query(WAS_CLOSED, values)).length > 0;
  }

  /** The open items of this kind, oldest first. */
  listKind(tx: Tx, kind: AttentionItem['kind']): Promise<AttentionItem[]> {
    return tx.query(
      `select ${ATTENTION_COLUMNS} from attention
       where kind = $1 and closed_at is null order by id limit ${String(MAX_LISTED)}`,
      [kind],
    );
  }

  find(tx: Tx, id: string): Promise<AttentionItem | null> {
    return tx.manager.findOneBy(AttentionItem, { id });
  }

  /** Returns null when the item is closed already. */
  async close(
    tx: Tx,
    id: string,
    { by, resolution }: { by: string; resolution: string },
  ): Promise<AttentionItem | null> {
    const values = [id, by, resolution, this.clock.databaseNow()];
    const [row] = await tx.query<AttentionItem>(CLOSE, values);
    return row ?? null;
  }

  /** Closes the open items of all kinds about this subject. */
  closeSubject(
    tx: Tx,
    { subject, resolution, by = 'colloquy' }: PayloadOf<'attention.settled'>,
  ): Promise<ChangedItem[]> {
    return tx.query(CLOSE_SUBJECT, [subject, resolution, this.clock.databaseNow(), by]);
  }

  listOpenOf(tx: Tx, conversationId: string): Promise<AttentionItem[]> {
    return tx.query(
      `select ${ATTENTION_COLUMNS} from attention
       where conversation_id = $1 and closed_at is null order by id limit ${String(MAX_LISTED)}`,
      [conversationId],
    );
  }

  /**
   * Items that were never announced, at most 100, oldest first. They count as announced from here
   * on; without an alert webhook (`hasWebhook` is false) they count as alerted too.
   */
  async takeNew(tx: Tx, { hasWebhook }: { hasWebhook: boolean }): Promise<AttentionItem[]> {
    const values = [this.clock.databaseNow(), hasWebhook];
    const rows = await tx.query<AttentionItem>(TAKE_NEW, values);
    return rows.sort((a, b) => Number(a.id) - Number(b.id));
  }

  /** The open item whose alert is due longest; no other replica claims it for `holdMs`. */
  async claimAlert(tx: Tx, holdMs: number): Promise<AttentionItem | null> {
    const [row] = await tx.query<AttentionItem>(CLAIM_ALERT, [this.clock.databaseNow(), holdMs]);
    return row ?? null;
  }

  async alertSent(tx: Tx, id: string): Promise<void> {
    await tx.query(ALERT_SENT, [id, this.clock.databaseNow()]);
  }

  /** By half the item's age, from 10 s to 10 minutes: often at first, then seldom. */
  async postponeAlert(tx: Tx, id: string): Promise<void> {
    await tx.query(POSTPONE_ALERT, [id, this.clock.databaseNow()]);
  }

  /**
   * Adds jobs that have been given back for longer than `afterMs`, at most 200. A job gets one item
   * in its life: a person who closes the item knows about the job. Returns those that were added.
   */
  addWaiting(tx: Tx, afterMs: number): Promise<ChangedItem[]> {
    return tx.query(ADD_WAITING, [this.clock.databaseNow(), afterMs]);
  }

  /** Closes the items of jobs that do not wait any more. Returns those that were closed. */
  closeWaiting(tx: Tx): Promise<ChangedItem[]> {
    return tx.query(CLOSE_WAITING, [this.clock.databaseNow()]);
  }
}
