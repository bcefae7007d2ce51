import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { hashToken } from '../../common/ids';
import type { Tx, UnitOfWork } from '../../common/uow';
import { SignalCache, SignalConnection, signalWithCommit } from '../../persistence';
import { type Principal, scopesOf } from '../rights';
import { type ShownSession, UserSessionRepository } from './user-session.repository';
import type { SignInMethod } from './user.repository';

const CHANGED = /^\[\["user","([0-9a-f-]{36})"\]\]$/;

/** The id of the user that a signal is about; null: it is another signal. */
export function changedUserIn(payload: string): string | null {
  return CHANGED.exec(payload)?.[1] ?? null;
}

/** Whose session a cookie is. */
export interface FoundSession {
  readonly principal: Principal;
  readonly sessionId: string;
  readonly method: SignInMethod;
  /** By the monotonic clock; in the past: what needs the password asks for it. */
  readonly confirmedUntilMs: number;
}

/** The form of newToken(); any other token is unknown without asking the database. */
const TOKEN = /^[\w-]{32}$/;

/** Whose session a token is. What was found is remembered for a while (`SignalCache`), until its end at most. */
@Injectable()
export class UserSessionLookup implements OnModuleInit {
  /** By the token's hash. */
  private readonly found: SignalCache<FoundSession>;

  constructor(
    private readonly sessions: UserSessionRepository,
    private readonly signals: SignalConnection,
    private readonly clock: Clock,
  ) {
    this.found = new SignalCache(signals, clock, changedUserIn);
  }

  onModuleInit(): void {
    this.signals.listen(this.found);
  }

  /**
   * Null: there is no such session, or it has ended. `unit`: the request's unit of work, opened only when the
   * database is asked; with `isFresh` it is.
   */
  async find(
    token: string,
    unit: () => UnitOfWork,
    options: { readonly isFresh?: boolean } = {},
  ): Promise<FoundSession | null> {
    if (!TOKEN.test(token)) return null;
    const hash = hashToken(token);
    const nowMs = this.clock.monotonicMs();
    const read = async () => {
      const shown = await unit().commitOne('user_session.use', (tx) => this.sessions.use(tx, hash));
      if (shown === null) return null;
      const value = foundIn(shown, nowMs);
      return { value, subjectId: shown.userId, validMs: shown.remainingMs };
    };
    return this.found.find(hash, read, options);
  }

  isConfirmed({ confirmedUntilMs }: FoundSession): boolean {
    return confirmedUntilMs > this.clock.monotonicMs();
  }

  /**
   * For a commit that changes the user or ends a session of theirs: from it on every replica asks the database
   * again who the user is and whose their sessions are.
   */
  async forgetWithCommit(tx: Tx, userId: string): Promise<void> {
    await signalWithCommit(tx, [JSON.stringify([['user', userId]])]);
    tx.afterCommit(() => {
      this.found.forget([userId]);
    });
  }
}

function foundIn(shown: ShownSession, nowMs: number): FoundSession {
  const { id, method, userId, name, role, vacancyIds, confirmedMs } = shown;
  const actor = `user ${name}`;
  const scopes = scopesOf(role);
  return {
    principal: { keyId: null, userId, sessionId: id, actor, scopes, vacancyIds },
    sessionId: id,
    method,
    confirmedUntilMs: nowMs + confirmedMs,
  };
}
