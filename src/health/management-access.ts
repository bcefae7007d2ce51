import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify';
import { isIPv4 } from 'node:net';
import { timingSafeEqual } from 'node:crypto';
import { Settings } from '../common/config';
import { FailedAttempts, ProblemError } from '../common/http';
import { hashToken } from '../common/ids';
import type { Metrics } from '../common/metrics';

/** For whoever runs the server. Patterns of routes; the API's description has several. */
const MANAGEMENT_ROUTES = /^\/(metrics|docs)/;
const BEARER = /^Bearer +(\S+) *$/i;
const GUARDED = 'management pages';
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

  constructor(
    { http }: Settings,
    private readonly attempts: FailedAttempts,
  ) {
    this.token = http.managementToken;
    this.isLocal = isLoopback(http.host) && http.trustProxy === false;
  }

  /**
   * Whether the details of a probe are for the caller. Wrong tokens count; after too many none is
   * looked at, but the probe itself is never refused: it would end a healthy process.
   */
  allows(request: FastifyRequest): boolean {
    return this.refusalOf(request) === null;
  }

  /** To be called before there are routes. */
  protect(server: FastifyInstance): void {
    server.addHook('preParsing', (request, reply, payload, done) => {
      const isManagement = MANAGEMENT_ROUTES.test(request.routeOptions.url ?? '');
      const refusal = isManagement ? this.refusalOf(request) : null;
      if (refusal?.status === 401) {
        void reply.header('www-authenticate', 'Basic realm="management", Bearer');
      }
      done(refusal, payload);
    });
  }

  /** Null: it is for the caller. */
  private refusalOf(request: FastifyRequest): ProblemError | null {
    if (this.token === '') {
      const title = 'This is off: set MANAGEMENT_TOKEN, or HOST to a loopback address.';
      return this.isLocal ? null : new ProblemError(404, 'management_off', title);
    }
    const title = 'This needs the management token as a bearer or password.';
    const wrong = new ProblemError(401, 'management_token_wrong', title);
    const shown = shownBy(request);
    // Without a token nobody has guessed anything.
    if (shown === '') return wrong;
    const tooMany = this.attempts.refusal(GUARDED, request.ip);
    if (tooMany !== null) return tooMany;
    // Of equal length whatever was shown, so that the comparison takes the same time.
    if (!timingSafeEqual(Buffer.from(hashToken(shown)), Buffer.from(hashToken(this.token)))) {
      return this.attempts.failed(GUARDED, request.ip, wrong);
    }
    this.attempts.succeeded(GUARDED, request.ip);
    return null;
  }
}

function shownBy({ headers }: FastifyRequest): string {
  const { authorization = '' } = headers;
  const basic = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
  return BEARER.exec(authorization)?.[1] ?? basic.slice(basic.indexOf(':') + 1);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Files of the page have a route each, and names that change with every build. */
const ASSETS = /^\/assets\//;
const SECONDS_PER_MS = 0.001;

/**
 * How long requests take, by route. The label is the route's pattern, never an address: addresses
 * hold tokens. A stream is left out: it lasts as long as its reader, and is counted as open instead.
 */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  const durations = metrics.histogram('http_request_seconds', 'HTTP requests by route', [
    'route',
    'method',
    'status',
  ]);
  server.addHook('onResponse', (request, reply, next) => {
    if (!isStream(reply)) {
      const route = request.routeOptions.url ?? 'unknown';
      const labels = {
        route: ASSETS.test(route) ? '/assets/*' : route,
        method: request.method,
        status: String(reply.raw.statusCode),
      };
      durations.observe(labels, reply.elapsedTime * SECONDS_PER_MS);
    }
    next();
  });
}

function isStream(reply: FastifyReply): boolean {
  const type = reply.raw.getHeader('content-type');
  return typeof type === 'string' && type.startsWith('text/event-stream');
}
