import type { FastifyRequest } from 'fastify';
import { ProblemError } from './problem';

const READING = new Set(['GET', 'HEAD']);

/** The origin of PUBLIC_URL; null: it is not set. */
export function originOf(publicUrl: string): string | null {
  return publicUrl === '' ? null : new URL(publicUrl).origin;
}

/**
 * For a request that is let in by a cookie: throws ProblemError for a write that a page of another site makes.
 *
 * A browser sends a cookie whichever page makes the request, and names the page's site in
 * Sec-Fetch-Site or Origin, which no page can change. A client that sends neither is no browser and
 * must send a bearer. Only the host is compared, because behind a proxy this server does not know
 * whether it is reached by https.
 */
export function assertOwnOrigin(request: FastifyRequest, publicOrigin: string | null): void {
  if (READING.has(request.method)) return;
  if (request.headers['sec-fetch-site'] === 'same-origin') return;
  const { origin } = request.headers;
  if (origin !== undefined && URL.canParse(origin)) {
    const parsed = new URL(origin);
    if (parsed.origin === publicOrigin || parsed.host === request.host) return;
  }
  throw new ProblemError(403, 'origin_refused', 'This was sent by a page of another site.');
}
