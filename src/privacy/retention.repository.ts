import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import type { Tx } from '../common/uow';
import type { RetentionClass } from './retention-policy';

/**
 * Data whose retention period is over, and the table `legal_hold`. SQL, because each condition compares the
 * newest row of several tables with the database's clock.
 */
@Injectable()
export class RetentionRepository {
  constructor(private readonly clock: Clock) {}

  async count(tx: Tx, due: OwnClass, keptDays: number): Promise<DueCount> {
    const [row] = await tx.query<DueCount>(
      `select count(*)::int as count, min(at) as "oldestAt" from (${DUE[due]}) counted`,
      [this.clock.databaseNow(), keptDays],
    );
    return row ?? { count: 0, oldestAt: null };
  }

  /** The oldest candidates that are due. */
  async listCandidates(
    tx: Tx,
    due: DueCandidates,
    of: { readonly keptDays: number; readonly limit: number },
  ): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(`${DUE[due]} order by at, id limit $3`, [
      this.clock.databaseNow(),
      of.keptDays,
      of.limit,
    ]);
    return rows.map(({ id }) => id);
  }

  /** Whether a candidate is still due. Under the locks of an erasure it stays so until the commit. */
  async isStillDue(
    tx: Tx,
    due: DueCandidates,
    of: { readonly candidateId: string; readonly keptDays: number },
  ): Promise<boolean> {
    const rows = await tx.query(DUE_CANDIDATES[due]('c.id = $3::uuid'), [
      this.clock.databaseNow(),
      of.keptDays,
      of.candidateId,
    ]);
    return rows.length > 0;
  }

  /** Deletes the oldest recordings and files; returns of how many messages. */
  async dropMedia(
    tx: Tx,
    of: { readonly keptDays: number; readonly limit: number },
  ): Promise<number> {
    const rows = await tx.query<{ id: string }>(DROP_MEDIA, [
      this.clock.databaseNow(),
      of.keptDays,
      of.limit,
    ]);
    return rows.length;
  }

  /** Places a hold, or replaces its reason. False: there is no such candidate. */
  async hold(tx: Tx, hold: Omit<LegalHold, 'placedAt'>): Promise<boolean> {
    const rows = await tx.query(
      `insert into legal_hold (candidate_id, reason, placed_by, placed_at)
       select id, $2, $3, coalesce($4::timestamptz, clock_timestamp()) from candidate where id = $1
       on conflict (candidate_id) do update
         set reason = excluded.reason, placed_by = excluded.placed_by
       returning 1`,
      [hold.candidateId, hold.reason, hold.placedBy, this.clock.databaseNow()],
    );
    return rows.length > 0;
  }

  /** False: there was none. */
  async release(tx: Tx, candidateId: string): Promise<boolean> {
    const rows = await tx.query(
      'delete from legal_hold where candidate_id = $1 returning candidate_id',
      [candidateId],
    );
    return rows.length > 0;
  }

  async holdOf(tx: Tx, candidateId: string): Promise<LegalHold | null> {
    const [row] = await tx.query<LegalHold>(
      `select candidate_id as "candidateId", reason, placed_by as "placedBy", placed_at as "placedAt"
       from legal_hold where candidate_id = $1`,
      [candidateId],
    );
    return row ?? null;
  }

  async countHolds(tx: Tx): Promise<number> {
    const [row] = await tx.query<{ count: number }>(
      'select count(*)::int as count from legal_hold',
    );
    return row?.count ?? 0;
  }
}

/** A condition in SQL: retention must leave the candidate `c` alone. */
const IS_HELD = 'exists (select from legal_hold h where h.candidate_id = c.id)';

/** A condition in SQL: the candidate `c` may still open an interview by an invitation. */
const IS_INVITED = `exists (select from invitation i where i.candidate_id = c.id
  and i.revoked_at is null and i.expires_at > coalesce($1::timestamptz, now()))`;

/** The last message of the conversation `v`, or its beginning. */
const LAST_OF_CONVERSATION = `greatest(v.created_at, v.consent_at,
  (select m.received_at from message m where m.conversation_id = v.id order by m.seq desc limit 1))`;

/** When the candidate `c` was last active in any interview, or was created. */
const LAST_OF_CANDIDATE = `greatest(c.created_at,
  (select max(${LAST_OF_CONVERSATION}) from conversation v where v.candidate_id = c.id))`;

/** `now()` and not `clock_timestamp()`, with which no index could be used. */
const BEFORE = `coalesce($1::timestamptz, now()) - $2::float8 * interval '24 hours'`;

/** Bytes of voices and files that nothing waits for any more. A message has one of both at most. */
const DUE_MEDIA = `${withBytes('voice', `x.state in ('heard', 'unheard')`)}
  union all ${withBytes('file', 'true')}`;

/** By class, which candidates are due, of those for whom a condition holds. */
const DUE_CANDIDATES = {
  transcript: (condition: string) => dueCandidates(true, condition),
  not_started: (condition: string) => dueCandidates(false, condition),
  preview: duePreviews,
} as const;

export type DueCandidates = keyof typeof DUE_CANDIDATES;

const DUE = {
  transcript: DUE_CANDIDATES.transcript('true'),
  not_started: DUE_CANDIDATES.not_started('true'),
  preview: DUE_CANDIDATES.preview('true'),
  media: DUE_MEDIA,
} as const;

type OwnClass = keyof typeof DUE;

/** The oldest lose their bytes, while the candidate stays. $3: how many at most. */
const DROP_MEDIA = `with due as (${DUE_MEDIA} order by at, id limit $3),
  voices as (update voice set bytes = null where message_id in (select id from due)),
  files as (update file set bytes = null, state = 'deleted'
    where message_id in (select id from due))
  select id from due`;

/** What is due now. `oldestAt`: since when the oldest of it is counted. */
export interface DueCount {
  readonly count: number;
  readonly oldestAt: Date | null;
}

/**
 * Candidates and since when they are counted; $1: now, $2: the days for which they are kept. `offset 0`
 * makes the cheap conditions come first: else the last message of every candidate would be read.
 */
function dueCandidates(hasAgreed: boolean, condition: string): string {
  return `select * from (
      select c.id, ${LAST_OF_CANDIDATE} as at from candidate c
      where c.created_at < ${BEFORE} and ${hasAgreed ? '' : 'not '}c.has_agreed
        and not ${IS_HELD} and not ${IS_INVITED} and ${condition} offset 0) due
    where at < ${BEFORE}`;
}

/** The same of candidates who stand for a colleague, whatever was written last. */
function duePreviews(condition: string): string {
  return `select c.id, c.created_at as at from conversation v join candidate c on c.id = v.candidate_id
    where v.is_preview and c.created_at < ${BEFORE} and not ${IS_HELD} and ${condition}
      and not exists (select from conversation o where o.candidate_id = c.id and not o.is_preview)`;
}

export interface LegalHold {
  readonly candidateId: string;
  readonly reason: string;
  readonly placedBy: string;
  readonly placedAt: Date;
}

/** Messages whose bytes are in that table, found from there: there are far fewer than messages. */
function withBytes(table: 'voice' | 'file', condition: string): string {
  return `select m.id, m.received_at as at
    from ${table} x
    join message m on m.id = x.message_id
    join conversation v on v.id = m.conversation_id
    join candidate c on c.id = v.candidate_id
    where x.bytes is not null and ${condition} and m.received_at < ${BEFORE} and not ${IS_HELD}`;
}

/** Whether this room counts and deletes the class itself, and no other room does. */
export function isOwn(due: RetentionClass): due is OwnClass {
  return due in DUE;
}
