import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify';
import { Settings } from '../common/config';
import { FailedAttempts, ProblemError } from '../common/http';
import { isSameSecret } from '../common/ids';
import type { Metrics } from '../common/metrics';

/** Pages for the operator of the server, as patterns of routes; the API's description has several. */
const MANAGEMENT_ROUTES = /^\/(metrics|docs)/;
const BEARER = /^Bearer +(\S+) *$/i;
const GUARDED = 'management pages';
const BASIC = /^Basic +(\S+) *$/i;

/**
 * Protects metrics, the API's description and the details of probes. A caller needs
 * MANAGEMENT_TOKEN, as a bearer or as the password that a browser asks for. While the token is not
 * set, these pages are open only when the server listens on a loopback address without a proxy.
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
    this.isLocal = http.isLocal;
  }

  /**
   * Whether the caller may see the details of a probe. Wrong tokens are counted, and after too many
   * no token is accepted. The probe itself is never refused, because that would end a healthy process.
   */
  allows(request: FastifyRequest): boolean {
    return this.refusalOf(request) === null;
  }

  /** Called before the server is ready; then it holds for every route. */
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

  /** Null: the caller may see it. */
  private refusalOf(request: FastifyRequest): ProblemError | null {
    if (this.token === '') {
      const title = 'This is off: set MANAGEMENT_TOKEN, or HOST to a loopback address.';
      return this.isLocal ? null : new ProblemError(404, 'management_off', title);
    }
    const title = 'This needs the management token as a bearer or password.';
    const wrong = new ProblemError(401, 'management_token_wrong', title);
    const given = tokenOf(request);
    // A request without a token is no guess.
    if (given === '') return wrong;
    const tooMany = this.attempts.refusal(GUARDED, request.ip);
    if (tooMany !== null) return tooMany;
    if (!isSameSecret(given, this.token)) {
      return this.attempts.failed(GUARDED, request.ip, wrong);
    }
    this.attempts.succeeded(GUARDED, request.ip);
    return null;
  }
}

function tokenOf({ headers }: FastifyRequest): string {
  const { authorization = '' } = headers;
  const basic = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString('utf8');
  return BEARER.exec(authorization)?.[1] ?? basic.slice(basic.indexOf(':') + 1);
}

/** Each file of the page and of the handbook has a route of its own: they are measured together. */
const FILES = /^\/(assets|handbook)\//;
const SECONDS_PER_MS = 0.001;

/**
 * Measures how long requests take, by route. The label is the route's pattern and never an address,
 * because addresses hold tokens. Streams are left out: they last as long as their readers stay, and
 * are counted as open instead (`sse_open_streams`).
 */
export function measureRequests(server: FastifyInstance, metrics: Metrics): void {
  const durations = metrics.histogram(
    'http_request_seconds',
    'Duration of HTTP requests by route, method and status',
    ['route', 'method', 'status'],
  );
  server.addHook('onResponse', (request, reply, next) => {
    if (!isStream(reply)) {
      const route = request.routeOptions.url ?? 'unknown';
      const labels = {
        route: FILES.test(route) ? route.replace(/^(\/\w+\/).*/, '$1*') : route,
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
