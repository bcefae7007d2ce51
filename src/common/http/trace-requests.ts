import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingHttpHeaders } from 'node:http';
import { newId } from '../ids';
import { Flow } from '../tracing';

/** UUIDs, ULIDs, hex and the ids of proxies; nothing that breaks a line of a log or is an address. */
const REQUEST_ID = /^[\w.:=/+-]{1,128}$/;

/** The caller's own `X-Request-Id`, so that its log and ours name a request alike; else a new one. */
export function requestIdOf({ headers }: { readonly headers: IncomingHttpHeaders }): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : newId();
}

/** Probes, scrapes and files of the page: they are many, and part of no answer. */
const UNTRACED = /^\/(health|metrics|docs|assets)\b/;

const FLOWS = new WeakMap<FastifyRequest, Flow>();

/**
 * Makes each request a flow with its id, which the response header `x-request-id` and the log lines
 * show. A `traceparent` of the caller is not continued: candidates' browsers could write into other
 * people's traces. The span has the pattern of the route and never the address, which contains tokens.
 */
export function traceRequests(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    void reply.header('x-request-id', request.id);
    const route = request.routeOptions.url ?? 'unknown';
    if (UNTRACED.test(route)) {
      done();
      return;
    }
    const flow = Flow.begin({
      name: `${request.method} ${route}`,
      kind: 'server',
      ids: { request: request.id },
      attributes: { 'http.request.method': request.method, 'http.route': route },
    });
    FLOWS.set(request, flow);
    reply.raw.once('close', () => {
      end(flow, reply);
    });
    flow.run(done);
  });
  // A body is read in the context of its connection, so the request returns into its flow after it.
  server.addHook('preValidation', (request, _reply, done) => {
    const flow = FLOWS.get(request);
    if (flow === undefined) done();
    else flow.run(done);
  });
}

function end(flow: Flow, { raw }: FastifyReply): void {
  const status = raw.statusCode;
  const isCut = !raw.writableFinished;
  flow.end(
    { 'http.response.status_code': status, 'colloquy.response.cut': isCut },
    status >= 500 ? String(status) : null,
  );
}
