import type { FastifyInstance } from 'fastify';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Clock } from '../clock';

/** How much of a response a client has to take in each second after the grace. */
const LEAST_BYTES_PER_S = 16 * 1024;
const CHECK_MS = 1000;

interface Begun {
  readonly socket: Socket;
  readonly atMs: number;
  readonly takenBefore: number;
  /** When the client was last seen taking some of it, and how much it had taken by then. */
  movedAtMs: number;
  taken: number;
}

/**
 * Bounds the time of every ordinary response: its client may take nothing for `graceMs`, and has that
 * time and a second more for each 16 KB that it has taken. A slower client is cut off, which frees
 * the memory that was kept for it. Event streams have limits of their own.
 */
export function cutSlowReaders(
  server: FastifyInstance,
  { graceMs, clock }: { readonly graceMs: number; readonly clock: Clock },
): void {
  const begun = new Map<ServerResponse, Begun>();
  const stopping = new AbortController();
  server.addHook('onSend', (request, reply, _payload, done) => {
    const { socket } = request.raw;
    const atMs = clock.monotonicMs();
    begun.set(reply.raw, {
      socket,
      atMs,
      takenBefore: takenBy(socket),
      movedAtMs: atMs,
      taken: 0,
    });
    done();
  });
  server.addHook('onResponse', (_request, reply, done) => {
    begun.delete(reply.raw);
    done();
  });
  server.addHook('onReady', (done) => {
    void cutSlow();
    done();
  });
  server.addHook('onClose', (_server, done) => {
    stopping.abort();
    done();
  });

  async function cutSlow(): Promise<void> {
    while (!stopping.signal.aborted) {
      await clock.sleep(Math.min(CHECK_MS, graceMs), stopping.signal);
      const nowMs = clock.monotonicMs();
      for (const [response, one] of begun) {
        if (!isTooSlow(one, nowMs)) continue;
        begun.delete(response);
        one.socket.destroy();
      }
    }
  }

  function isTooSlow(one: Begun, nowMs: number): boolean {
    const taken = takenBy(one.socket) - one.takenBefore;
    if (taken > one.taken) one.movedAtMs = nowMs;
    one.taken = taken;
    const allowedMs = graceMs + (taken * 1000) / LEAST_BYTES_PER_S;
    return nowMs - one.movedAtMs >= graceMs || nowMs - one.atMs >= allowedMs;
  }
}

/** Bytes that the operating system has taken; the rest is in the memory of this process. */
function takenBy(socket: Socket): number {
  return socket.bytesWritten - socket.writableLength;
}
