import {
  Injectable,
  type OnModuleInit,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import { hashToken } from '../../common/ids';
import { WebSessionRepository, isSessionToken } from '../../candidates';
import { Clock } from '../../common/clock';
import { UnitOfWorkFactory } from '../../common/uow';
import { NoticeConnection, type NoticeListener } from '../../persistence';

const SESSION = 'colloquy_session';
const LINK_PREFIX = 'colloquy_link_';
const SESSIONS_PATH = '/api/v1/sessions';
const BEARER = /^Bearer +(\S+) *$/i;
const READING = new Set(['GET', 'HEAD']);

/**
 * How a browser shows its sessions: the one of the interview that it opened last, sent everywhere,
 * and one for each link, sent below `/api/v1/sessions` only. A browser may hold several interviews.
 *
 * Where candidates come by https the names have the prefixes that make browsers refuse a cookie
 * which another host of the same domain, or plain http, tries to set.
 */
@Injectable()
export class SessionCookies {
  private readonly sessionName: string;
  private readonly linkPrefix: string;
  private readonly isHttps: boolean;
  private readonly publicOrigin: string | null;
  private readonly lifetimeS: number;

  constructor(settings: Settings) {
    const { publicUrl } = settings.http;
    this.isHttps = publicUrl.startsWith('https:');
    this.sessionName = this.isHttps ? `__Host-${SESSION}` : SESSION;
    // `__Host-` would want the path of the whole site.
    this.linkPrefix = this.isHttps ? `__Secure-${LINK_PREFIX}` : LINK_PREFIX;
    this.publicOrigin = publicUrl === '' ? null : new URL(publicUrl).origin;
    this.lifetimeS = Math.ceil(settings.session.lifetimeMs / 1000);
  }

  /** The session that a request is made with. Throws ProblemError for a write of another site. */
  sessionOf(request: FastifyRequest): string | undefined {
    // A header wins over a cookie, also a wrong one: a program that sends one means it.
    const bearer = bearerOf(request);
    if (bearer !== undefined) return bearer;
    const token = request.cookies[this.sessionName];
    if (token !== undefined) this.assertOwnOrigin(request);
    return token;
  }

  /**
   * The sessions that a browser shows when it opens this link, the likeliest first. Throws
   * ProblemError for a request of another site.
   */
  shownFor(request: FastifyRequest, invite: string): string[] {
    const { cookies } = request;
    const kept = [cookies[this.linkName(invite)], cookies[this.sessionName]];
    const bearer = bearerOf(request);
    if (bearer === undefined && kept.some((token) => token !== undefined)) {
      this.assertOwnOrigin(request);
    }
    return [bearer, ...kept].filter((token) => token !== undefined);
  }

  set(request: FastifyRequest, reply: FastifyReply, invite: string, token: string): void {
    const common = {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.isHttps || request.protocol === 'https',
      maxAge: this.lifetimeS,
    } as const;
    void reply.setCookie(this.sessionName, token, { ...common, path: '/' });
    void reply.setCookie(this.linkName(invite), token, { ...common, path: SESSIONS_PATH });
  }

  /** Takes this session's cookies back: those that the request shows, and the one sent everywhere. */
  clear(request: FastifyRequest, reply: FastifyReply, token: string): void {
    const common = { httpOnly: true, sameSite: 'lax', secure: this.isHttps } as const;
    // Another interview may have been opened since in this browser: its cookie stays.
    const shown = request.cookies[this.sessionName];
    if (shown === undefined || shown === token) {
      void reply.clearCookie(this.sessionName, { ...common, path: '/' });
    }
    for (const [name, value] of Object.entries(request.cookies)) {
      if (!name.startsWith(this.linkPrefix) || value !== token) continue;
      void reply.clearCookie(name, { ...common, path: SESSIONS_PATH });
    }
  }

  /**
   * A cookie is sent whatever page asks. Browsers say which one it is, by Sec-Fetch-Site or Origin,
   * and let no page change that; whoever says neither is no browser and has to send a bearer. By the
   * host alone: behind a proxy this server does not know whether it is reached by https.
   */
  private assertOwnOrigin(request: FastifyRequest): void {
    if (READING.has(request.method)) return;
    if (request.headers['sec-fetch-site'] === 'same-origin') return;
    const { origin } = request.headers;
    if (origin !== undefined && URL.canParse(origin)) {
      const parsed = new URL(origin);
      if (parsed.origin === this.publicOrigin || parsed.host === request.host) return;
    }
    throw new ProblemError(403, 'origin_refused', 'This was sent by a page of another site.');
  }

  /** The link is a secret of its own: its name here is a part of its hash. */
  private linkName(invite: string): string {
    return `${this.linkPrefix}${hashToken(invite).slice(0, 16)}`;
  }
}

function bearerOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

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

interface ShownSession {
  readonly token: string;
  readonly conversationId: string;
}

const SESSIONS = new WeakMap<FastifyRequest, ShownSession>();

/**
 * Lets a request through that carries a candidate's session, by header or by cookie. It runs before
 * the body is read, and asks the database only about a token that could be one.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionLookup,
    private readonly cookies: SessionCookies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const token = this.cookies.sessionOf(request);
    const conversationId = token === undefined ? null : await this.sessions.conversationOf(token);
    if (token === undefined || conversationId === null) {
      throw new ProblemError(401, 'session_unknown', 'There is no such session.');
    }
    SESSIONS.set(request, { token, conversationId });
    return true;
  }
}

/** The conversation of the request's session. */
export const CurrentConversation = createParamDecorator(
  (_: unknown, context: ExecutionContext) => shownIn(context).conversationId,
);

/** The request's session itself: what its cookie or its header says. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext) => shownIn(context).token,
);

function shownIn(context: ExecutionContext): ShownSession {
  const session = SESSIONS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (session === undefined) throw new Error('the route has no SessionGuard');
  return session;
}
