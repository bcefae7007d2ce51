import type * as OpenIdClient from 'openid-client';
import { type Clock, withTimeLimit } from '../../common/clock';
import type { OidcSettings } from '../../common/config';
import { outgoingFetch } from '../../common/http';
import { isStorable } from '../../common/text';
import { type Claims, claimIn } from './claims';
import { IssuerDiffersError, SignInRefusedError } from './failures';

/** What the provider is asked and told of one sign-in. */
export interface Checks {
  readonly state: string;
  readonly nonce: string;
  /** Of PKCE. */
  readonly verifier: string;
}

export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  /** Those of the ID token, over those of userinfo where that was asked. */
  readonly claims: Claims;
}

/** OpenID Connect Core 1.0, 2. */
const MAX_SUBJECT = 255;
/** How long the provider may take for all that one request of a browser needs of it. */
const PATIENCE_MS = 10_000;
/** A provider changes its endpoints seldom, and says so before. */
const KNOWN_MS = 600_000;

/**
 * The OpenID Connect provider of the settings. Every call ends within ten seconds, by an error of
 * `refusalOf` (failures.ts) or of openid-client; nothing is asked before somebody signs in. What the provider says
 * of itself is kept for ten minutes, and asked for again at the next sign-in after a failure.
 */
export class IdentityProvider {
  private known: { readonly server: OpenIdClient.ServerMetadata; readonly untilMs: number } | null =
    null;

  constructor(
    private readonly settings: OidcSettings,
    private readonly clock: Clock,
  ) {}

  /** Where a person signs in; `isConfirmation`: anew, although the provider may know them already. */
  async signInUrl({ state, nonce, verifier }: Checks, isConfirmation: boolean): Promise<URL> {
    const { callbackUrl, scope } = this.settings;
    return this.within(async (client, fetch) => {
      const config = this.configOf(client, await this.serverOf(client, fetch), fetch);
      return client.buildAuthorizationUrl(config, {
        redirect_uri: callbackUrl,
        scope,
        state,
        nonce,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(isConfirmation ? { max_age: '0', prompt: 'login' } : {}),
      });
    });
  }

  /**
   * Who has come back, by the address to which the provider sent them. `sinceMs`: they must have signed in at the
   * provider since then (wall time); null: whenever.
   */
  async identify(cameTo: URL, checks: Checks, sinceMs: number | null): Promise<Identity> {
    return this.within(async (client, fetch) => {
      const server = await this.serverOf(client, fetch);
      const { config, tokens } = await this.redeem(client, server, fetch, (config) =>
        client.authorizationCodeGrant(config, cameTo, {
          expectedState: checks.state,
          expectedNonce: checks.nonce,
          pkceCodeVerifier: checks.verifier,
          idTokenExpected: true,
        }),
      );
      const claims = tokens.claims();
      if (claims === undefined) {
        throw new SignInRefusedError('oidc_failed', 'the provider sent no ID token');
      }
      if (sinceMs !== null) assertSignedInSince(claims.auth_time, sinceMs);
      const { iss: issuer, sub: subject } = claims;
      // An empty one would make one user of many people.
      if (subject === '' || subject.length > MAX_SUBJECT || !isStorable(subject)) {
        throw new SignInRefusedError(
          'oidc_failed',
          'the subject is no text of 1 to 255 characters',
        );
      }
      if (!this.lacksClaims(claims) || server.userinfo_endpoint === undefined) {
        return { issuer, subject, claims };
      }
      const further = await client.fetchUserInfo(config, tokens.access_token, subject);
      return { issuer, subject, claims: { ...further, ...claims } };
    });
  }

  /** Asks the provider what it says of itself; whether it has PKCE with S256 as far as it says. */
  async describe(): Promise<{ readonly statesS256: boolean }> {
    return this.within(async (client, fetch) => {
      const server = await this.serverOf(client, fetch);
      return { statesS256: server.code_challenge_methods_supported?.includes('S256') === true };
    });
  }

  /** Many providers put roles and names into userinfo only. */
  private lacksClaims(claims: Claims): boolean {
    return claimIn(claims, this.settings.roleClaim) === undefined || claims['name'] === undefined;
  }

  private async serverOf(
    client: typeof OpenIdClient,
    fetch: OpenIdClient.CustomFetch,
  ): Promise<OpenIdClient.ServerMetadata> {
    const { known } = this;
    const nowMs = this.clock.monotonicMs();
    if (known !== null && known.untilMs > nowMs) return known.server;
    const { issuer, clientId } = this.settings;
    const found = await client.discovery(new URL(issuer), clientId, undefined, undefined, {
      [client.customFetch]: fetch,
      execute: this.extensionsOf(client),
    });
    const server = found.serverMetadata();
    // Letter for letter, as OpenID Connect Discovery 1.0 has it in 4.3.
    if (server.issuer !== issuer) throw new IssuerDiffersError(server.issuer);
    this.known = { server, untilMs: nowMs + KNOWN_MS };
    return server;
  }

