import { Injectable } from '@nestjs/common';
import { isUuid } from '../../common/ids';
import type { Tx } from '../../common/uow';
import {
  LastAdminError,
  UserDisabledError,
  UserEmailTakenError,
  UserNameTakenError,
  UserUnknownError,
  UserVacanciesError,
} from '../errors';
import { mayHaveVacancies } from '../rights';
import { providedName, userEmailOf } from './names';
import { UserSessionLookup } from './session-lookup';
import { UserLinkRepository } from './user-link.repository';
import { UserSessionRepository } from './user-session.repository';
import {
  type Identity,
  type NewUser,
  type User,
  UserRepository,
  type UserRights,
} from './user.repository';

/** Somebody whom a provider has signed in. */
export interface SignedInPerson extends Identity, UserRights {
  /** As the provider names the person; with a number behind it when a user has or had this name. */
  readonly name: string;
  /** Null: the provider tells none. One of another user is not stored. */
  readonly email: string | null;
}

/** A user with the number of their live sessions. */
export type ListedUser = User & { readonly sessions: number };

/**
 * Makes colleagues, and changes what they may do; a change holds on every replica from its commit on. The
 * caller notes it in the audit, in the same commit.
 */
@Injectable()
export class Users {
  constructor(
    private readonly users: UserRepository,
    private readonly sessions: UserSessionRepository,
    private readonly links: UserLinkRepository,
    private readonly lookup: UserSessionLookup,
  ) {}

  /** Throws UserNameTakenError, UserEmailTakenError, UserVacanciesError. */
  async create(tx: Tx, user: NewUser): Promise<User> {
    assertVacancies(user);
    const created = await this.users.create(tx, user);
    if (created !== null) return created;
    await this.assertFree(tx, user);
    // The other user was committed between the two statements.
    throw new UserEmailTakenError('Another user has this address.');
  }

  /** Throws UserNameTakenError, UserEmailTakenError. */
  async assertFree(
    tx: Tx,
    { name, email }: { readonly name: string | null; readonly email: string | null },
  ): Promise<void> {
    if (name !== null && (await this.users.find(tx, { name })) !== null) {
      throw new UserNameTakenError(`A user has or had the name "${name}": choose another one.`);
    }
    if (email !== null && (await this.users.find(tx, { email })) !== null) {
      throw new UserEmailTakenError('Another user has this address.');
    }
  }

  /** By name, those who are disabled too; at most 1,000. */
  async list(tx: Tx): Promise<ListedUser[]> {
    const counts = await this.sessions.countByUser(tx);
    const users = await this.users.list(tx);
    return users.map((user) => ({ ...user, sessions: counts.get(user.id) ?? 0 }));
  }

  async withSessions(tx: Tx, user: User): Promise<ListedUser> {
    return { ...user, sessions: (await this.sessions.list(tx, user.id)).length };
  }

  isEmpty(tx: Tx): Promise<boolean> {
    return this.users.isEmpty(tx);
  }

  /** `key`: an id, a name or an address. Throws UserUnknownError. */
  async get(tx: Tx, key: string): Promise<User> {
    const by = isUuid(key)
      ? { id: key }
      : key.includes('@')
        ? { email: key.toLowerCase() }
        : { name: key };
    const user = await this.users.find(tx, by);
    if (user === null) throw unknownUser();
    return user;
  }

  /**
   * `rights`: what is left out stays; vacancies of a role that has none are dropped. Throws UserVacanciesError,
   * LastAdminError.
   */
  async change(
    tx: Tx,
    { id }: User,
    rights: Partial<UserRights>,
  ): Promise<{ user: User; hasChanged: boolean }> {
    const { user, isLastAdmin } = await this.lock(tx, id);
    const role = rights.role ?? user.role;
    const kept = mayHaveVacancies(role) ? user.vacancyIds : null;
    const next = { role, vacancyIds: rights.vacancyIds === undefined ? kept : rights.vacancyIds };
    assertVacancies(next);
    if (isSame(next, user)) return { user, hasChanged: false };
    if (isLastAdmin && role !== 'admin') throw lastAdmin();
    return { user: await this.store(tx, user, next), hasChanged: true };
  }

  /** Ends all sessions of the user. `hasChanged` false: they were disabled before. Throws LastAdminError. */
  async disable(tx: Tx, { id }: User): Promise<{ user: User; hasChanged: boolean }> {
    const { user, isLastAdmin } = await this.lock(tx, id);
    if (isLastAdmin) throw lastAdmin();
    const disabled = await this.users.setDisabled(tx, id, true);
    if (disabled === null) return { user, hasChanged: false };
    await this.sessions.endOf(tx, id, null);
    await this.lookup.forgetWithCommit(tx, id);
    return { user: disabled, hasChanged: true };
  }

