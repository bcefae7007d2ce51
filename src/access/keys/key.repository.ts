import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { Rights } from '../rights';

/**
 * A key for programs. Only the hash of its token is stored, so the token is shown once.
 *
 *   live ──its end date──> expired        live ──revoked──> revoked
 *
 * Neither state ends, and the row stays, because the audit names the key.
 */
export interface ApiKey extends Rights {
  readonly id: string;
  readonly name: string;
  readonly state: KeyState;
  readonly createdAt: Date;
  /** Who made it, as the audit names them. */
  readonly createdBy: string;
  readonly expiresAt: Date;
  /** Its last use, which is noted at most once in five minutes; null: it was never used. */
  readonly usedAt: Date | null;
  readonly revokedAt: Date | null;
}

export type KeyState = 'live' | 'expired' | 'revoked';

/** A key that is shown with a request. */
export interface ShownKey extends Rights {
  readonly id: string;
  readonly name: string;
  readonly state: KeyState;
  /** Until its end date. */
  readonly remainingMs: number;
}

type KeyName = { readonly id: string } | { readonly name: string };

interface NewKeyRow extends Rights {
  readonly name: string;
  readonly tokenHash: string;
  readonly expiresAt: Date;
  readonly createdBy: string;
}

/** `used_at` is written at most this often, because a program may send several requests a second. */
const USED_EVERY_MS = 5 * 60_000;
/** A deployment has tens of keys. */
const MAX_LISTED = 1000;

/** $1: the time of tests, null in production. */
const STATE = `case when revoked_at is not null then 'revoked'
  when expires_at <= coalesce($1::timestamptz, now()) then 'expired' else 'live' end`;

const COLUMNS = `id, name, scopes, vacancy_ids as "vacancyIds", ${STATE} as state,
  created_at as "createdAt", created_by as "createdBy", expires_at as "expiresAt",
  used_at as "usedAt", revoked_at as "revokedAt"`;

const CREATE = `
insert into api_key (id, name, token_hash, scopes, vacancy_ids, created_at, created_by, expires_at)
values ($2, $3, $4, $5::text[], $6::uuid[], coalesce($1::timestamptz, clock_timestamp()), $7, $8)
on conflict (name) do nothing
returning ${COLUMNS}`;

const REVOKE = `
update api_key set revoked_at = coalesce($1::timestamptz, clock_timestamp())
where id = $2 and revoked_at is null
returning ${COLUMNS}`;

/** Of several requests at once one writes `used_at`; the others do not wait for it. */
const USE = `
with found as (
  select id, name, scopes, vacancy_ids as "vacancyIds", ${STATE} as state, used_at,
    extract(epoch from expires_at - coalesce($1::timestamptz, now()))::float8 * 1000 as "remainingMs"
  from api_key where token_hash = $2
), stale as (
  select id from api_key where id in (select id from found where state = 'live'
    and (used_at is null
      or used_at <= coalesce($1::timestamptz, now()) - $3 * interval '1 millisecond'))
  for update skip locked
), used as (
  update api_key k set used_at = coalesce($1::timestamptz, now())
  from stale where k.id = stale.id
)
select id, name, scopes, "vacancyIds", state, "remainingMs" from found`;

/** Of the ids $2, those whose keys are not live any more. A row that is gone counts as revoked. */
const ENDED = `
select wanted.id, case when k.revoked_at is null and k.id is not null
    then 'expired' else 'revoked' end as state
from unnest($2::uuid[]) as wanted (id) left join api_key k on k.id = wanted.id
where k.id is null or k.revoked_at is not null
  or k.expires_at <= coalesce($1::timestamptz, now())`;

/** The table `api_key`. SQL, because nearly every statement compares times with the database's clock. */
@Injectable()
export class KeyRepository {
  constructor(private readonly clock: Clock) {}

  /** Null: a key of this name exists, perhaps one that is revoked. */
  async create(tx: Tx, key: NewKeyRow): Promise<ApiKey | null> {
    const [row] = await tx.query<ApiKey>(CREATE, [
      this.clock.databaseNow(),
      newId(),
      key.name,
      key.tokenHash,
      key.scopes,
      key.vacancyIds,
      key.createdBy,
      key.expiresAt,
    ]);
    return row ?? null;
  }

  /** The newest first, those that have ended too; at most 1,000. */
  list(tx: Tx): Promise<ApiKey[]> {
    return tx.query(`select ${COLUMNS} from api_key order by id desc limit ${String(MAX_LISTED)}`, [
      this.clock.databaseNow(),
    ]);
  }

  async find(tx: Tx, by: KeyName): Promise<ApiKey | null> {
    const column = 'id' in by ? 'id' : 'name';
    const [row] = await tx.query<ApiKey>(`select ${COLUMNS} from api_key where ${column} = $2`, [
      this.clock.databaseNow(),
      'id' in by ? by.id : by.name,
    ]);
    return row ?? null;
  }

  /** Null: it was revoked before. */
  async revoke(tx: Tx, id: string): Promise<ApiKey | null> {
    const [row] = await tx.query<ApiKey>(REVOKE, [this.clock.databaseNow(), id]);
    return row ?? null;
  }

  /** The key with this hash, also one that has ended. Notes the use of a live one, so it may write. */
  async use(tx: Tx, tokenHash: string): Promise<ShownKey | null> {
    const values = [this.clock.databaseNow(), tokenHash, USED_EVERY_MS];
    const [row] = await tx.query<ShownKey>(USE, values);
    return row ?? null;
  }

  /** Those of these keys that have ended. Reads only. */
  listEnded(tx: Tx, ids: readonly string[]): Promise<EndedKey[]> {
    return tx.query(ENDED, [this.clock.databaseNow(), ids]);
  }
}

export interface EndedKey {
  readonly id: string;
  readonly state: Exclude<KeyState, 'live'>;
}
