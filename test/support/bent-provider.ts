import { generateKeyPairSync, sign } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Listener } from '../../tools/http-fake/listener';
import { bodyOf } from '../../tools/http-fake/requests';
import { CLIENT } from './identity-provider';

type Claims = Record<string, unknown>;

/** How the next request to an endpoint is answered, instead of by the protocol. */
type Fault = (response: ServerResponse) => void;

export type Endpoint = 'description' | 'token' | 'keys' | 'userinfo';

const PLACES: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': 'description',
  '/token': 'token',
  '/keys': 'keys',
  '/userinfo': 'userinfo',
};

/** A provider whose responses a test bends: wrong, late, or not of the protocol. It has no sign-in page. */
export class BentProvider {
  /** What the ID token says, over what a good provider would say. */
  idToken: Claims = {};
  userinfo: Claims = {};
  /** What the provider says of itself, over the usual. */
  description: Record<string, unknown> = {};
  /** How the client may show its secret. */
  takes: 'header' | 'body' = 'header';
  /** Signs with a key that it does not publish. */
  isForged = false;
  nonce = '';
  readonly asked: Endpoint[] = [];
  /** The bodies that the token endpoint got. */
  readonly redeemed: URLSearchParams[] = [];
  private readonly faults = new Map<Endpoint, Fault>();
  private readonly own = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  private readonly other = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  private readonly listener = new Listener((request, response) => this.handle(request, response));

  /** `path`: of the issuer, with a slash at its end or not. */
  private constructor(private readonly path: string) {}

  static async start(path = ''): Promise<BentProvider> {
    const provider = new BentProvider(path);
    await provider.listener.open();
    return provider;
  }

  get issuer(): string {
    return this.listener.url + this.path;
  }

  /** Until `mend`. */
  break(endpoint: Endpoint, fault: Fault): void {
    this.faults.set(endpoint, fault);
  }

  mend(): void {
    this.faults.clear();
  }

  goDown(): Promise<void> {
    return this.listener.close();
  }

  comeUp(): Promise<void> {
    return this.listener.open();
  }

  close(): Promise<void> {
    return this.listener.close();
  }

  private async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', this.issuer);
    const below = pathname.startsWith(this.path.replace(/\/$/, ''))
      ? pathname.slice(this.path.replace(/\/$/, '').length)
      : pathname;
    const endpoint = PLACES[below];
    const body = String(await bodyOf(request));
    if (endpoint === undefined) {
      response.writeHead(404).end();
      return;
    }
    this.asked.push(endpoint);
    const fault = this.faults.get(endpoint);
    if (fault !== undefined) fault(response);
    else this.respond(endpoint, request, new URLSearchParams(body), response);
  }

  private respond(
    endpoint: Endpoint,
    { headers }: IncomingMessage,
    body: URLSearchParams,
    response: ServerResponse,
  ): void {
    if (endpoint === 'description') json(response, 200, { ...this.usual(), ...this.description });
    if (endpoint === 'keys') {
      const jwk = this.own.publicKey.export({ format: 'jwk' });
      json(response, 200, { keys: [{ ...jwk, use: 'sig', alg: 'ES256', kid: 'k' }] });
    }
    if (endpoint === 'userinfo') json(response, 200, { sub: 'ada', ...this.userinfo });
    if (endpoint !== 'token') return;
    this.redeemed.push(body);
    const shown = headers.authorization === undefined ? 'body' : 'header';
    if (shown !== this.takes) {
      json(response, 400, { error: 'invalid_client' });
      return;
    }
    const tokens = { access_token: 'an-access-token', token_type: 'Bearer', expires_in: 60 };
    json(response, 200, { ...tokens, id_token: this.signed() });
  }

  private usual(): Record<string, unknown> {
    const at = this.listener.url + this.path.replace(/\/$/, '');
    return {
      issuer: this.issuer,
      authorization_endpoint: `${at}/authorize`,
      token_endpoint: `${at}/token`,
      jwks_uri: `${at}/keys`,
      userinfo_endpoint: `${at}/userinfo`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    };
  }

  private signed(): string {
    const nowS = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      sub: 'ada',
      aud: CLIENT.id,
      iat: nowS,
      exp: nowS + 60,
      nonce: this.nonce,
      name: 'Ada Lovelace',
      roles: ['team-admin'],
      ...this.idToken,
    };
    const text = [{ alg: 'ES256', kid: 'k' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const key = (this.isForged ? this.other : this.own).privateKey;
    const signature = sign('sha256', Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' });
    return `${text}.${signature.toString('base64url')}`;
  }
}

function json(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
