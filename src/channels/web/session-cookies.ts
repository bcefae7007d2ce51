import type { FastifyReply, FastifyRequest } from 'fastify';
import { hashToken } from '../../common/ids';

/** The session of the interview that this browser opened last. */
export const SESSION_COOKIE = 'colloquy_session';
/** The same of each link, sent to `POST /sessions` only: a browser may hold several interviews. */
const LINK_COOKIE_PREFIX = 'colloquy_link_';
const SESSIONS_PATH = '/api/v1/sessions';
const LIFETIME_S = 180 * 24 * 3600;
const BEARER = /^Bearer +(\S+) *$/i;

export function bearerOf(request: FastifyRequest): string | undefined {
  return BEARER.exec(request.headers.authorization ?? '')?.[1];
}

/** The sessions that a browser shows when it opens this link, the likeliest first. */
export function sessionsShown(request: FastifyRequest, invite: string): string[] {
  const { cookies } = request;
  const shown = [bearerOf(request), cookies[linkCookie(invite)], cookies[SESSION_COOKIE]];
  return shown.filter((token) => token !== undefined);
}

export function setSessionCookies(
  reply: FastifyReply,
  invite: string,
  session: { readonly token: string; readonly isSecure: boolean },
): void {
  const common = {
    httpOnly: true,
    sameSite: 'lax',
    secure: session.isSecure,
    maxAge: LIFETIME_S,
  } as const;
  void reply.setCookie(SESSION_COOKIE, session.token, { ...common, path: '/' });
  void reply.setCookie(linkCookie(invite), session.token, { ...common, path: SESSIONS_PATH });
}

/** What a link's own cookie still says then leads nowhere: its session is gone. */
export function clearSessionCookie(reply: FastifyReply): void {
  void reply.clearCookie(SESSION_COOKIE, { path: '/' });
}

/** The link is a secret of its own: its name here is a part of its hash. */
function linkCookie(invite: string): string {
  return `${LINK_COOKIE_PREFIX}${hashToken(invite).slice(0, 16)}`;
}
