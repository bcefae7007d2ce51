import { lookup } from 'node:dns';
import { Agent as HttpAgent, type AgentOptions } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import { isRefusedIp, isRefusedUrl } from '../config';
import { ColloquyError } from '../errors';

/**
 * `fetch` for every address that settings contain. It follows no redirect, because the next server would
 * get the request with its key; and it calls no address that `isRefusedUrl` refuses, given directly
 * or behind a host name. Its responses are of undici's own classes, so no `instanceof` of the global ones holds.
 * Throws AddressRefusedError, RedirectRefusedError, and what `fetch` throws: an error of the connection,
 * also AddressRefusedError, is the cause of its TypeError.
 */
export async function outgoingFetch(
  target: string | URL,
  init: RequestInit = {},
): Promise<Response> {
  if (isRefusedUrl(new URL(target))) throw refusedAddress();
  const { undici, dispatcher } = await outgoingClient();
  const body = init.body instanceof FormData ? formOf(init.body, undici) : init.body;
  const sent = { ...init, body, redirect: 'manual', dispatcher } as Undici.RequestInit;
  const response = await undici.fetch(target, sent);
  if (!REDIRECTS.has(response.status)) return response;
  await response.body?.cancel();
  throw refusedRedirect();
}

export const REDIRECTS = new Set([301, 302, 303, 307, 308]);

interface Client {
  readonly undici: typeof Undici;
  readonly dispatcher: Undici.Dispatcher;
}

/** Loaded with the first call, because a start need not wait for it. */
let client: Promise<Client> | null = null;

/** For a call that may not come late: loading takes 20 to 80 ms. Resolves when it is done. */
export async function loadOutgoing(): Promise<void> {
  await outgoingClient();
}

export function outgoingClient(): Promise<Client> {
  return (client ??= openClient());
}

async function openClient(): Promise<Client> {
  const undici = await import('undici');
  return { undici, dispatcher: new undici.Agent({ connect: { lookup: guardedLookup } }) };
}

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

/** undici sends only forms of its own class; that of Node it would send as the text "[object FormData]". */
function formOf(form: FormData, undici: typeof Undici): Undici.FormData {
  const own = new undici.FormData();
  form.forEach((value, name) => {
    own.append(name, value);
  });
  return own;
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

export function refusedAddress(): AddressRefusedError {
  return new AddressRefusedError(
    'the address belongs to a cloud metadata service or is not a unicast address, and is never called: check the setting',
  );
}

export function refusedRedirect(): RedirectRefusedError {
  return new RedirectRefusedError(
    'the server redirects to another address, which is not followed: set the address that it redirects to',
  );
}

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
