import { isTimeLimit } from '../../common/clock';
import { ColloquyError } from '../../common/errors';
import { type ProblemCode, failureCodeOf } from '../../common/http';

/** Why a person was not signed in; the sign-in page has words for each. */
export type SignInProblem = Extract<ProblemCode, `oidc_${string}`>;

/** The sign-in ends here. Its message says for the log what happened, without a claim or a token. */
export class SignInRefusedError extends ColloquyError {
  readonly retryable: boolean;

  constructor(
    readonly code: SignInProblem,
    reason: string,
    options: { readonly cause?: unknown } = {},
  ) {
    super(reason, options);
    this.retryable = code === 'oidc_unavailable' || code === 'oidc_expired';
  }

  /** Whether it was a code that the provider did not know: somebody may be guessing. */
  get isWrongSecret(): boolean {
    return oauthErrorOf(this.cause) === 'invalid_grant';
  }
}

/** The provider's own description names another issuer than the settings. */
export class IssuerDiffersError extends ColloquyError {
  readonly code = 'issuer_differs';
  readonly retryable = false;

  constructor(readonly stated: string) {
    super('the provider states another issuer than OIDC_ISSUER');
  }
}

/** What an error of the provider, of the way to it, or of a check of its responses means for the person. */
export function refusalOf(error: unknown): SignInRefusedError {
  if (error instanceof SignInRefusedError) return error;
  const refused = (code: SignInProblem, reason: string): SignInRefusedError =>
    new SignInRefusedError(code, reason, { cause: error });
  if (isTimeLimit(error)) {
    return refused('oidc_unavailable', 'the provider did not respond within 10 s');
  }
  const stated = statedIssuer(error);
  if (stated !== null) {
    return refused(
      'oidc_unavailable',
      `the provider states ${stated}: set OIDC_ISSUER to exactly that`,
    );
  }
  const oauthError = oauthErrorOf(error);
  const meaning = MEANINGS.get(oauthError ?? '');
  if (meaning !== undefined) return refused(...meaning);
  if (oauthError !== null) return refused('oidc_failed', `the provider says ${oauthError}`);
  const code = failureCodeOf(error) ?? 'no code';
  if (code === 'OAUTH_WWW_AUTHENTICATE_CHALLENGE') return refused(...CLIENT_REFUSED);
  if (!code.startsWith('OAUTH_') || UNUSABLE.test(code)) {
    return refused('oidc_unavailable', `the provider sent no usable response (${code})`);
  }
  const claim = claimOf(error);
  const what = claim === null ? code : `${code}, ${claim}`;
  return refused('oidc_failed', `a check of the provider's response failed (${what})`);
}

const CLIENT_REFUSED: readonly [SignInProblem, string] = [
  'oidc_failed',
  'the provider does not know this client: check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
];

/** Errors of OAuth 2.0 and OpenID Connect that say more than that it failed. */
const MEANINGS: ReadonlyMap<string, readonly [SignInProblem, string]> = new Map([
  ['access_denied', ['oidc_denied', 'the provider did not let the person in']],
  ['temporarily_unavailable', ['oidc_unavailable', 'the provider says that it is unavailable']],
  ['server_error', ['oidc_unavailable', 'the provider says that it has failed']],
  ['invalid_client', CLIENT_REFUSED],
]);

/** Codes of oauth4webapi for a response that is none of its protocol; its other codes are about what one says. */
const UNUSABLE = /^OAUTH_(RESPONSE_IS_NOT|PARSE_ERROR|MISSING_SERVER|INVALID_SERVER|HTTP_REQUEST)/;

/** The issuer in the provider's own description, if that is what is wrong. */
function statedIssuer(error: unknown): string | null {
  if (error instanceof IssuerDiffersError) return shownIssuer(error.stated);
  const about = error instanceof Error ? (error.cause as Comparison | undefined) : undefined;
  return about?.attribute === 'issuer' ? shownIssuer(about.body?.issuer) : null;
}

/** What the cause of an error of openid-client says about two values that differ. */
interface Comparison {
  readonly attribute?: unknown;
  readonly body?: { readonly issuer?: unknown };
}

function shownIssuer(stated: unknown): string {
  return typeof stated === 'string' && /^https?:\/\/[!-~]{1,200}$/.test(stated)
    ? stated
    : 'another issuer';
}

/** The `error` of the provider's response, if it has the form of one; null: it sent none. */
function oauthErrorOf(error: unknown): string | null {
  if (typeof error !== 'object' || error === null || !('error' in error)) return null;
  const { error: stated } = error;
  return typeof stated === 'string' && /^[a-z_]{1,40}$/.test(stated) ? stated : null;
}

/** The name of the claim that a check was about. */
function claimOf(error: unknown): string | null {
  for (let at = error; typeof at === 'object' && at !== null;) {
    if ('claim' in at && typeof at.claim === 'string') return at.claim;
    at = 'cause' in at ? at.cause : null;
  }
  return null;
}
