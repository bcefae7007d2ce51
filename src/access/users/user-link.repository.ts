import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken, newId, newToken } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { Role } from '../rights';

/**
 * A link that works once: an invitation makes a user, a password link gives a user a new password. Only the
 * hash of its token is stored, so the link is shown once.
 *
 *   pending ──used──> used      pending ──revoked──> revoked      pending ──its end──> expired
 *
 * No state but the first can be left. A sweep deletes ended links after 30 days.
 */
export interface UserLink {
  readonly id: string;
  readonly kind: 'invitation' | 'password';
  readonly state: 'pending' | 'ended';
  /** Of a password link: whose. */
  readonly userId: string | null;
  /** Of an invitation: what its maker knows of the person. */
  readonly name: string | null;
  readonly email: string | null;
  /** Of an invitation: what the person will be. */
  readonly role: Role | null;
  readonly vacancyIds: readonly string[] | null;
  readonly createdAt: Date;
  /** Who made it, as the audit names them. */
  readonly createdBy: string;
  readonly expiresAt: Date;
}

export interface NewLink {
  readonly kind: UserLink['kind'];
  readonly userId: string | null;
  readonly name: string | null;
  readonly email: string | null;
  readonly role: Role | null;
  readonly vacancyIds: readonly string[] | null;
  readonly createdBy: string;
  readonly lifetimeMs: number;
}

/** Whoever opens an old link learns for this long that it has ended. */
const ENDED_KEPT_MS = 30 * 24 * 3_600_000;
const MAX_LISTED = 1000;

/** $1: the time of tests, null in production. */
const NOW = 'coalesce($1::timestamptz, now())';
const IS_PENDING = `used_at is null and revoked_at is null and expires_at > ${NOW}`;

const COLUMNS = `id, kind, case when ${IS_PENDING} then 'pending' else 'ended' end as state,
  user_id as "userId", name, email, role, vacancy_ids as "vacancyIds", created_at as "createdAt",
  created_by as "createdBy", expires_at as "expiresAt"`;

const CREATE = `
insert into user_link (id, token_hash, kind, user_id, name, email, role, vacancy_ids, created_at,
  created_by, expires_at)
values ($2, $3, $4, $5, $6, $7, $8, $9::uuid[], ${NOW}, $10, ${NOW} + $11 * interval '1 millisecond')
returning ${COLUMNS}`;

/** The table `user_link`. SQL, because its statements compare times with the database's clock. */
@Injectable()
export class UserLinkRepository {
  constructor(private readonly clock: Clock) {}

  /** The token is returned only here. */
  async create(tx: Tx, link: NewLink): Promise<{ link: UserLink; token: string }> {
    const token = newToken();
    const [row] = await tx.query<UserLink>(CREATE, [
      this.clock.databaseNow(),
      newId(),
      hashToken(token),
      link.kind,
      link.userId,
      link.name,
      link.email,
      link.role,
      link.vacancyIds,
      link.createdBy,
      link.lifetimeMs,
    ]);
    if (row === undefined) throw new Error('an insert without a condition returned no row');
    return { link: row, token };
  }

  /** Reads only. */
  async find(tx: Tx, token: string): Promise<UserLink | null> {
    const [row] = await tx.query<UserLink>(
      `select ${COLUMNS} from user_link where token_hash = $2`,
      [this.clock.databaseNow(), hashToken(token)],
    );
    return row ?? null;
  }

  /** Of two people at once one uses it; false for the other: it has ended. */
  async use(tx: Tx, id: string): Promise<boolean> {
    const rows = await tx.query(
      `update user_link set used_at = ${NOW} where id = $2 and ${IS_PENDING} returning 1 as used`,
      [this.clock.databaseNow(), id],
    );
    return rows.length > 0;
  }

  /** Null: it is not pending. */
  async revoke(tx: Tx, id: string): Promise<UserLink | null> {
    const [row] = await tx.query<UserLink>(
      `update user_link set revoked_at = ${NOW} where id = $2 and ${IS_PENDING} returning ${COLUMNS}`,
      [this.clock.databaseNow(), id],
    );
    return row ?? null;
  }

  /** Ends the pending password links of a user. */
  async revokeOf(tx: Tx, userId: string): Promise<void> {
    await tx.query(
      `update user_link set revoked_at = ${NOW} where user_id = $2 and ${IS_PENDING}`,
      [this.clock.databaseNow(), userId],
    );
  }

  /** The pending ones, the newest first; at most 1,000. */
  listPending(tx: Tx): Promise<UserLink[]> {
    return tx.query(
      `select ${COLUMNS} from user_link where ${IS_PENDING}
       order by id desc limit ${String(MAX_LISTED)}`,
      [this.clock.databaseNow()],
    );
  }

  /** Deletes the rows of links that ended 30 days ago, at most `limit`; returns how many. */
  async sweepEnded(tx: Tx, limit: number): Promise<number> {
    const rows = await tx.query(
      `delete from user_link where id in (
         select id from user_link
         where least(used_at, revoked_at, expires_at) <= ${NOW} - $2 * interval '1 millisecond'
         limit $3 for update skip locked)
       returning 1 as deleted`,
      [this.clock.databaseNow(), ENDED_KEPT_MS, limit],
    );
    return rows.length;
  }
}
