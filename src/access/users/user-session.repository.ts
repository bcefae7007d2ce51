import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { Settings } from '../../common/config';
import { hashToken, newId, newToken } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { Role } from '../rights';
import type { SignInMethod } from './user.repository';

/**
 * A browser in which a colleague has signed in. Only the hash of its token is stored, so the table gives
 * nobody access.
 *
 *   live ──not used for USER_SESSION_IDLE_TIMEOUT──> ended
 *   live ──USER_SESSION_LIFETIME after its start──> ended
 *   live ──signed out, ended by a person, or its user is disabled──> ended (its row is deleted)
 *
 * The row of an expired session is deleted by a sweep.
 */
export interface UserSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly seenAt: Date;
  readonly method: SignInMethod;
  /** What the browser says about itself, like "Chrome, Linux". */
  readonly device: string;
}

/** A live session that is shown with a request, and whose it is. */
export interface ShownSession {
  readonly id: string;
  readonly method: SignInMethod;
  readonly userId: string;
  readonly name: string;
  readonly role: Role;
  readonly vacancyIds: readonly string[] | null;
  /** Until its end. */
  readonly remainingMs: number;
  /** How long the password that was shown last still confirms what needs it; not above 0: no more. */
  readonly confirmedMs: number;
}

/** What the person is told about a session of theirs. */
export interface SessionEnds {
  readonly method: SignInMethod;
  /** Null: what needs the password asks for it. */
  readonly confirmedUntil: Date | null;
  readonly endsAt: Date;
}

/** A live session of an open stream, with what its user may do now. */
export interface SessionRights {
  readonly id: string;
  readonly role: Role;
  readonly vacancyIds: readonly string[] | null;
}

/** `seen_at` is written at most this often, because several requests come in a second. */
const SEEN_EVERY_MS = 5 * 60_000;
/** How long a password that was shown confirms exports, erasures and the like. */
const CONFIRMED_MS = 10 * 60_000;
/** A person has a few browsers. */
const MAX_LISTED = 200;

const NOW = 'coalesce($1::timestamptz, now())';

/** $2: longest idle time, $3: lifetime, both in milliseconds. */
const IS_LIVE = `s.seen_at > ${NOW} - $2 * interval '1 millisecond'
  and s.created_at > ${NOW} - $3 * interval '1 millisecond'`;

const endsAt = (seenAt: string): string =>
  `least(s.created_at + $3 * interval '1 millisecond', ${seenAt} + $2 * interval '1 millisecond')`;

const CONFIRMED_UNTIL = `s.confirmed_at + ${String(CONFIRMED_MS)} * interval '1 millisecond'`;

const leftMs = (until: string): string =>
  `coalesce(extract(epoch from ${until} - ${NOW})::float8 * 1000, 0)`;

/** Of several requests at once one writes `seen_at`; the others do not wait for it. */
const USE = `
with found as (
  select s.id, s.method, s.user_id as "userId", u.name, u.role, u.vacancy_ids as "vacancyIds", s.seen_at,
    ${leftMs(endsAt('s.seen_at'))} as "remainingMs", ${leftMs(CONFIRMED_UNTIL)} as "confirmedMs"
  from user_session s join app_user u on u.id = s.user_id
  where s.token_hash = $4 and u.disabled_at is null and ${IS_LIVE}
), stale as (
  select id from user_session where id in (select id from found)
    and seen_at <= ${NOW} - $5 * interval '1 millisecond'
  for update skip locked
), seen as (
  update user_session s set seen_at = ${NOW} from stale where s.id = stale.id
)
select id, method, "userId", name, role, "vacancyIds", "remainingMs", "confirmedMs" from found`;

/** Each of the two conditions has an index. */
const SWEEP = `
with idle as (
  select id from user_session s where s.seen_at <= ${NOW} - $2 * interval '1 millisecond'
  order by s.seen_at limit $4 for update skip locked
), old as (
  select id from user_session s where s.created_at <= ${NOW} - $3 * interval '1 millisecond'
  order by s.created_at limit $4 for update skip locked
)
delete from user_session where id in (select id from idle union select id from old limit $4)
returning 1 as deleted`;

/** The table `user_session`. SQL, because it runs with most requests and compares times with the database's clock. */
@Injectable()
export class UserSessionRepository {
  private readonly idleMs: number;
  private readonly lifetimeMs: number;

  constructor(
    private readonly clock: Clock,
    settings: Settings,
  ) {
    this.idleMs = settings.session.userIdleMs;
    this.lifetimeMs = settings.session.userLifetimeMs;
  }

