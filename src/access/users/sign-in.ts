import { Injectable } from '@nestjs/common';
import { FailedAttempts, ProblemError } from '../../common/http';
import type { Tx, UnitOfWork } from '../../common/uow';
import { UserDisabledError } from '../errors';
import { AccountAttempts } from './account-attempts';
import { userEmailOf } from './names';
import { Passwords } from './passwords';
import { UserSessions } from './user-sessions';
import { type Credentials, type User, UserRepository } from './user.repository';

const AREA = 'team sign-in';

interface Shown {
  readonly password: string;
  /** Where the request comes from: an IP address. */
  readonly address: string;
}

/** A user whose password was right. */
export interface VerifiedUser {
  readonly user: User;
  /** The hash that it was compared with. */
  readonly comparedHash: string;
}

/**
 * Compares passwords. Every refusal is the same 401 `sign_in_wrong` and takes as long: for an unknown address, a
 * user without a password and one who is disabled a password that nobody has is compared. After ten failures
 * for an account, known or not, or from a network it is 429 `too_many_attempts`.
 */
@Injectable()
export class SignIn {
  constructor(
    private readonly users: UserRepository,
    private readonly sessions: UserSessions,
    private readonly passwords: Passwords,
    private readonly attempts: FailedAttempts,
    private readonly accounts: AccountAttempts,
  ) {}

  /** Throws ProblemError: 401, 429, 503. */
  async byEmail(uow: UnitOfWork, shown: Shown & { readonly email: string }): Promise<VerifiedUser> {
    // One that is no address is compared with nobody's, like an unknown one.
    const email = userEmailOf(shown.email) ?? '';
    return this.check(uow, { ...shown, key: { email }, account: email });
  }

  /** The same for somebody who has signed in and shows the password again. */
  async again(uow: UnitOfWork, shown: Shown & { readonly userId: string }): Promise<VerifiedUser> {
    return this.check(uow, { ...shown, key: { id: shown.userId }, account: shown.userId });
  }

  /** Begins a session of a verified user. Throws ProblemError (401) when they were disabled or have a new password. */
  async begin(
    tx: Tx,
    { user, comparedHash }: VerifiedUser,
    device: string,
  ): Promise<{ id: string; token: string }> {
    try {
      return await this.sessions.begin(tx, user, { method: 'password', device, comparedHash });
    } catch (error) {
      throw error instanceof UserDisabledError ? signInWrong() : error;
    }
  }

  private async check(
    uow: UnitOfWork,
    of: Shown & { readonly key: { email: string } | { id: string }; readonly account: string },
  ): Promise<VerifiedUser> {
    const { password, address, key, account } = of;
    this.attempts.assertAllowed(AREA, address);
    // Counted before the comparison, so that requests at once are no more tries than one after the other.
    const attempt = this.accounts.begin(account, address);
    let isSettled = false;
    try {
      const found = await uow.commitOne('user.find', (tx) => this.users.findCredentials(tx, key));
      const hash = hashOf(found);
      const isRight = await this.passwords.isRight(password, hash, () => {
        this.attempts.assertAllowed(AREA, address);
      });
      isSettled = true;
      if (!isRight || found === null || hash === null) {
        throw this.attempts.failed(AREA, address, signInWrong());
      }
      attempt.succeeded();
      this.attempts.succeeded(AREA, address);
      return { user: found.user, comparedHash: hash };
    } finally {
      // Nothing was compared: the database or the queue has refused it.
      if (!isSettled) attempt.takeBack();
    }
  }
}

function hashOf(found: Credentials | null): string | null {
  return found === null || found.user.disabledAt !== null ? null : found.passwordHash;
}

export function signInWrong(): ProblemError {
  return new ProblemError(401, 'sign_in_wrong', 'The address or the password is wrong.');
}
