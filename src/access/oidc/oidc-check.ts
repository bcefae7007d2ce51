import { type CheckOutcome, ok, problem, warning } from '../../common/check-outcome';
import type { Clock } from '../../common/clock';
import type { Settings } from '../../common/config';
import { refusalOf } from './failures';
import { IdentityProvider } from './identity-provider';

/** Checks whether the provider can be reached and is the one of the settings. It signs nobody in. */
export async function examineSignOn({ oidc }: Settings, clock: Clock): Promise<CheckOutcome[]> {
  if (oidc === null) return [ok('OIDC_ISSUER is not set, so colleagues sign in with passwords.')];
  const { issuer, callbackUrl } = oidc;
  const { host } = new URL(issuer);
  try {
    const { statesS256 } = await new IdentityProvider(oidc, clock).describe();
    const found = ok(
      `The provider at ${host} is the issuer of OIDC_ISSUER; it has to know the callback address ${callbackUrl}.`,
    );
    if (statesS256) return [found];
    return [
      found,
      warning(
        `The provider at ${host} does not state that it checks PKCE with S256, which is always sent: look whether a sign-in works.`,
      ),
    ];
  } catch (error) {
    const { message } = refusalOf(error);
    return [
      problem(
        `Nobody can sign in by the provider at ${host}: ${message}. Open ${issuer.replace(/\/$/, '')}/.well-known/openid-configuration to see what it says, and check OIDC_ISSUER.`,
      ),
    ];
  }
}
