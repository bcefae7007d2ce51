import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Clock } from '../clock';
import { ProblemError } from '../http';
import type { Drain } from './drain';

/** Probes and metrics are answered to the end. */
const ALWAYS = /^\/(health|metrics)(\/|$|\?)/;
const POLL_MS = 10;
/** A request that is still arriving after this long will not make it. */
const LONGEST_MS = 10_000;

/**
 * Plain requests of this server: refused while it drains, and waited for by the drain until their
 * last byte is on its way. Streams are not: they are cut when nothing is left to tell.
 */
export function drainRequests(server: FastifyInstance, drain: Drain, clock: Clock): void {
  const open = new Set<FastifyReply>();
  server.addHook('onRequest', (request, reply, next) => {
    if (ALWAYS.test(request.url)) {
      next();
      return;
    }
    if (drain.isDraining) {
      // A connection that is kept alive would come back to this process.
      void reply.header('connection', 'close');
      next(new ProblemError(503, 'draining', 'This server is restarting.', { retryAfterS: 1 }));
      return;
    }
    open.add(reply);
    reply.raw.once('close', () => open.delete(reply));
    next();
  });
  drain.register('requests', 'requests', async (deadline) => {
    const untilMs = clock.monotonicMs() + Math.min(LONGEST_MS, deadline.remainingMs());
    while ([...open].some(isUnanswered) && clock.monotonicMs() < untilMs) {
      if (deadline.signal.aborted) return;
      await clock.sleep(POLL_MS, deadline.signal);
    }
  });
}

/** A stream counts as answered: its handler took the response over. */
function isUnanswered({ sent, raw }: FastifyReply): boolean {
  if (raw.destroyed) return false;
  return raw.writableEnded ? !raw.writableFinished : !sent;
}
