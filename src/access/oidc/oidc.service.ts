import { Injectable, Logger } from '@nestjs/common';
import { Clock } from '../../common/clock';
import { type OidcSettings, Settings } from '../../common/config';
import { newToken } from '../../common/ids';
import { QuietLog } from '../../common/logging';
import type { Role } from '../rights';
import { claimIn, emailIn, nameIn, roleIn } from './claims';
import { type Flow, flowKeyOf, openFlow, sealFlow } from './flow-seal';
import { SignInRefusedError, refusalOf } from './failures';
import { type Identity, IdentityProvider } from './identity-provider';
import { consolePath } from './return-to';

/** A person whom the provider has signed in. */
export interface SignedIn {
  readonly issuer: string;
  readonly subject: string;
  /** As the provider writes it. */
  readonly name: string;
  /** As the provider writes it; null: it states none. It links nobody to a user. */
  readonly email: string | null;
  readonly role: Role;
}

/** Which person came back from the provider, and what for. */
export type Returned =
  | { readonly kind: 'sign-in'; readonly person: SignedIn; readonly returnTo: string }
  /** They have shown again who they are. */
  | {
      readonly kind: 'confirmation';
      readonly issuer: string;
      readonly subject: string;
      readonly returnTo: string;
    };

interface Configured {
  readonly settings: OidcSettings;
  readonly provider: IdentityProvider;
}

/** How long a person may be at the provider. */
export const FLOW_MS = 600_000;

/**
 * Signs colleagues in by the OpenID Connect provider of the settings, in two steps: the browser is sent to the provider
 * with a `state`, and comes back with it and a code.
 *
 *   begun ──the provider's page──> returned ──the code is shown to the provider──> signed in
 *         ──ten minutes, another browser, or a second time──> oidc_expired
 *
 * Between the steps nothing is stored here: the browser keeps the sealed flow in a cookie of this `state`. No
 * connection to the database is held while the provider is asked.
 */
@Injectable()
export class SingleSignOn {
  /** Null: it is off. */
  private readonly on: Configured | null;
  private readonly log: QuietLog;
  private key: Promise<Buffer> | null = null;

  constructor(
    { oidc }: Settings,
    private readonly clock: Clock,
  ) {
    this.on =
      oidc === null ? null : { settings: oidc, provider: new IdentityProvider(oidc, clock) };
    this.log = new QuietLog(new Logger('SingleSignOn'), clock);
  }

  /**
   * Where to send the browser, and what its cookie keeps of the flow. `returnTo`: the page of the console to which
   * it leads; `isConfirmation`: for somebody who is signed in and has to sign in at the provider anew. Throws
   * SignInRefusedError.
   */
  async begin(
    returnTo: unknown,
    isConfirmation: boolean,
  ): Promise<{ readonly url: URL; readonly state: string; readonly sealed: string }> {
    const { provider, settings } = this.assertOn();
    const flow: Flow = {
      nonce: newToken(),
      // PKCE asks for 43 characters at least (RFC 7636, 4.1).
      verifier: newToken() + newToken(),
      returnTo: consolePath(returnTo),
      beganAtMs: this.clock.now().getTime(),
      isConfirmation,
    };
    const state = newToken();
    const url = await this.asked(() => provider.signInUrl({ ...flow, state }, isConfirmation));
    return { url, state, sealed: sealFlow(await this.keyOf(settings), state, flow) };
  }

  /** `query`: with which the browser came back; `sealed`: the flow of its `state`. Throws SignInRefusedError. */
  async finish(query: string, state: string, sealed: string | undefined): Promise<Returned> {
    const { provider, settings } = this.assertOn();
    const flow = sealed === undefined ? null : openFlow(await this.keyOf(settings), state, sealed);
    const agoMs = flow === null ? Infinity : this.clock.now().getTime() - flow.beganAtMs;
    if (flow === null || agoMs > FLOW_MS) {
      throw new SignInRefusedError('oidc_expired', 'no such sign-in was begun in this browser');
    }
    const { isConfirmation, returnTo, beganAtMs } = flow;
    const cameTo = new URL(settings.callbackUrl + query);
    return this.asked(async () => {
      // Since it began, not since now: people take their time on the provider's pages.
      const sinceMs = isConfirmation ? beganAtMs : null;
      const identity = await provider.identify(cameTo, { ...flow, state }, sinceMs);
      const { issuer, subject } = identity;
      if (isConfirmation) return { kind: 'confirmation', issuer, subject, returnTo };
      return { kind: 'sign-in', person: personIn(identity, settings), returnTo };
    });
  }

  private assertOn(): Configured {
    if (this.on !== null) return this.on;
    throw new SignInRefusedError('oidc_off', 'OIDC_ISSUER is not set');
  }

  private keyOf(settings: OidcSettings): Promise<Buffer> {
    return (this.key ??= flowKeyOf(settings));
  }

  /** Logs why the provider was of no use; that it did not let somebody in is no trouble. */
  private async asked<T>(ask: () => Promise<T>): Promise<T> {
    try {
      return await ask();
    } catch (error) {
      const refusal = refusalOf(error);
      if (refusal.code !== 'oidc_denied') {
        this.log.warn(`Somebody was not signed in by single sign-on: ${refusal.message}.`);
      }
      throw refusal;
    }
  }
}

/** Throws SignInRefusedError: without a role there is no access. */
function personIn({ issuer, subject, claims }: Identity, settings: OidcSettings): SignedIn {
  const role = roleIn(claims, settings);
  if (role === null) {
    const isThere = claimIn(claims, settings.roleClaim) !== undefined;
    throw new SignInRefusedError(
      'oidc_role_missing',
      isThere
        ? 'no value of the claim in OIDC_ROLE_CLAIM is one of OIDC_ROLES'
        : 'neither the ID token nor userinfo has the claim of OIDC_ROLE_CLAIM',
    );
  }
  return { issuer, subject, name: nameIn(claims, subject), email: emailIn(claims), role };
}
