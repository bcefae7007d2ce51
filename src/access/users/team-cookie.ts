import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { assertOwnOrigin, originOf } from '../../common/http';

const NAME = 'colloquy_team';

/**
 * The cookie of a colleague's session. With https its name has the prefix that makes browsers refuse a cookie
 * which another host of the same domain, or plain http, tries to set.
 */
@Injectable()
export class TeamCookie {
  readonly name: string;
  private readonly isHttps: boolean;
  private readonly publicOrigin: string | null;
  private readonly lifetimeS: number;

  constructor({ http, session }: Settings) {
    this.isHttps = http.publicUrl.startsWith('https:');
    this.name = this.isHttps ? `__Host-${NAME}` : NAME;
    this.publicOrigin = originOf(http.publicUrl);
    this.lifetimeS = Math.ceil(session.userLifetimeMs / 1000);
  }

  /** Undefined: the request has none. Throws ProblemError for a write from another site. */
  tokenOf(request: FastifyRequest): string | undefined {
    // Plugins of a server that is tried without ours may not read cookies.
    const cookies = request.cookies as Record<string, string | undefined> | undefined;
    const token = cookies?.[this.name];
    if (token !== undefined) assertOwnOrigin(request, this.publicOrigin);
    return token;
  }

  set(request: FastifyRequest, reply: FastifyReply, token: string): void {
    const secure = this.isHttps || request.protocol === 'https';
    void reply.setCookie(this.name, token, { ...COMMON, secure, maxAge: this.lifetimeS });
  }

  clear(reply: FastifyReply): void {
    void reply.clearCookie(this.name, { ...COMMON, secure: this.isHttps });
  }
}

const COMMON = { httpOnly: true, sameSite: 'lax', path: '/' } as const;