  /** Returns the secret for the browser's cookie, which is shown only once. */
  async create(
    tx: Tx,
    session: {
      readonly userId: string;
      readonly method: SignInMethod;
      readonly device: string;
      readonly isConfirmed: boolean;
    },
  ): Promise<{ id: string; token: string }> {
    const [id, token] = [newId(), newToken()];
    await tx.query(
      `insert into user_session (id, token_hash, user_id, method, created_at, seen_at, confirmed_at, device)
       select $2, $3, $4, $5, t, t, case when $6 then t end, $7
       from (select coalesce($1::timestamptz, clock_timestamp())) as now (t)`,
      [
        this.clock.databaseNow(),
        id,
        hashToken(token),
        session.userId,
        session.method,
        session.isConfirmed,
        session.device,
      ],
    );
    return { id, token };
  }

  /** The live session with this hash. Notes it as seen, so it may write. */
  async use(tx: Tx, tokenHash: string): Promise<ShownSession | null> {
    const [row] = await tx.query<ShownSession>(USE, [...this.times(), tokenHash, SEEN_EVERY_MS]);
    return row ?? null;
  }

  /** Null: it has ended. */
  async ends(tx: Tx, id: string): Promise<SessionEnds | null> {
    const [row] = await tx.query<SessionEnds>(
      `select s.method, ${endsAt('s.seen_at')} as "endsAt",
         case when ${CONFIRMED_UNTIL} > ${NOW} then ${CONFIRMED_UNTIL} end as "confirmedUntil"
       from user_session s where s.id = $4 and ${IS_LIVE}`,
      [...this.times(), id],
    );
    return row ?? null;
  }

  /** The live ones of a user, the newest first; at most 200. */
  list(tx: Tx, userId: string): Promise<UserSession[]> {
    return tx.query(
      `select s.id, s.created_at as "createdAt", s.seen_at as "seenAt", s.method, s.device
       from user_session s where s.user_id = $4 and ${IS_LIVE}
       order by s.id desc limit ${String(MAX_LISTED)}`,
      [...this.times(), userId],
    );
  }

  /** How many live sessions each user has; who has none is not in it. */
  async countByUser(tx: Tx): Promise<ReadonlyMap<string, number>> {
    const rows = await tx.query<{ userId: string; count: number }>(
      `select s.user_id as "userId", count(*)::int as count from user_session s
       where ${IS_LIVE} group by s.user_id`,
      this.times(),
    );
    return new Map(rows.map(({ userId, count }) => [userId, count]));
  }

  /** The person has shown just now that it is them. Null: the session is gone. */
  async confirm(tx: Tx, id: string): Promise<{ userId: string } | null> {
    const [row] = await tx.query<{ userId: string }>(
      `update user_session set confirmed_at = coalesce($1::timestamptz, clock_timestamp())
       where id = $2 returning user_id as "userId"`,
      [this.clock.databaseNow(), id],
    );
    return row ?? null;
  }

  /** Ends one session of a user; false: there is no such session. */
  async end(tx: Tx, { id, userId }: { id: string; userId: string }): Promise<boolean> {
    const rows = await tx.query(
      'delete from user_session where id = $1 and user_id = $2 returning 1 as ended',
      [id, userId],
    );
    return rows.length > 0;
  }

  /** Ends the session with this hash; returns whose it was. */
  async endByHash(tx: Tx, tokenHash: string): Promise<{ id: string; userId: string } | null> {
    const [row] = await tx.query<{ id: string; userId: string }>(
      'delete from user_session where token_hash = $1 returning id, user_id as "userId"',
      [tokenHash],
    );
    return row ?? null;
  }

  /** Ends all sessions of a user, except one; returns how many. */
  async endOf(tx: Tx, userId: string, exceptId: string | null): Promise<number> {
    const rows = await tx.query(
      `delete from user_session where user_id = $1 and id is distinct from $2::uuid
       returning 1 as ended`,
      [userId, exceptId],
    );
    return rows.length;
  }

  /** Of these sessions those that are live, with the rights of their users. Reads only. */
  listLive(tx: Tx, ids: readonly string[]): Promise<SessionRights[]> {
    return tx.query(
      `select s.id, u.role, u.vacancy_ids as "vacancyIds"
       from user_session s join app_user u on u.id = s.user_id
       where s.id = any($4::uuid[]) and u.disabled_at is null and ${IS_LIVE}`,
      [...this.times(), ids],
    );
  }

  /** Deletes the rows of sessions that have expired, at most `limit`; returns how many. */
  async sweepExpired(tx: Tx, limit: number): Promise<number> {
    return (await tx.query(SWEEP, [...this.times(), limit])).length;
  }

  /** $1 to $3 of the statements. */
  private times(): [Date | null, number, number] {
    return [this.clock.databaseNow(), this.idleMs, this.lifetimeMs];
  }
}
