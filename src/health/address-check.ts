import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { type TLSSocket, connect } from 'node:tls';
import { type Clock, withTimeLimit } from '../common/clock';
import { ColloquyError } from '../common/errors';
import { guardedLookup, outgoingFetch } from '../common/http';
import { type CheckOutcome, ok, problem, warning } from '../common/check-outcome';
import { validityOutcome } from './certificates';

const PATIENCE_MS = 5000;
const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const CERTIFICATE = /CERT|SIGNATURE|ALTNAME|ISSUER/;

export interface AddressOutcomes {
  readonly address: CheckOutcome[];
  readonly certificate: CheckOutcome[];
}

/**
 * Checks PUBLIC_URL as candidates use it: its scheme, its name, whether Colloquy responds there, and
 * its certificate. An address that is not reached from here may be reached from elsewhere, so that is a
 * warning.
 */
export async function examineAddress(publicUrl: string, clock: Clock): Promise<AddressOutcomes> {
  if (publicUrl === '') {
    const sentence = 'PUBLIC_URL is not set, so links to interviews lead to this machine only.';
    return { address: [ok(sentence)], certificate: [] };
  }
  const url = new URL(publicUrl);
  const scheme = schemeOutcome(url);
  const unknown = await nameOutcome(url);
  if (unknown !== null) return { address: [...scheme, unknown], certificate: [] };
  const reached = await withTimeLimit(clock, PATIENCE_MS, (signal) =>
    reachOutcome(publicUrl, signal),
  );
  const certificate =
    url.protocol === 'https:'
      ? await withTimeLimit(clock, PATIENCE_MS, (signal) =>
          certificateOutcomes(url, clock.now(), signal),
        )
      : [];
  return { address: [...scheme, reached], certificate };
}

function schemeOutcome({ protocol, hostname }: URL): CheckOutcome[] {
  if (protocol === 'https:' || LOCAL.test(hostname)) return [];
  return [
    warning(
      'PUBLIC_URL has no https, so answers and sessions of candidates can be read on the way: put a proxy with a certificate in front.',
    ),
  ];
}

async function nameOutcome({ hostname }: URL): Promise<CheckOutcome | null> {
  const name = hostname.replace(/^\[|\]$/g, '');
  if (isIP(name) !== 0) return null;
  try {
    await lookup(name);
    return null;
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return problem(
      `The name ${name} of PUBLIC_URL has no address here (${code}): check its spelling and its DNS record.`,
    );
  }
}

async function reachOutcome(publicUrl: string, signal: AbortSignal): Promise<CheckOutcome> {
  try {
    const response = await outgoingFetch(`${publicUrl}/health/live`, { signal });
    const body: unknown = await response.json().catch(() => null);
    if (response.ok && isColloquy(body)) return ok(`Colloquy responds at ${publicUrl}.`);
    return problem(
      `${publicUrl} responds with status ${response.status} and not as Colloquy: check PUBLIC_URL and the proxy behind it.`,
    );
  } catch (error) {
    if (error instanceof ColloquyError) return problem(`${publicUrl}: ${error.message}.`);
    const code = signal.aborted ? 'no response in time' : codeOf(error);
    if (CERTIFICATE.test(code)) {
      return problem(
        `${publicUrl} shows a certificate that browsers refuse (${code}): renew it, or install one of a known CA.`,
      );
    }
    return warning(
      `${publicUrl} was not reached from here (${code}): start Colloquy, and check proxy and firewall if candidates do not reach it either.`,
    );
  }
}

function isColloquy(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'status' in body && body.status === 'ok';
}

/**
 * Checks the certificate that the server presents, whoever signed it; a warning if the server is not
 * reached.
 */
async function certificateOutcomes(
  url: URL,
  now: Date,
  signal: AbortSignal,
): Promise<CheckOutcome[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const name = isIP(host) === 0 ? { servername: host } : {};
  const port = url.port === '' ? 443 : Number(url.port);
  const socket: TLSSocket = connect({
    host,
    port,
    ...name,
    lookup: guardedLookup,
    rejectUnauthorized: false,
  });
  try {
    await once(socket, 'secureConnect', { signal });
    const certificate = socket.getPeerX509Certificate();
    if (certificate === undefined) return [];
    const validity = { from: new Date(certificate.validFrom), to: new Date(certificate.validTo) };
    return [validityOutcome(`The certificate of ${url.host}`, validity, now)];
  } catch {
    return [
      warning(`The certificate of ${url.host} was not read, because the server was not reached.`),
    ];
  } finally {
    socket.destroy();
  }
}

/** The code is in the cause of `fetch failed`. */
function codeOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const { code } = cause as NodeJS.ErrnoException;
  return code ?? (error instanceof Error ? error.name : 'unknown error');
}
