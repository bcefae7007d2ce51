import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Metrics } from '../common/metrics';

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
