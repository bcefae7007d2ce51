import { Injectable, type OnModuleInit } from '@nestjs/common';
import { WebSessionRepository, isSessionToken } from '../../candidates';
import { Clock } from '../../common/clock';
import { hashToken } from '../../common/ids';
import { UnitOfWorkFactory } from '../../common/uow';
import { NoticeConnection, type NoticeListener } from '../../persistence';

/** Longest time that a session works on a replica which was not told of its end. */
const SESSION_REMEMBERED_MS = 10_000;
const MOST_REMEMBERED = 10_000;
/** What the database sends when it deletes a session (migration 32). */
const ENDED = /^\[\["session", "([0-9a-f-]{36})"\]\]$/;

interface Remembered {
  readonly conversationId: string;
  readonly untilMs: number;
}

/**
 * Whose conversation a session token opens. What the database said is remembered for some seconds:
 * several requests a second come from one browser, and each has a commit of its own to pay for.
 *
 *   unknown ──looked up──> remembered ──10 s, or a notice that it ended, or `forget`──> unknown
 *
 * Every replica is told of a session's end with the commit that deletes it. Without contact to the
 * notices nothing is remembered. Idle time and lifetime may be exceeded by the 10 seconds.
 */
@Injectable()
export class SessionLookup implements NoticeListener, OnModuleInit {
  /** By the token's hash, the oldest first. */
  private readonly remembered = new Map<string, Remembered>();
  /** Counts what ended: a look-up that was under way meanwhile may have read what is no more. */
  private ends = 0;

  constructor(
    private readonly units: UnitOfWorkFactory,
    private readonly sessions: WebSessionRepository,
    private readonly notices: NoticeConnection,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.notices.listen(this);
  }

  /** Null for a token that nobody was given, or whose session has ended. */
  async conversationOf(token: string): Promise<string | null> {
    if (!isSessionToken(token)) return null;
    const hash = hashToken(token);
    const known = this.remembered.get(hash);
    const nowMs = this.clock.monotonicMs();
    if (known !== undefined && known.untilMs > nowMs && this.notices.isConnected) {
      return known.conversationId;
    }
    this.remembered.delete(hash);
    const { ends } = this;
    const conversationId = await this.units.run('session', (uow) =>
      uow.commitOne('session.resolve', (tx) => this.sessions.use(tx, token)),
    );
    if (conversationId !== null && ends === this.ends && this.notices.isConnected) {
      this.remember(hash, { conversationId, untilMs: nowMs + SESSION_REMEMBERED_MS });
    }
    return conversationId;
  }

  /** Sessions of these conversations ended in this process: call it after the commit. */
  forget(conversationIds: readonly string[]): void {
    this.ends += 1;
    const ended = new Set(conversationIds);
    for (const [hash, { conversationId }] of this.remembered) {
      if (ended.has(conversationId)) this.remembered.delete(hash);
    }
  }

  onNotice(payload: string): void {
    const conversationId = ENDED.exec(payload)?.[1];
    if (conversationId !== undefined) this.forget([conversationId]);
  }

  /** Notices may have been missed until now. */
  onConnected(): void {
    this.ends += 1;
    this.remembered.clear();
  }

  private remember(hash: string, found: Remembered): void {
    this.remembered.set(hash, found);
    if (this.remembered.size <= MOST_REMEMBERED) return;
    const [oldest] = this.remembered.keys();
    if (oldest !== undefined) this.remembered.delete(oldest);
  }
}
