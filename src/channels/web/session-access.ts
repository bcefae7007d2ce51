import {
  Injectable,
  type OnModuleInit,
  type CanActivate,
  createParamDecorator,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { ProblemError, assertOwnOrigin, originOf } from '../../common/http';
import { hashToken } from '../../common/ids';
import { WebSessionRepository, isSessionToken } from '../../candidates';
import { Clock } from '../../common/clock';
import { DomainEventHandler, type PayloadOf } from '../../common/events';
import { noteIds } from '../../common/tracing';
import { type Tx, type UnitOfWork, requestUnit } from '../../common/uow';
import { SignalCache, SignalConnection } from '../../persistence';

const SESSION = 'colloquy_session';
const LINK_PREFIX = 'colloquy_link_';
const SESSIONS_PATH = '/api/v1/sessions';
const BEARER = /^Bearer +(\S+) *$/i;

/**
 * The cookies of a browser's sessions: one for the interview that it opened last, sent with every
 * request, and one for each link, sent below `/api/v1/sessions` only. A browser may have several
 * interviews.
 *
 * With https the names have the prefixes that make browsers refuse a cookie which another host of the
 * same domain, or plain http, tries to set.
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
    // `__Host-` is only for cookies of the path `/`.
    this.linkPrefix = this.isHttps ? `__Secure-${LINK_PREFIX}` : LINK_PREFIX;
    this.publicOrigin = originOf(publicUrl);
    this.lifetimeS = Math.ceil(settings.session.lifetimeMs / 1000);
  }

  /** The token of a request's session. Throws ProblemError for a write from another site. */
  sessionOf(request: FastifyRequest): string | undefined {
    // A header, also a wrong one, goes before a cookie: only a program sends one, on purpose.
    const bearer = bearerOf(request);
    if (bearer !== undefined) return bearer;
    const token = request.cookies[this.sessionName];
    if (token !== undefined) assertOwnOrigin(request, this.publicOrigin);
    return token;
  }

  /**
   * The tokens that a browser sends when it opens this link, the likeliest first. Throws
   * ProblemError for a request from another site.
   */
  tokensFor(request: FastifyRequest, invite: string): string[] {
    const { cookies } = request;
    const kept = [cookies[this.linkName(invite)], cookies[this.sessionName]];
    const bearer = bearerOf(request);
    if (bearer === undefined && kept.some((token) => token !== undefined)) {
      assertOwnOrigin(request, this.publicOrigin);
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

  /** Deletes this session's cookies: the general one, and those of its links that came with the request. */
  clear(request: FastifyRequest, reply: FastifyReply, token: string): void {
    const common = { httpOnly: true, sameSite: 'lax', secure: this.isHttps } as const;
    // The browser may have opened another interview since: that cookie stays.
    const current = request.cookies[this.sessionName];
    if (current === undefined || current === token) {
      void reply.clearCookie(this.sessionName, { ...common, path: '/' });
    }
    for (const [name, value] of Object.entries(request.cookies)) {
      if (!name.startsWith(this.linkPrefix) || value !== token) continue;
      void reply.clearCookie(name, { ...common, path: SESSIONS_PATH });
    }
  }

  /** The link is a secret too, so the cookie's name holds a part of its hash. */
  private linkName(invite: string): string {
    return `${this.linkPrefix}${hashToken(invite).slice(0, 16)}`;
  }
}

function bearerOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

/** The signal that the database sends when it deletes a session (trigger `web_session_ended`). */
const ENDED = /^\[\["session", "([0-9a-f-]{36})"\]\]$/;

/**
 * Which conversation a session token opens. The result is remembered for a while (`SignalCache`), because a
 * browser sends several requests a second and each look-up costs a commit. The commit that deletes a session
 * sends a signal to every replica. A session may exceed its idle time and lifetime by the 10 s.
 */
@Injectable()
export class SessionLookup implements OnModuleInit {
  /** By the token's hash. */
  private readonly found: SignalCache<string>;

  constructor(
    private readonly sessions: WebSessionRepository,
    private readonly signals: SignalConnection,
    clock: Clock,
  ) {
    this.found = new SignalCache(signals, clock, (payload) => ENDED.exec(payload)?.[1] ?? null);
  }

  onModuleInit(): void {
    this.signals.listen(this.found);
  }

  /**
   * Null when there is no such session or it has ended. `unit`: the request's unit of work, opened
   * only when the database is asked.
   */
  async conversationOf(token: string, unit: () => UnitOfWork): Promise<string | null> {
    if (!isSessionToken(token)) return null;
    return this.found.find(hashToken(token), async () => {
      const conversationId = await unit().commitOne('session.resolve', (tx) =>
        this.sessions.use(tx, token),
      );
      if (conversationId === null) return null;
      return { value: conversationId, subjectId: conversationId, validMs: Infinity };
    });
  }

  /** Sessions of these conversations have ended: called after the commit. */
  forget(conversationIds: readonly string[]): void {
    this.found.forget(conversationIds);
  }

  /** Sessions of erased conversations are deleted with them. */
  @DomainEventHandler('conversation.erased', { order: 30 })
  onErased(tx: Tx, { conversationIds }: PayloadOf<'conversation.erased'>): void {
    tx.afterCommit(() => {
      this.forget(conversationIds);
    });
  }
}

interface RequestSession {
  readonly token: string;
  readonly conversationId: string;
}

const SESSIONS = new WeakMap<FastifyRequest, RequestSession>();

/**
 * Accepts requests with a candidate's session, in a header or a cookie. It runs before the body is
 * read, and asks the database only about a token of the right form.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  constructor(
    private readonly sessions: SessionLookup,
    private readonly cookies: SessionCookies,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const unit = (): UnitOfWork => requestUnit(request, http.getResponse<FastifyReply>());
    const token = this.cookies.sessionOf(request);
    const conversationId =
      token === undefined ? null : await this.sessions.conversationOf(token, unit);
    if (token === undefined || conversationId === null) {
      throw new ProblemError(401, 'session_unknown', 'There is no such session.');
    }
    noteIds({ conversation: conversationId });
    SESSIONS.set(request, { token, conversationId });
    return true;
  }
}

/** The conversation of the request's session. */
export const CurrentConversation = createParamDecorator((_: unknown, context: ExecutionContext) =>
  conversationIn(context),
);

/** The same for an interceptor. */
export function conversationIn(context: ExecutionContext): string {
  return sessionIn(context).conversationId;
}

/** The token of the request's session. */
export const CurrentSession = createParamDecorator(
  (_: unknown, context: ExecutionContext) => sessionIn(context).token,
);

function sessionIn(context: ExecutionContext): RequestSession {
  const session = SESSIONS.get(context.switchToHttp().getRequest<FastifyRequest>());
  if (session === undefined) throw new Error('the route has no SessionGuard');
  return session;
}
