import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Settings } from '../../common/config';
import { hashToken } from '../../common/ids';
import { FLOW_MS } from './oidc.service';

const PREFIX = 'colloquy_oidc_';

/**
 * The cookies of sign-ins that have begun, one for each `state`, so that two tabs do not disturb each other. They
 * are sent to the callback only. `SameSite` is lax, because the provider's site sends the browser there.
 */
@Injectable()
export class FlowCookies {
  private readonly isHttps: boolean;
  private readonly path: string;

  constructor({ http, oidc }: Settings) {
    this.isHttps = http.publicUrl.startsWith('https:');
    this.path = oidc === null ? '/' : new URL(oidc.callbackUrl).pathname;
  }

  set(reply: FastifyReply, state: string, sealed: string): void {
    const options = { ...this.common, maxAge: FLOW_MS / 1000 };
    void reply.setCookie(this.nameOf(state), sealed, options);
  }

  /** What was kept for this `state`, once: the browser is told to forget it. */
  take(request: FastifyRequest, reply: FastifyReply, state: string): string | undefined {
    const name = this.nameOf(state);
    const sealed = request.cookies[name];
    if (sealed !== undefined) void reply.clearCookie(name, this.common);
    return sealed;
  }

  private get common() {
    const { path, isHttps: secure } = this;
    return { httpOnly: true, sameSite: 'lax', secure, path } as const;
  }

  /** With https the prefix keeps plain http from setting it. A part of the hash: a `state` is as long as one likes. */
  private nameOf(state: string): string {
    return `${this.isHttps ? '__Secure-' : ''}${PREFIX}${hashToken(state).slice(0, 16)}`;
  }
}
