import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isIPv4 } from 'node:net';
import { timingSafeEqual } from 'node:crypto';
import { Settings } from '../common/config';
import { ProblemError } from '../common/http';
import { hashToken } from '../common/ids';

/** For whoever runs the server. Patterns of routes; the API's description has several. */
const MANAGEMENT_ROUTES = /^\/(metrics|docs)/;
const BEARER = /^Bearer +(\S+) *$/i;
const BASIC = /^Basic +(\S+) *$/i;

/**
 * Who may see metrics, the API's description and the details of probes: whoever shows
 * MANAGEMENT_TOKEN, as a bearer or as the password that a browser asks for. Without one they are
 * open to this machine alone, which only holds while no proxy brings requests from elsewhere.
 */
@Injectable()
export class ManagementAccess {
  private readonly token;
  private readonly isLocal;

  constructor({ http }: Settings) {
    this.token = http.managementToken;
    this.isLocal = isLoopback(http.host) && http.trustProxy === false;
  }

  allows(request: FastifyRequest): boolean {
    return this.token === '' ? this.isLocal : this.isShown(request);
  }

  /** To be called before there are routes. */
  protect(server: FastifyInstance): void {
    // Behind the rate limit: guesses count.
    server.addHook('preParsing', async (request, reply) => {
      const isProtected = MANAGEMENT_ROUTES.test(request.routeOptions.url ?? '');
      if (!isProtected || this.allows(request)) return;
      if (this.token === '') {
        const title = 'This is off: set MANAGEMENT_TOKEN, or HOST to a loopback address.';
        throw new ProblemError(404, 'management_off', title);
      }
      void reply.header('www-authenticate', 'Basic realm="management", Bearer');
      const title = 'This needs the management token as a bearer or password.';
      throw new ProblemError(401, 'management_token_wrong', title);
    });
  }

  private isShown({ headers }: FastifyRequest): boolean {
    const { authorization = '' } = headers;
    const basic = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
    const shown = BEARER.exec(authorization)?.[1] ?? basic.slice(basic.indexOf(':') + 1);
    // Of equal length whatever was shown, so that the comparison takes the same time.
    return timingSafeEqual(Buffer.from(hashToken(shown)), Buffer.from(hashToken(this.token)));
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}
