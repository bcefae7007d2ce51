import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { ProblemError } from '../../common/http';
import { hashToken } from '../../common/ids';

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
