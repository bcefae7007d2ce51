import { createHash } from 'node:crypto';
import { type Checks, IdentityProvider } from '../../../src/access/oidc/identity-provider';
import { refusalOf } from '../../../src/access/oidc/failures';
import { FakeClock } from '../../../tools/support/fake-clock';
import { BentProvider, type Endpoint } from '../../support/bent-provider';
import { CLIENT } from '../../support/identity-provider';
import { settingsForTests } from '../../support/settings';
import { untilInProcess } from '../../support/until';

/* What a provider of sign-in may get wrong, and how it is asked. */

const PUBLIC_URL = 'https://interviews.example.org';
const CALLBACK = `${PUBLIC_URL}/api/v1/team/oidc/callback`;
const CHECKS: Checks = { state: 'state-1', nonce: 'nonce-1', verifier: 'v'.repeat(64) };
/** Ten seconds: all that the provider gets for one request of a browser. */
const PATIENCE_MS = 10_000;

let bent: BentProvider;
let clock: FakeClock;

beforeEach(async () => {
  bent = await BentProvider.start();
  bent.nonce = CHECKS.nonce;
  clock = new FakeClock();
});

afterEach(() => bent.close());

function providerAt(issuer: string, env: Record<string, string> = {}): IdentityProvider {
  const { oidc } = settingsForTests({
    PUBLIC_URL,
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: 'team-admin=admin',
    ...env,
  });
  if (oidc === null) throw new Error('single sign-on is off');
  return new IdentityProvider(oidc, clock);
}

/** With a code, for the flow of `CHECKS` unless `query` says something else. */
function identify(
  provider = providerAt(bent.issuer),
  { query = 'code=c&state=state-1', sinceMs = null as number | null } = {},
) {
  return provider.identify(new URL(`${CALLBACK}?${query}`), CHECKS, sinceMs);
}

/** What the person and the log are told of a failure. */
async function refusal(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => null,
    (failed: unknown) => failed,
  );
  if (error === null) return 'none';
  const { code, message } = refusalOf(error);
  return `${code}: ${message}`;
}

async function hasAsked(endpoint: Endpoint): Promise<void> {
  await untilInProcess(`${endpoint} was asked`, () => bent.asked.includes(endpoint));
}

