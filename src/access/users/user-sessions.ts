import { Injectable } from '@nestjs/common';
import { hashToken, isUuid } from '../../common/ids';
import type { Tx } from '../../common/uow';
import { UserDisabledError, UserSessionUnknownError } from '../errors';
import { UserSessionLookup } from './session-lookup';
import {
  type SessionEnds,
  type SessionRights,
  type UserSession,
  UserSessionRepository,
} from './user-session.repository';
import { type SignInMethod, type User, UserRepository } from './user.repository';

interface NewSession {
  readonly method: SignInMethod;
  /** What the browser says about itself, in a few words (`deviceOf`). */
  readonly device: string;
  /** The hash that the password was compared with; undefined: no password was compared. */
  readonly comparedHash?: string;
}

/**
 * Begins and ends the sessions of colleagues. What ends holds on every replica from its commit on. The caller
 * notes it in the audit, in the same commit.
 */
@Injectable()
export class UserSessions {
  constructor(
    private readonly sessions: UserSessionRepository,
    private readonly users: UserRepository,
    private readonly lookup: UserSessionLookup,
  ) {}

  /**
   * Returns the secret for the browser's cookie, which is shown only once. Throws UserDisabledError, also when
   * the password has changed since it was compared.
   */
  async begin(
    tx: Tx,
    user: Pick<User, 'id'>,
    { method, device, comparedHash }: NewSession,
  ): Promise<{ id: string; token: string }> {
    const signedIn = await this.users.noteSignedIn(tx, user.id, comparedHash);
    if (signedIn === null) throw new UserDisabledError('This user is disabled.');
    const isConfirmed = method === 'password';
    return this.sessions.create(tx, { userId: user.id, method, device, isConfirmed });
  }

  /** The person has shown just now that it is them. Throws UserSessionUnknownError. */
  async confirm(tx: Tx, sessionId: string): Promise<void> {
    const confirmed = await this.sessions.confirm(tx, sessionId);
    if (confirmed === null) throw unknownSession();
    await this.lookup.forgetWithCommit(tx, confirmed.userId);
  }

  /** Null: it has ended. */
  ends(tx: Tx, sessionId: string): Promise<SessionEnds | null> {
    return this.sessions.ends(tx, sessionId);
  }

  /** The live ones of a user, the newest first; at most 200. */
  list(tx: Tx, userId: string): Promise<UserSession[]> {
    return this.sessions.list(tx, userId);
  }

  /** Of these sessions those that are live, with the rights of their users. Reads only. */
  listLive(tx: Tx, ids: readonly string[]): Promise<SessionRights[]> {
    return this.sessions.listLive(tx, ids);
  }

  /** Throws UserSessionUnknownError. */
  async end(tx: Tx, session: { readonly id: string; readonly userId: string }): Promise<void> {
    const isEnded = isUuid(session.id) && (await this.sessions.end(tx, session));
    if (!isEnded) throw unknownSession();
    await this.lookup.forgetWithCommit(tx, session.userId);
  }

  /** Ends the session of a cookie. Null: it has ended before. */
  async endByToken(tx: Tx, token: string): Promise<{ id: string; userId: string } | null> {
    const ended = await this.sessions.endByHash(tx, hashToken(token));
    if (ended !== null) await this.lookup.forgetWithCommit(tx, ended.userId);
    return ended;
  }

  /** Ends all sessions of a user except this one, or all of them; returns how many. */
  async endOthers(tx: Tx, userId: string, keptId: string | null): Promise<number> {
    const count = await this.sessions.endOf(tx, userId, keptId);
    if (count > 0) await this.lookup.forgetWithCommit(tx, userId);
    return count;
  }
}

function unknownSession(): UserSessionUnknownError {
  return new UserSessionUnknownError('The user has no such session.');
}

const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(e|A|iOS)?\//, 'Edge'],
  [/\b(OPR|Opera)\//, 'Opera'],
  [/\bYaBrowser\//, 'Yandex Browser'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\b(iPhone|iPad)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A User-Agent header in a few words, like "Chrome, Linux"; nothing of its own text. */
export function deviceOf(userAgent: string | undefined): string {
  const named = [BROWSERS, SYSTEMS].flatMap(
    (known) => known.find(([form]) => form.test(userAgent ?? ''))?.[1] ?? [],
  );
  return named.length === 0 ? 'unknown' : named.join(', ');
}
