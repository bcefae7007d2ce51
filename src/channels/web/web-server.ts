import type { FastifyInstance, FastifyRequest } from 'fastify';
import { UnreadBody, type UploadPace, ProblemError, mediaTypeRefused } from '../../common/http';
import compress from '@fastify/compress';
import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import helmet from 'helmet';
import type { Clock } from '../../common/clock';
import { networkOf, type Settings } from '../../common/config';
import { PAGE, servePage } from './page.controller';
import { acceptUploads } from './uploads.controller';

/** Registers what applies to every request: cookies, headers, limits, the page's files. */
export async function registerWebServer(
  server: FastifyInstance,
  options: {
    readonly settings: Settings;
    readonly clock: Clock;
    readonly pageDirectory: string;
  },
): Promise<void> {
  const { http } = options.settings;
  server.addHook('onRoute', (route) => {
    if (route.url === '/api/chat') route.bodyLimit = CHAT_BODY_LIMIT;
    if (route.url === '/api/v1/sessions') route.bodyLimit = SESSION_BODY_LIMIT;
  });
  const pace = {
    clock: options.clock,
    minBytesPerSecond: SLOWEST_BODY,
  };
  acceptOnlyJson(server, pace);
  acceptUploads(server, pace);
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('permissions-policy', PERMISSIONS_POLICY);
    if (PERSONAL.test(request.routeOptions.url ?? '')) {
      void reply.header('cache-control', 'no-store');
    }
    done(refusalOf(request));
  });
  await server.register(cookie);
  // Made once: the plugin @fastify/helmet makes all headers anew for each request.
  const addSecurityHeaders = helmet({
    contentSecurityPolicy: { directives: CONTENT_SECURITY_POLICY },
    crossOriginEmbedderPolicy: false,
    // Only for an https PUBLIC_URL: a wrong HSTS header makes a host unreachable for a year.
    strictTransportSecurity: http.publicUrl.startsWith('https:') ? { maxAge: ONE_YEAR_S } : false,
  });
  server.addHook('onRequest', (request, reply, done) => {
    addSecurityHeaders(request.raw, reply.raw, () => {
      done();
    });
  });
  await server.register(rateLimit, {
    max: http.rateLimitPerMinute,
    timeWindow: 60_000,
    keyGenerator: ({ ip }) => networkOf(ip),
    allowList: (request: FastifyRequest) => UNLIMITED.test(request.url) && !request.is404,
    errorResponseBuilder: (_request, { ttl }) =>
      new ProblemError(429, 'too_many_requests', 'Too many requests; try again later.', {
        retryAfterS: Math.ceil(ttl / 1000),
      }),
  });
  // The plugin limits only routes; this limits addresses that have none (404).
  const limit = server.rateLimit();
  server.addHook('onRequest', async (request, reply) => {
    if (request.is404) await limit.call(server, request, reply);
  });
  // Only documents, by reply.compress: the page's files are compressed at build, and compression would
  // hold events back.
  await server.register(compress, { global: false, encodings: ['br', 'gzip'] });
  await servePage(server, options.pageDirectory);
}

const ONE_YEAR_S = 31_536_000;
/**
 * Not rate-limited: probes; webhooks, which bring the messages of many people from one address; and files,
 * of which each page needs several, so that an office with one address would soon reach the limit.
 */
const UNLIMITED = /^\/(health|metrics|webhooks|assets|handbook)(\/|$|\?)/;

const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  // A recording is fetched with the admin token, and played from memory.
  mediaSrc: ["'self'", 'blob:'],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
  // On a plain http host it would turn every address into https, and the page would stay blank.
  upgradeInsecureRequests: null,
};

/** The page records voice messages; it uses nothing else of the device. */
const PERMISSIONS_POLICY = 'microphone=(self), camera=(), geolocation=(), payment=(), usb=()';

/** Routes with personal data: no proxy may store their responses. */
const PERSONAL = /^\/(api|console)\//;
/** Bytes a second over any five seconds: a phone at the edge of its network sends more. */
export const SLOWEST_BODY = 4096;

/** Clients of the AI SDK send the whole history each time. */
const CHAT_BODY_LIMIT = 4 * 1024 * 1024;
/** Small, because anybody may post one: there is no session yet. */
const SESSION_BODY_LIMIT = 16 * 1024;

/** The types under which browsers and programs send CSV, YAML and a vacancy's other files; a page of another site needs our leave for them. */
const FILE_TYPES =
  /^(?:text\/(?:csv|tab-separated-values|markdown|(?:x-)?yaml)|application\/(?:csv|vnd\.ms-excel|(?:x-)?yaml)|image\/svg\+xml)(?![\w+.-])/i;

/**
 * Accepts only JSON bodies, and files where a route wants them (`RawBody`): the types that a form of another site
 * can send get 415. The body is read only after the guards have accepted the request.
 */
export function acceptOnlyJson(server: FastifyInstance, pace: UploadPace): void {
  const parser = server.getDefaultJsonParser('error', 'error');
  server.removeAllContentTypeParsers();
  const unread = (request: FastifyRequest): UnreadBody => {
    const parse = (text: string): unknown => {
      let parsed: unknown;
      void parser(request, text, (error, value) => {
        if (error !== null) throw error;
        parsed = value;
      });
      return parsed;
    };
    return new UnreadBody(request, { pace, parse });
  };
  server.addContentTypeParser('application/json', (request, _payload, done) => {
    done(null, unread(request));
  });
  server.addContentTypeParser(FILE_TYPES, (request, _payload, done) => {
    const { rawBodyTypes = [] } = request.routeOptions.config;
    const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(/[;\s]/, 1);
    if (rawBodyTypes.includes(type)) done(null, unread(request));
    else done(mediaTypeRefused(request));
  });
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (request.body instanceof UnreadBody && request.body.leavesTooMuch) {
      void reply.header('connection', 'close');
    }
    done();
  });
}

const NUL = /%00/;

/** Why a request is refused before anything else looks at it; undefined: it is not. */
function refusalOf({ url, raw }: FastifyRequest): ProblemError | undefined {
  // A disconnected client has no address, and the rate limit counts by address.
  if (raw.socket.destroyed) {
    return new ProblemError(400, 'request_gone', 'The client closed the connection.');
  }
  // PostgreSQL cannot store NUL, so no stored id or token contains it.
  return NUL.test(url)
    ? new ProblemError(400, 'malformed_request', 'The address cannot be read.')
    : undefined;
}

const NOWHERE = '/not-found';

/**
 * The address to route a request by. Fastify refuses one that it cannot decode, such as a link that was cut
 * within `%D0`, before any hook runs: without a page, security headers or a limit of requests. Where people open it, it
 * becomes an address that does not exist.
 */
export function routedUrl({ url = '/' }: { url?: string | undefined }): string {
  return url.includes('%') && PAGE.test(url) && !isReadable(url) ? NOWHERE : url;
}

function isReadable(url: string): boolean {
  try {
    // No stored token contains a NUL.
    return !decodeURIComponent(url.replace(/[?#].*$/, '')).includes('\0');
  } catch {
    return false;
  }
}
