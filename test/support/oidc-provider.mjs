/**
 * The package oidc-provider as an identity provider of its own, for tests/support/identity-provider.ts, which forks
 * this file: the package is ESM only. It listens on a free port of 127.0.0.1 and ends with its parent.
 *
 * Its sign-in page lets in, without a password, the account of the query `account`, and refuses with `deny`.
 */
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

/** The settings of the fork, as JSON. */
const { callbackUrls, clientId, clientSecret, authMethod, claimNames } = JSON.parse(
  process.argv[2],
);
/** By account: its claims in the ID token, and in userinfo. The parent changes them. */
let accounts = {};

const server = createServer().listen(0, '127.0.0.1', () => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const provider = providerAt(issuer);
  const handle = provider.callback();
  server.on('request', (request, response) => {
    const url = new URL(request.url, issuer);
    const work = url.pathname.startsWith('/interaction/')
      ? interact(provider, request, response, url.searchParams)
      : handle(request, response);
    Promise.resolve(work).catch((error) => {
      response.writeHead(500).end(String(error));
    });
  });
  process.send({ issuer });
});

process.on('message', (message) => {
  accounts = message.accounts;
  process.send({ stored: true });
});
process.on('disconnect', () => process.exit(0));

function providerAt(issuer) {
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: callbackUrls,
        token_endpoint_auth_method: authMethod,
      },
    ],
    // Claims of a scope are in the ID token too, as with most other providers.
    conformIdTokenClaims: false,
    claims: {
      openid: ['sub'],
      profile: ['name', ...claimNames],
      email: ['email', 'email_verified'],
    },
    findAccount: (_context, id) =>
      id in accounts
        ? {
            accountId: id,
            claims: (use) => ({
              sub: id,
              ...accounts[id][use === 'id_token' ? 'idToken' : 'userinfo'],
            }),
          }
        : undefined,
    // Nobody is asked whether the installation may know who they are.
    loadExistingGrant: async ({ oidc }) => {
      const { Grant } = oidc.provider;
      const { accountId } = oidc.session;
      const { clientId } = oidc.client;
      const known = oidc.session.grantIdFor(clientId);
      if (known !== undefined) return Grant.find(known);
      const grant = new Grant({ clientId, accountId });
      grant.addOIDCScope('openid profile email');
      await grant.save();
      return grant;
    },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    cookies: { keys: ['of the tests'] },
    pkce: { required: () => true },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, IdToken: 600 },
  });
}

async function interact(provider, request, response, query) {
  const result = query.has('deny')
    ? { error: 'access_denied', error_description: 'the person said no' }
    : { login: { accountId: query.get('account') ?? 'nobody' } };
  await provider.interactionFinished(request, response, result);
}
