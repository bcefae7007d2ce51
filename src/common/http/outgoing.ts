import { lookup } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isRefusedIp, isRefusedUrl } from '../config';
import { ColloquyError } from '../errors';

/** The address, or the one that its name resolves to, is never called. Nothing was sent. */
export class AddressRefusedError extends ColloquyError {
  readonly code = 'address_refused';
  readonly retryable = false;
}

/** The server sent the client elsewhere. Nothing was sent there. */
export class RedirectRefusedError extends ColloquyError {
  readonly code = 'redirect_refused';
  readonly retryable = false;
}

type Dispatcher = NonNullable<RequestInit['dispatcher']>;

const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** Where Node keeps the dispatcher of `fetch`, from its first use on (undici, lib/global.js). */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1');

/** `dns.lookup` that fails for a name with an address that is never called. */
export const guardedLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) {
      callback(error, []);
      return;
    }
    const [first] = found;
    if (first === undefined || found.some(({ address }) => isRefusedIp(address))) {
      callback(refusedAddress(), []);
      return;
    }
    if (options.all === true) callback(null, found);
    else callback(null, first.address, first.family);
  });
};

/**
 * `fetch` for every address that settings contain. It follows no redirect, because the next server would
 * get the request with its key; and it calls no address that `isRefusedUrl` refuses, given directly
 * or behind a host name.
 * Throws AddressRefusedError, RedirectRefusedError, and what `fetch` throws: an error of the connection,
 * also AddressRefusedError, is the cause of its TypeError.
 */
export async function outgoingFetch(
  target: string | URL | Request,
  init: RequestInit = {},
): Promise<Response> {
  const url = new URL(target instanceof Request ? target.url : target);
  if (isRefusedUrl(url)) throw refusedAddress();
  const response = await fetch(target, { ...init, redirect: 'manual', dispatcher: dispatcher() });
  if (!REDIRECTS.has(response.status)) return response;
  await response.body?.cancel();
  throw refusedRedirect();
}

/**
 * An agent for a client that uses node:http and follows redirects by itself: it connects to the host and
 * port of `root` only, with the same look-up of names.
 */
export function outgoingAgent(root: string): HttpAgent {
  const url = new URL(root);
  const isHttps = url.protocol === 'https:';
  const options: AgentOptions = { keepAlive: isHttps, lookup: guardedLookup };
  const agent = isHttps ? new HttpsAgent(options) : new HttpAgent(options);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isHttps ? 443 : 80) : Number(url.port);
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (wanted, callback) => {
    if (isRefusedUrl(url)) throw refusedAddress();
    const isRoot = wanted.host === host && Number(wanted.port) === port;
    if (!isRoot) throw refusedRedirect();
    return connect(wanted, callback);
  };
  return agent;
}

/** Codes of connections that were never made: by Node, by its TLS, by `fetch`, and our own. */
const NEVER_CONNECTED: ReadonlySet<string | null> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'UND_ERR_CONNECT_TIMEOUT',
  'address_refused',
]);

/** The code of a failed call, of its error or of what caused that; null: none has a code. */
export function failureCodeOf(error: unknown): string | null {
  let at = error;
  while (typeof at === 'object' && at !== null) {
    if ('code' in at && typeof at.code === 'string') return at.code;
    at = 'cause' in at ? at.cause : null;
  }
  return null;
}

/** Whether a call failed before a connection was made, so that nothing of it can have arrived. */
export function wasNeverSent(error: unknown): boolean {
  return NEVER_CONNECTED.has(failureCodeOf(error));
}

let guarded: Dispatcher | null = null;

/**
 * A dispatcher of the class that this Node uses itself, so that they fit each other; the package undici
 * would be a second copy of another version.
 */
function dispatcher(): Dispatcher {
  if (guarded !== null) return guarded;
  // Node loads its client, and sets the dispatcher, when one of its classes is used first.
  void new Response();
  const own = (globalThis as { readonly [DISPATCHER]?: Dispatcher })[DISPATCHER];
  if (own === undefined) throw new Error('this version of Node has no dispatcher of fetch');
  const Agent = own.constructor as new (options: object) => Dispatcher;
  guarded = new Agent({ connect: { lookup: guardedLookup } });
  return guarded;
}

function refusedAddress(): AddressRefusedError {
  return new AddressRefusedError(
    'the address belongs to a cloud metadata service or is not a unicast address, and is never called: check the setting',
  );
}

function refusedRedirect(): RedirectRefusedError {
  return new RedirectRefusedError(
    'the server redirects to another address, which is not followed: set the address that it redirects to',
  );
}