test('the address of the sign-in has state, nonce and a challenge by S256', async () => {
  const url = await providerAt(bent.issuer).signInUrl(CHECKS, false);

  expect(`${url.origin}${url.pathname}`).toBe(`${bent.issuer}/authorize`);
  expect(Object.fromEntries(url.searchParams)).toEqual({
    client_id: CLIENT.id,
    response_type: 'code',
    redirect_uri: CALLBACK,
    scope: 'openid profile email',
    state: CHECKS.state,
    nonce: CHECKS.nonce,
    code_challenge: createHash('sha256').update(CHECKS.verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
});

test('a confirmation asks the provider to ask the person again', async () => {
  const { searchParams } = await providerAt(bent.issuer).signInUrl(CHECKS, true);

  expect(searchParams.get('max_age')).toBe('0');
  expect(searchParams.get('prompt')).toBe('login');
});

test('the code is redeemed with the verifier and the callback address of PUBLIC_URL', async () => {
  const identity = await identify();

  expect(identity).toMatchObject({ issuer: bent.issuer, subject: 'ada' });
  const [body] = bent.redeemed;
  expect(body?.get('code')).toBe('c');
  expect(body?.get('code_verifier')).toBe(CHECKS.verifier);
  expect(body?.get('redirect_uri')).toBe(CALLBACK);
  // The secret was in the header.
  expect(body?.get('client_secret')).toBeNull();
});

test('a provider that knows the client by a secret in the body gets it there', async () => {
  bent.takes = 'body';
  await identify();

  expect(bent.redeemed.map((body) => body.get('client_secret'))).toEqual([null, CLIENT.secret]);
});

test('a provider that knows another secret is the operator’s to look at', async () => {
  bent.description = { token_endpoint_auth_methods_supported: ['client_secret_basic'] };
  bent.takes = 'body';

  expect(await refusal(identify())).toBe(
    'oidc_failed: the provider does not know this client: check OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  );
});

describe('an ID token is refused', () => {
  test.each([
    ['of another issuer', { iss: 'https://other.example.org' }, 'iss'],
    ['of the issuer with another slash', { iss: '(slash)' }, 'iss'],
    ['for another client', { aud: 'another' }, 'aud'],
    ['for another sign-in', { nonce: 'nonce-2' }, 'nonce'],
    ['without a nonce', { nonce: undefined }, ''],
    ['that has expired', { exp: 1000 }, ''],
    ['without a subject', { sub: undefined }, ''],
  ])('%s', async (_what, claims, about) => {
    const { iss } = claims as { iss?: string };
    bent.idToken = iss === '(slash)' ? { iss: `${bent.issuer}/` } : claims;

    const told = await refusal(identify());

    expect(told).toMatch(/^oidc_failed: a check of the provider's response failed \(OAUTH_/);
    expect(told).toContain(about);
    expect(told).not.toContain('example.org');
  });

  test('whose subject is empty or cannot be stored', async () => {
    for (const sub of ['', 'a\0b', 'x'.repeat(256)]) {
      bent.idToken = { sub };
      expect(await refusal(identify())).toMatch(/^oidc_failed: the subject/);
    }
  });

  test('that another key has signed', async () => {
    bent.isForged = true;
    expect(await refusal(identify())).toMatch(/^oidc_failed: /);
  });

  test('that comes for another state, or with the state twice', async () => {
    const other = { query: 'code=c&state=state-2' };
    const twice = { query: 'code=c&state=state-1&state=state-1' };

    expect(await refusal(identify(undefined, other))).toMatch(/^oidc_failed: /);
    expect(await refusal(identify(undefined, twice))).toMatch(/^oidc_failed: /);
    expect(bent.redeemed).toEqual([]);
  });
});

describe('what the provider says instead of a code', () => {
  test.each([
    ['access_denied', 'oidc_denied'],
    ['temporarily_unavailable', 'oidc_unavailable'],
    ['login_required', 'oidc_failed'],
    ['constructor', 'oidc_failed'],
    ['__proto__', 'oidc_failed'],
    ['A secret of somebody', 'oidc_failed'],
  ])('%s', async (error, code) => {
    const query = `error=${encodeURIComponent(error)}&error_description=ada%40example.org&state=state-1`;
    const told = await refusal(identify(undefined, { query }));

    expect(told.split(':')[0]).toBe(code);
    expect(told).not.toMatch(/secret|example/);
  });
});

describe('the role claim', () => {
  test('is taken from the ID token, and userinfo is not asked', async () => {
    const { claims } = await identify();

    expect(claims['roles']).toEqual(['team-admin']);
    expect(bent.asked).not.toContain('userinfo');
  });

  test('is taken from userinfo where the ID token lacks it', async () => {
    bent.idToken = { roles: undefined };
    bent.userinfo = { roles: ['team-admin'], name: 'Another Name' };
    const { claims } = await identify();

    expect(claims['roles']).toEqual(['team-admin']);
    expect(claims['name']).toBe('Ada Lovelace');
  });

  test('of another person in userinfo is refused', async () => {
    bent.idToken = { roles: undefined };
    bent.userinfo = { sub: 'bob', roles: ['team-admin'] };

    expect(await refusal(identify())).toMatch(/^oidc_failed: .*JSON_ATTRIBUTE/);
  });
});

describe('a confirmation', () => {
  const sinceMs = Date.now();
  const confirmed = (authTime: unknown) => {
    bent.idToken = { auth_time: authTime };
    return refusal(identify(undefined, { sinceMs }));
  };

  test('takes somebody who has signed in since it began, clocks being half a minute apart', async () => {
    expect(await confirmed(Math.ceil(sinceMs / 1000))).toBe('none');
    expect(await confirmed(Math.ceil(sinceMs / 1000) - 29)).toBe('none');
  });

  test('takes nobody who signed in before, or of whom the provider does not say when', async () => {
    const refused: unknown = expect.stringMatching(/^oidc_not_confirmed: .*auth_time/);

    expect(await confirmed(Math.ceil(sinceMs / 1000) - 40)).toEqual(refused);
    expect(await confirmed(undefined)).toEqual(refused);
  });
});

describe('the issuer', () => {
  test('may end with a slash, if the provider states it so', async () => {
    const slashed = await BentProvider.start('/tenant/');
    slashed.nonce = CHECKS.nonce;
    const told = await refusal(identify(providerAt(slashed.issuer)));
    await slashed.close();

    expect(told).toBe('none');
  });

  test.each(['/tenant/', '/tenant', ''])(
    'of a provider at "%s" is refused with the other slash, and named',
    async (path) => {
      const provider = await BentProvider.start(path);
      const { issuer } = provider;
      const other = issuer.endsWith('/') ? issuer.slice(0, -1) : `${issuer}/`;
      const told = await refusal(identify(providerAt(other)));
      await provider.close();

      expect(told).toBe(
        `oidc_unavailable: the provider states ${issuer}: set OIDC_ISSUER to exactly that`,
      );
    },
  );

  test('is shown only if it is an address', async () => {
    bent.description = { issuer: 'https://x.example.org/ a text\n' };
    expect(await refusal(identify())).toMatch(/states another issuer/);
  });
});

describe('a provider that is slow or away', () => {
  test.each<[Endpoint]>([['description'], ['token'], ['keys'], ['userinfo']])(
    'at its endpoint %s is given up after ten seconds',
    async (endpoint) => {
      bent.idToken = { roles: undefined };
      bent.break(endpoint, () => undefined);
      const told = refusal(identify());
      await hasAsked(endpoint);
      clock.advance(PATIENCE_MS);

      expect(await told).toBe('oidc_unavailable: the provider did not respond within 10 s');
    },
  );

  test('is given up in the middle of a response too', async () => {
    bent.break('description', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"issuer":');
    });
    const told = refusal(identify());
    await hasAsked('description');
    clock.advance(PATIENCE_MS);

    expect(await told).toBe('oidc_unavailable: the provider did not respond within 10 s');
  });

  test('is asked again at the next sign-in, and what it said is kept for ten minutes', async () => {
    const provider = providerAt(bent.issuer);
    await bent.goDown();
    expect(await refusal(provider.signInUrl(CHECKS, false))).toMatch(
      /^oidc_unavailable: .*\(ECONNREFUSED\)/,
    );
    await bent.comeUp();

    await provider.signInUrl(CHECKS, false);
    await provider.signInUrl(CHECKS, false);
    expect(bent.asked).toEqual(['description']);

    clock.advance(600_000);
    await provider.signInUrl(CHECKS, false);
    expect(bent.asked).toEqual(['description', 'description']);
  });

  test.each<[string, Parameters<BentProvider['break']>[1]]>([
    ['a server error', (response) => response.writeHead(500).end()],
    ['a page', (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')],
    ['no JSON', (response) => response.writeHead(200, JSON_TYPE).end('{')],
    ['nothing', (response) => response.writeHead(204).end()],
    ['a redirect', (response) => response.writeHead(302, { location: 'http://x.invalid' }).end()],
    ['a broken connection', (response) => response.destroy()],
    [
      'more than a megabyte',
      (response) => response.writeHead(200, JSON_TYPE).end(`"${'x'.repeat(1_100_000)}"`),
    ],
  ])('sends %s', async (_what, fault) => {
    bent.break('description', fault);
    expect(await refusal(identify())).toMatch(/^oidc_unavailable: /);
  });

  test('with endpoints at an address that is never called', async () => {
    bent.description = { token_endpoint: 'http://169.254.169.254/token' };
    expect(await refusal(identify())).toMatch(/^oidc_unavailable: .*\(address_refused\)/);
  });
});

const JSON_TYPE = { 'content-type': 'application/json' };