  /**
   * Shows the code, with the client's secret in a header or, where that is refused, in the body: a provider may list
   * both and know this client by one of them only.
   */
  private async redeem<T>(
    client: typeof OpenIdClient,
    server: OpenIdClient.ServerMetadata,
    fetch: OpenIdClient.CustomFetch,
    show: (config: OpenIdClient.Configuration) => Promise<T>,
  ): Promise<{ readonly config: OpenIdClient.Configuration; readonly tokens: T }> {
    const { clientSecret } = this.settings;
    const inHeader = this.configOf(client, server, fetch, client.ClientSecretBasic(clientSecret));
    const inBody = this.configOf(client, server, fetch, client.ClientSecretPost(clientSecret));
    // To list none means the header (OpenID Connect Discovery 1.0, 3).
    const listed = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const takesBody = listed.includes('client_secret_post');
    if (!listed.includes('client_secret_basic') && takesBody) {
      return { config: inBody, tokens: await show(inBody) };
    }
    try {
      return { config: inHeader, tokens: await show(inHeader) };
    } catch (error) {
      if (!takesBody || !isClientRefused(client, error)) throw error;
      return { config: inBody, tokens: await show(inBody) };
    }
  }

  private configOf(
    client: typeof OpenIdClient,
    server: OpenIdClient.ServerMetadata,
    fetch: OpenIdClient.CustomFetch,
    authentication?: OpenIdClient.ClientAuth,
  ): OpenIdClient.Configuration {
    const config = new client.Configuration(
      server,
      this.settings.clientId,
      undefined,
      authentication,
    );
    config[client.customFetch] = fetch;
    // The signature of the ID token is checked too, though it comes from the provider itself.
    client.enableNonRepudiationChecks(config);
    for (const extend of this.extensionsOf(client)) extend(config);
    return config;
  }

  /** The settings take a plain http issuer on this machine only. */
  private extensionsOf(
    client: typeof OpenIdClient,
  ): ((config: OpenIdClient.Configuration) => void)[] {
    const isPlain = this.settings.issuer.startsWith('http:');
    // Marked as deprecated only to stand out.
    // oxlint-disable-next-line typescript/no-deprecated
    return isPlain ? [client.allowInsecureRequests] : [];
  }

  /** Loaded here, because only who signs in by a provider needs the library. */
  private async within<T>(
    work: (client: typeof OpenIdClient, fetch: OpenIdClient.CustomFetch) => Promise<T>,
  ): Promise<T> {
    const client = await import('openid-client');
    return withTimeLimit(this.clock, PATIENCE_MS, (signal) => work(client, fetchUntil(signal)));
  }
}

/** For clocks that differ. */
const TOLERANCE_MS = 30_000;

/**
 * A provider may let somebody through who signed in hours ago, although it was asked to ask. The library's own check
 * counts from the moment of the code, and people take their time on the provider's pages.
 */
function assertSignedInSince(authTimeS: unknown, sinceMs: number): void {
  if (typeof authTimeS === 'number' && authTimeS * 1000 >= sinceMs - TOLERANCE_MS) return;
  throw new SignInRefusedError(
    'oidc_not_confirmed',
    'the provider does not say that the person has just signed in (auth_time)',
  );
}

/** A provider refuses a client by its status with a challenge, or by its error. */
function isClientRefused(client: typeof OpenIdClient, error: unknown): boolean {
  if (error instanceof client.WWWAuthenticateChallengeError) return true;
  return error instanceof client.ResponseBodyError && error.error === 'invalid_client';
}

const MAX_BYTES = 1_048_576;
/** Statuses whose responses have no body. */
const EMPTY: ReadonlySet<number> = new Set([204, 205, 304]);

/** `outgoingFetch` that ends with the signal, whole body included, and takes a megabyte at most. */
function fetchUntil(signal: AbortSignal): OpenIdClient.CustomFetch {
  return async (url, { method, headers, body: sent }) => {
    const response = await outgoingFetch(url, { method, headers, body: sent ?? null, signal });
    const { status } = response;
    const parts: Uint8Array[] = [];
    let length = 0;
    const body = response.body as AsyncIterable<Uint8Array> | null;
    for await (const part of body ?? []) {
      length += part.length;
      if (length > MAX_BYTES) throw new TypeError('the response is longer than a megabyte');
      parts.push(part);
    }
    const whole = EMPTY.has(status) ? null : Buffer.concat(parts, length);
    return new Response(whole, { status, headers: [...response.headers] });
  };
}