  /**
   * Ends the other sessions of the user, and their links for a new password. False: the user has another password by
   * now than `comparedHash`, and nothing changes; left out: none was compared.
   */
  async setPassword(
    tx: Tx,
    {
      userId,
      keptSessionId,
      ...password
    }: {
      readonly userId: string;
      readonly passwordHash: string;
      readonly comparedHash?: string;
      readonly keptSessionId: string | null;
    },
  ): Promise<boolean> {
    if (!(await this.users.setPassword(tx, userId, password))) return false;
    await this.links.revokeOf(tx, userId);
    await this.sessions.endOf(tx, userId, keptSessionId);
    await this.lookup.forgetWithCommit(tx, userId);
    return true;
  }

  async enable(tx: Tx, user: User): Promise<{ user: User; hasChanged: boolean }> {
    const enabled = await this.users.setDisabled(tx, user.id, false);
    if (enabled === null) return { user, hasChanged: false };
    await this.lookup.forgetWithCommit(tx, user.id);
    return { user: enabled, hasChanged: true };
  }

  /** Null: nobody has signed in as this person yet. */
  findByIdentity(tx: Tx, { issuer, subject }: Identity): Promise<User | null> {
    return this.users.find(tx, { issuer, subject });
  }

  /**
   * The user of this issuer and subject, made at the first sign-in and brought up to date at each further one.
   * Nobody is found by an address, because whoever chooses it at the provider would become that user. The name
   * stays as it was first, because the audit has it. `vacancyIds` null: the provider says nothing of them, so
   * those that an admin has named stay; an interviewer begins with none.
   *
   * The provider decides who is an admin, also about the last one. Throws UserDisabledError.
   */
  async signInByIdentity(tx: Tx, person: SignedInPerson): Promise<User> {
    const { issuer, subject } = person;
    const { id } =
      (await this.users.find(tx, { issuer, subject })) ?? (await this.createIdentity(tx, person));
    // Under its lock, so that the vacancies stay that an admin names at the same moment.
    const known = await this.users.lock(tx, id);
    if (known === null) throw unknownUser();
    if (known.disabledAt !== null) throw new UserDisabledError('This user is disabled.');
    const rights = identityRights(person, known.vacancyIds);
    const user = isSame(rights, known) ? known : await this.store(tx, known, rights);
    const email = person.email === null ? null : userEmailOf(person.email);
    if (email === null || email === user.email) return user;
    return (await this.users.setEmail(tx, user.id, email)) ?? user;
  }

  private async createIdentity(tx: Tx, person: SignedInPerson): Promise<User> {
    const { issuer, subject } = person;
    const given = person.email === null ? null : userEmailOf(person.email);
    const isFree = given === null || (await this.users.find(tx, { email: given })) === null;
    const user = {
      ...identityRights(person, null),
      email: isFree ? given : null,
      createdBy: issuer,
      passwordHash: null,
      identity: { issuer, subject },
    };
    const first = providedName(person.name);
    for (let n = 1; n <= MOST_NAMESAKES; n += 1) {
      const name = n === 1 ? first : `${first} (${String(n)})`;
      const created = await this.users.create(tx, { ...user, name });
      if (created !== null) return created;
      // Two first sign-ins at once: the other one has made the user.
      const other = await this.users.find(tx, { issuer, subject });
      if (other !== null) return other;
    }
    throw new UserNameTakenError('Too many users have or had this name.');
  }

  private async store(tx: Tx, { id }: User, rights: UserRights): Promise<User> {
    const stored = await this.users.setRights(tx, id, rights);
    if (stored === null) throw unknownUser();
    await this.lookup.forgetWithCommit(tx, id);
    return stored;
  }

  /**
   * Locks the user and all enabled admins until the commit, in one order for everybody: of two admins who take
   * each other's role away at once the second sees what the first has done. Throws UserUnknownError.
   */
  private async lock(tx: Tx, id: string): Promise<{ user: User; isLastAdmin: boolean }> {
    const admins = await this.users.lockAdmins(tx);
    const user = await this.users.lock(tx, id);
    if (user === null) throw unknownUser();
    return { user, isLastAdmin: admins.length === 1 && admins.includes(id) };
  }
}

const MOST_NAMESAKES = 50;

function unknownUser(): UserUnknownError {
  return new UserUnknownError('There is no such user.');
}

function lastAdmin(): LastAdminError {
  return new LastAdminError('No enabled admin would remain: make another user an admin first.');
}

function identityRights(
  { role, vacancyIds }: UserRights,
  stored: readonly string[] | null,
): UserRights {
  if (!mayHaveVacancies(role)) return { role, vacancyIds: null };
  return { role, vacancyIds: vacancyIds ?? stored ?? (role === 'interviewer' ? [] : null) };
}

/** Throws UserVacanciesError. */
export function assertVacancies({ role, vacancyIds }: UserRights): void {
  if (!mayHaveVacancies(role) && vacancyIds !== null) {
    throw new UserVacanciesError(`A user with the role ${role} reaches all vacancies: name none.`);
  }
  if (role === 'interviewer' && vacancyIds === null) {
    throw new UserVacanciesError('An interviewer needs vacancies: name those they interview for.');
  }
}

function isSame(one: UserRights, other: UserRights): boolean {
  const ids = (of: UserRights): string => JSON.stringify(of.vacancyIds?.toSorted() ?? null);
  return one.role === other.role && ids(one) === ids(other);
}
