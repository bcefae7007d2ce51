import { Injectable } from '@nestjs/common';
import { Clock } from '../common/clock';
import { Settings } from '../common/config';
import { hashToken, newToken } from '../common/ids';
import type { Tx } from '../common/uow';

/**
 * Which conversation a browser may read and write. A session belongs to one conversation. Only the
 * hash of its token is stored, so the table gives nobody access. SQL, because it runs with most
 * requests and compares times with the database's clock.
 *
 *   live ──not used for SESSION_IDLE_TIMEOUT──> ended
 *   live ──SESSION_LIFETIME after its start──> ended
 *   live ──signed out, or its invitation is issued again──> ended (its row is deleted)
 *
 * The row of an expired session is deleted by a sweep.
 */
@Injectable()
export class WebSessionRepository {
  private readonly idleMs: number;
  private readonly lifetimeMs: number;

  constructor(
    private readonly clock: Clock,
    settings: Settings,
  ) {
    this.idleMs = settings.session.idleMs;
    this.lifetimeMs = settings.session.lifetimeMs;
  }

  /** Returns the secret for the browser's cookie, which is shown only once. */
  async create(tx: Tx, conversationId: string): Promise<{ sessionToken: string }> {
    const sessionToken = newToken();
    await tx.query(
      `insert into web_session (token_hash, conversation_id, created_at, seen_at)
       values ($1, $2, coalesce($3::timestamptz, clock_timestamp()),
         coalesce($3::timestamptz, clock_timestamp()))`,
      [hashToken(sessionToken), conversationId, this.clock.databaseNow()],
    );
    return { sessionToken };
  }

  /** Whether a browser has opened the conversation, also one whose session has expired lately. */
  async exists(tx: Tx, conversationId: string): Promise<boolean> {
    const rows = await tx.query('select from web_session where conversation_id = $1 limit 1', [
      conversationId,
    ]);
    return rows.length > 0;
  }

  /** Ends all sessions of these conversations. */
  async endOf(tx: Tx, conversationIds: readonly string[]): Promise<void> {
    await tx.query('delete from web_session where conversation_id = any($1::uuid[])', [
      conversationIds,
    ]);
  }

  /**
   * The id of the session's conversation; null when there is no such session or it has ended. Notes
   * the session as seen, so it may write: called before any other row is locked.
   */
  async use(tx: Tx, sessionToken: string): Promise<string | null> {
    return this.conversationOf(tx, USE, sessionToken, [SEEN_EVERY_MS]);
  }

  /** The same without noting the session as seen. Reads only. */
  async resolve(tx: Tx, sessionToken: string): Promise<string | null> {
    return this.conversationOf(tx, FIND, sessionToken, []);
  }

  /** Ends one session. */
  async end(tx: Tx, sessionToken: string): Promise<void> {
    await tx.query('delete from web_session where token_hash = $1', [hashToken(sessionToken)]);
  }

  /** Those of these sessions that have ended. Reads only. */
  async listEnded(tx: Tx, sessionTokens: readonly string[]): Promise<string[]> {
    const hashes = new Map(sessionTokens.map((token) => [hashToken(token), token]));
    const live = await tx.query<{ token_hash: string }>(LIVE, [
      [...hashes.keys()],
      this.idleMs,
      this.lifetimeMs,
      this.clock.databaseNow(),
    ]);
    for (const { token_hash } of live) hashes.delete(token_hash);
    return [...hashes.values()];
  }

  /** Deletes the rows of sessions that have expired, at most `limit`; returns how many. */
  async sweepExpired(tx: Tx, limit: number): Promise<number> {
    const now = this.clock.databaseNow();
    const rows = await tx.query(SWEEP, [this.idleMs, this.lifetimeMs, now, limit]);
    return rows.length;
  }

  /** Ends all sessions of a candidate's interview for a vacancy, because its link is replaced. */
  async endOfInvited(
    tx: Tx,
    { candidateId, vacancyId }: { candidateId: string; vacancyId: string },
  ): Promise<void> {
    await tx.query(END_OF_INVITED, [candidateId, vacancyId]);
  }

  private async conversationOf(
    tx: Tx,
    statement: string,
    sessionToken: string,
    more: readonly number[],
  ): Promise<string | null> {
    if (!isSessionToken(sessionToken)) return null;
    const [row] = await tx.query<{ conversation_id: string }>(statement, [
      hashToken(sessionToken),
      this.idleMs,
      this.lifetimeMs,
      this.clock.databaseNow(),
      ...more,
    ]);
    return row?.conversation_id ?? null;
  }
}

/** `seen_at` is written at most this often, because several requests come in a second. */
const SEEN_EVERY_MS = 5 * 60_000;

/** $2: longest idle time, $3: lifetime, both in milliseconds. */
const FIND = `
select token_hash, conversation_id from web_session
where token_hash = $1
  and seen_at > coalesce($4::timestamptz, now()) - $2 * interval '1 millisecond'
  and created_at > coalesce($4::timestamptz, now()) - $3 * interval '1 millisecond'`;

/** Of the hashes $1, those whose sessions are live; $2 and $3 as above. */
const LIVE = `
select token_hash from web_session
where token_hash = any($1::text[])
  and seen_at > coalesce($4::timestamptz, now()) - $2 * interval '1 millisecond'
  and created_at > coalesce($4::timestamptz, now()) - $3 * interval '1 millisecond'`;

/** $4: how many rows at most. Each of the two conditions has an index. */
const SWEEP = `
with idle as (
  select token_hash from web_session
  where seen_at <= coalesce($3::timestamptz, now()) - $1 * interval '1 millisecond'
  order by seen_at limit $4 for update skip locked
), old as (
  select token_hash from web_session
  where created_at <= coalesce($3::timestamptz, now()) - $2 * interval '1 millisecond'
  order by created_at limit $4 for update skip locked
)
delete from web_session where token_hash in (
  select token_hash from idle union select token_hash from old limit $4)
returning 1 as deleted`;

/** Of several requests at once one writes `seen_at`; the others do not wait for it. */
const USE = `
with found as (${FIND}), stale as (
  select token_hash from web_session where token_hash in (select token_hash from found)
    and seen_at <= coalesce($4::timestamptz, now()) - $5 * interval '1 millisecond'
  for update skip locked
), seen as (
  update web_session s set seen_at = coalesce($4::timestamptz, now())
  from stale where s.token_hash = stale.token_hash
)
select conversation_id from found`;

const END_OF_INVITED = `
delete from web_session where conversation_id in (
  select id from conversation where candidate_id = $1 and vacancy_id = $2)`;

/** The form of newToken(); any other token is unknown without asking the database. */
const TOKEN = /^[\w-]{16,64}$/;

/** Whether a token has the form of a session's token. */
export function isSessionToken(token: string): boolean {
  return TOKEN.test(token);
}
