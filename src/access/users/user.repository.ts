import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { newId } from '../../common/ids';
import type { Tx } from '../../common/uow';
import type { Role } from '../rights';

/**
 * A colleague.
 *
 *   enabled ──disabled──> disabled ──enabled──> enabled
 *
 * The row stays, because the audit names the person, and no other one gets the name.
 */
export interface User {
  readonly id: string;
  readonly name: string;
  /** In lower case; null: not known. */
  readonly email: string | null;
  readonly role: Role;
  /** Null: all vacancies. */
  readonly vacancyIds: readonly string[] | null;
  readonly method: SignInMethod;
  readonly createdAt: Date;
  /** Who made the invitation, as the audit names them; of somebody who signs in elsewhere the issuer. */
  readonly createdBy: string;
  readonly signedInAt: Date | null;
  readonly disabledAt: Date | null;
}

export type SignInMethod = 'password' | 'oidc';

/** A person at a provider of sign-in. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
}

export interface UserRights {
  readonly role: Role;
  readonly vacancyIds: readonly string[] | null;
}

export interface NewUser extends UserRights {
  readonly name: string;
  readonly email: string | null;
  readonly createdBy: string;
  /** Exactly one of both. */
  readonly passwordHash: string | null;
  readonly identity: Identity | null;
}

/** A user, and what the password is compared with; null: the user has none. */
export interface Credentials {
  readonly user: User;
  readonly passwordHash: string | null;
}

export type UserKey =
  { readonly id: string } | { readonly name: string } | { readonly email: string } | Identity;

/** A team has tens of people. */
const MAX_LISTED = 1000;

const COLUMNS = `id, name, email, role, vacancy_ids as "vacancyIds",
  case when issuer is null then 'password' else 'oidc' end as method,
  created_at as "createdAt", created_by as "createdBy", signed_in_at as "signedInAt",
  disabled_at as "disabledAt"`;

const CREATE = `
insert into app_user (id, name, email, role, vacancy_ids, password_hash, issuer, subject,
  created_at, created_by)
values ($2, $3, $4, $5, $6::uuid[], $7, $8, $9, coalesce($1::timestamptz, clock_timestamp()), $10)
on conflict do nothing
returning ${COLUMNS}`;

/** The table `app_user`. SQL, because names are compared without case and the last admins are locked. */
@Injectable()
export class UserRepository {
  constructor(private readonly clock: Clock) {}

  /** Null: the name, the address or the identity is that of another user. */
  async create(tx: Tx, user: NewUser): Promise<User | null> {
    const { identity } = user;
    const [row] = await tx.query<User>(CREATE, [
      this.clock.databaseNow(),
      newId(),
      user.name,
      user.email,
      user.role,
      user.vacancyIds,
      user.passwordHash,
      identity?.issuer ?? null,
      identity?.subject ?? null,
      user.createdBy,
    ]);
    return row ?? null;
  }

  async find(tx: Tx, key: UserKey): Promise<User | null> {
    const { where, values } = conditionOf(key);
    const [row] = await tx.query<User>(`select ${COLUMNS} from app_user where ${where}`, values);
    return row ?? null;
  }

  /** Reads only. */
  async findCredentials(tx: Tx, key: UserKey): Promise<Credentials | null> {
    const { where, values } = conditionOf(key);
    const [row] = await tx.query<User & { passwordHash: string | null }>(
      `select ${COLUMNS}, password_hash as "passwordHash" from app_user where ${where}`,
      values,
    );
    if (row === undefined) return null;
    const { passwordHash, ...user } = row;
    return { user, passwordHash };
  }

  /** By name, those who are disabled too; at most 1,000. */
  list(tx: Tx): Promise<User[]> {
    return tx.query(
      `select ${COLUMNS} from app_user order by lower(name) limit ${String(MAX_LISTED)}`,
    );
  }

  async isEmpty(tx: Tx): Promise<boolean> {
    return (await tx.query('select 1 from app_user limit 1')).length === 0;
  }

  /** As find, locked until the commit. */
  async lock(tx: Tx, id: string): Promise<User | null> {
    const [row] = await tx.query<User>(`select ${COLUMNS} from app_user where id = $1 for update`, [
      id,
    ]);
    return row ?? null;
  }

  /** The ids of all enabled admins, locked until the commit. */
  async lockAdmins(tx: Tx): Promise<string[]> {
    const rows = await tx.query<{ id: string }>(
      `select id from app_user where role = 'admin' and disabled_at is null order by id for update`,
    );
    return rows.map(({ id }) => id);
  }

  async setRights(tx: Tx, id: string, { role, vacancyIds }: UserRights): Promise<User | null> {
    const [row] = await tx.query<User>(
      `update app_user set role = $2, vacancy_ids = $3::uuid[] where id = $1 returning ${COLUMNS}`,
      [id, role, vacancyIds],
    );
    return row ?? null;
  }

  /** Null: another user has the address. */
  async setEmail(tx: Tx, id: string, email: string): Promise<User | null> {
    const [row] = await tx.query<User>(
      `update app_user u set email = $2 where id = $1
         and not exists (select 1 from app_user where email = $2 and id <> $1)
       returning ${COLUMNS}`,
      [id, email],
    );
    return row ?? null;
  }

  /** False: the user has another password by now than `comparedHash`; undefined: none was compared. */
  async setPassword(
    tx: Tx,
    id: string,
    {
      passwordHash,
      comparedHash,
    }: { readonly passwordHash: string; readonly comparedHash?: string | undefined },
  ): Promise<boolean> {
    const rows = await tx.query(
      `update app_user set password_hash = $2
       where id = $1 and ($3::text is null or password_hash = $3) returning 1 as changed`,
      [id, passwordHash, comparedHash ?? null],
    );
    return rows.length > 0;
  }

  /** Null: it was so before. */
  async setDisabled(tx: Tx, id: string, isDisabled: boolean): Promise<User | null> {
    const [row] = await tx.query<User>(
      `update app_user
       set disabled_at = case when $3 then coalesce($1::timestamptz, clock_timestamp()) end
       where id = $2 and (disabled_at is null) = $3
       returning ${COLUMNS}`,
      [this.clock.databaseNow(), id, isDisabled],
    );
    return row ?? null;
  }

  /**
   * Notes that the user signs in, and locks the row until the commit. Null: the user is disabled, or has
   * another password by now. `passwordHash`: what was compared; undefined: nothing was.
   */
  async noteSignedIn(
    tx: Tx,
    id: string,
    passwordHash: string | undefined,
  ): Promise<{ readonly id: string } | null> {
    const [row] = await tx.query<{ id: string }>(
      `update app_user set signed_in_at = coalesce($1::timestamptz, clock_timestamp())
       where id = $2 and disabled_at is null and ($3::text is null or password_hash = $3)
       returning id`,
      [this.clock.databaseNow(), id, passwordHash ?? null],
    );
    return row ?? null;
  }
}

function conditionOf(key: UserKey): { where: string; values: string[] } {
  if ('id' in key) return { where: 'id = $1', values: [key.id] };
  if ('name' in key) return { where: 'lower(name) = lower($1)', values: [key.name] };
  if ('email' in key) return { where: 'email = $1', values: [key.email] };
  return { where: 'issuer = $1 and subject = $2', values: [key.issuer, key.subject] };
}
