import { Injectable } from '@nestjs/common';
import { isUuid } from '../../common/ids';
import type { Tx } from '../../common/uow';
import {
  TeamLinkEndedError,
  TeamLinkUnknownError,
  UserDisabledError,
  UserWithoutPasswordError,
} from '../errors';
import { Passwords } from './passwords';
import { type UserLink, UserLinkRepository } from './user-link.repository';
import type { User, UserRights } from './user.repository';
import { Users, assertVacancies } from './users.service';

const DAY_MS = 24 * 3_600_000;
const INVITATION_MS = 7 * DAY_MS;
const PASSWORD_MS = DAY_MS;

/** The page of a link, below the address of the application. */
export function joinPath(token: string): string {
  return `/console/join/${token}`;
}

interface Invitation extends UserRights {
  /** What is known of the person; they may choose another one. */
  readonly name: string | null;
  readonly email: string | null;
  /** Who invites, as the audit names them. */
  readonly createdBy: string;
}

export interface MadeLink {
  readonly link: UserLink;
  /** It is returned only here. */
  readonly token: string;
}

/** Makes and ends the links by which colleagues join or get a new password. The caller notes it in the audit, in the same commit. */
@Injectable()
export class UserLinks {
  constructor(
    private readonly links: UserLinkRepository,
    private readonly users: Users,
    private readonly passwords: Passwords,
  ) {}

  /**
   * Works for 7 days. Throws UserVacanciesError, UserNameTakenError, UserEmailTakenError, PasswordsOffError: who joins
   * by a link gets a password.
   */
  async invite(tx: Tx, invitation: Invitation): Promise<MadeLink> {
    this.passwords.assertOn();
    assertVacancies(invitation);
    const { name, email } = invitation;
    await this.users.assertFree(tx, { name, email });
    return this.links.create(tx, {
      ...invitation,
      kind: 'invitation',
      userId: null,
      lifetimeMs: INVITATION_MS,
    });
  }

  /**
   * Works for a day, and ends earlier ones of the user. Throws UserDisabledError, UserWithoutPasswordError,
   * PasswordsOffError.
   */
  async passwordLink(tx: Tx, user: User, createdBy: string): Promise<MadeLink> {
    this.passwords.assertOn();
    if (user.disabledAt !== null) throw new UserDisabledError('This user is disabled.');
    if (user.method !== 'password') {
      throw new UserWithoutPasswordError('This user signs in elsewhere and has no password here.');
    }
    await this.links.revokeOf(tx, user.id);
    const nothing = { name: null, email: null, role: null, vacancyIds: null };
    return this.links.create(tx, {
      ...nothing,
      kind: 'password',
      userId: user.id,
      createdBy,
      lifetimeMs: PASSWORD_MS,
    });
  }

  async isPending(tx: Tx, token: string): Promise<boolean> {
    return (await this.links.find(tx, token))?.state === 'pending';
  }

  /** Throws TeamLinkUnknownError, TeamLinkEndedError. Reads only. */
  async get(tx: Tx, token: string): Promise<UserLink> {
    const link = await this.links.find(tx, token);
    if (link === null) throw unknownLink();
    if (link.state === 'ended') throw endedLink();
    return link;
  }

  /**
   * Makes the user of an invitation, and ends it. Of two people at once one is the user. Throws
   * TeamLinkEndedError, UserNameTakenError, UserEmailTakenError, UserVacanciesError.
   */
  async join(
    tx: Tx,
    { id, role, vacancyIds, createdBy }: UserLink,
    person: { readonly name: string; readonly email: string; readonly passwordHash: string },
  ): Promise<User> {
    if (!(await this.links.use(tx, id))) throw endedLink();
    if (role === null) throw new Error('an invitation has a role');
    return this.users.create(tx, { ...person, role, vacancyIds, createdBy, identity: null });
  }

  /**
   * Gives the user of a password link a new password; ends the link and all sessions of the user. Throws
   * TeamLinkEndedError.
   */
  async setPassword(tx: Tx, { id, userId }: UserLink, passwordHash: string): Promise<User> {
    if (!(await this.links.use(tx, id))) throw endedLink();
    if (userId === null) throw new Error('a password link has a user');
    await this.users.setPassword(tx, { userId, passwordHash, keptSessionId: null });
    return this.users.get(tx, userId);
  }

  /** Throws TeamLinkUnknownError when no pending link has this id. */
  async revoke(tx: Tx, id: string): Promise<UserLink> {
    const revoked = isUuid(id) ? await this.links.revoke(tx, id) : null;
    if (revoked === null) throw unknownLink();
    return revoked;
  }

  /** The newest first; at most 1,000. */
  listPending(tx: Tx): Promise<UserLink[]> {
    return this.links.listPending(tx);
  }
}

function unknownLink(): TeamLinkUnknownError {
  return new TeamLinkUnknownError('There is no such link.');
}

function endedLink(): TeamLinkEndedError {
  return new TeamLinkEndedError('The link was used, was revoked, or has expired.');
}
