import { z } from 'zod';
import {
  type ClaimedRole,
  ISSUER,
  SECRET,
  SIGN_IN_SCOPE,
  SWITCH,
  TEXT,
  claimedRoles,
  setting,
} from './setting-kinds';

/** Single sign-on of colleagues by OpenID Connect. */
export const OIDC = z.object({
  issuer: setting(
    'OIDC_ISSUER=',
    ISSUER,
    'Issuer of the OpenID Connect provider by which colleagues sign in on /console; docs/deploy.md says what it has to know. Empty: they sign in with passwords only. The company sets it where it has single sign-on.',
  ),
  clientId: setting(
    'OIDC_CLIENT_ID=',
    TEXT,
    'Id under which the provider knows this installation. Set it with OIDC_ISSUER.',
  ),
  clientSecret: setting(
    'OIDC_CLIENT_SECRET=',
    SECRET,
    'Secret that the provider gave to it. Set it with OIDC_ISSUER.',
  ),
  name: setting(
    'OIDC_NAME=Single sign-on',
    TEXT,
    'Words on the button of the sign-in page. Set the name by which colleagues know the provider.',
  ),
  roleClaim: setting(
    'OIDC_ROLE_CLAIM=roles',
    TEXT,
    'Claim of the ID token, or else of userinfo, that says what a colleague may do: a text or a list of texts. Dots lead into objects, as in realm_access.roles. Set it where the provider has another one.',
  ),
  roles: setting(
    'OIDC_ROLES=',
    claimedRoles('admin', 'recruiter', 'interviewer', 'viewer'),
    'Which value of that claim gives which role; of several the one with the most rights counts, and who has none is not let in. Set it with OIDC_ISSUER.',
  ),
  scope: setting(
    'OIDC_SCOPE=openid profile email',
    SIGN_IN_SCOPE,
    'Scopes that are asked for. Add the one with which the provider sends the claim.',
  ),
  isOnly: setting(
    'OIDC_ONLY=false',
    SWITCH,
    'true: nobody signs in with a password. Set it once an admin has signed in by the provider.',
  ),
});

const CALLBACK = '/api/v1/team/oidc/callback';

interface OidcValues {
  readonly http: { readonly publicUrl: string };
  readonly oidc: z.output<typeof OIDC>;
}

export interface OidcSettings {
  /** As the provider states it. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly name: string;
  readonly roleClaim: string;
  readonly roles: readonly ClaimedRole<'admin' | 'recruiter' | 'interviewer' | 'viewer'>[];
  readonly scope: string;
  readonly isOnly: boolean;
  /** Where the provider sends people back; it has to know this address. */
  readonly callbackUrl: string;
}

/** Null: it is off. */
export function oidcOf({ http, oidc }: OidcValues): OidcSettings | null {
  const { issuer } = oidc;
  return issuer === null ? null : { ...oidc, issuer, callbackUrl: http.publicUrl + CALLBACK };
}

/** What is wrong with settings that are each valid alone. */
export function oidcContradictions({ http, oidc }: OidcValues): string[] {
  const { issuer, clientId, clientSecret, roles, isOnly } = oidc;
  const parts = [
    ['OIDC_CLIENT_ID', clientId !== ''],
    ['OIDC_CLIENT_SECRET', clientSecret !== ''],
    ['OIDC_ROLES', roles.length > 0],
  ] as const;
  if (issuer === null) {
    const isBegun = isOnly || parts.some(([, isSet]) => isSet);
    return isBegun ? ['OIDC_ISSUER: expected too, or none of OIDC_…'] : [];
  }
  const problems = parts
    .filter(([, isSet]) => !isSet)
    .map(([variable]) => `${variable}: expected with OIDC_ISSUER`);
  if (http.publicUrl === '') {
    problems.push('OIDC_ISSUER: expected PUBLIC_URL, to which the provider sends people back');
  }
  return problems;
}
