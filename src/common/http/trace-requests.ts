import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Flow } from '../tracing';

/** Probes, scrapes and files of the page: they are many, and part of no answer. */
const UNTRACED = /^\/(health|metrics|docs|assets)\b/;

const FLOWS = new WeakMap<FastifyRequest, Flow>();

/**
 * Makes each request a flow with an id, which the response header `x-request-id` and the log lines
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
