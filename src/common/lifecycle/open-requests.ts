import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../clock';
import { ProblemError } from '../http';
import type { Drain } from './drain';

/** Probes and metrics are answered to the end. */
const ALWAYS = /^\/(health|metrics)(\/|$|\?)/;
const POLL_MS = 20;

/**
 * Plain requests of this server: refused while it drains, and waited for by the drain. Streams
 * (their reply counts as sent) are not: they are cut when nothing is left to tell.
 */
export function drainRequests(server: FastifyInstance, drain: Drain, clock: Clock): void {
  const open = new Set<FastifyReply>();
  server.addHook('onRequest', (request, reply, next) => {
    if (ALWAYS.test(request.url)) {
      next();
      return;
    }
    if (drain.isDraining) {
      next(new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 }));
      return;
    }
    open.add(reply);
    reply.raw.once('close', () => open.delete(reply));
    next();
  });
  drain.register('flows', 'requests', async (deadline) => {
    const isWaiting = (): boolean => [...open].some((reply) => !reply.sent);
    while (isWaiting() && deadline.remainingMs() > 0) await clock.sleep(POLL_MS, deadline.signal);
  });
}
