#!/bin/sh
# openid-client: a code is redeemed, and then its caller's checks are changed; constant checks lose the code.
#
# Version:  openid-client 6.9.0 (oauth4webapi and jose as it installs them), Node 20.20.2.
# Guess:    authorizationCodeGrant() reads its third argument, so one object can be kept for all sign-ins, as `Object.freeze`d
#           options are.
# Seen:     with an expectedNonce or a maxAge it writes `idTokenExpected: true` into that object, after the token endpoint
#           has responded. A frozen object makes it reject with a TypeError then: the provider has spent the code, and a
#           repetition gets `invalid_grant`. An object that is used again expects an ID token of a server that sends none.
# Output:   frozen: TypeError, requests for a token: 1
#           again with the same code: invalid_grant, requests for a token: 2
#           own object: tokens, its keys afterwards: expectedNonce, expectedState, idTokenExpected, pkceCodeVerifier
# So:       hand over a new object for each sign-in.
#
# Needs npm and the registry it is configured with. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund openid-client@6.9.0 jose@6.1.0
cat > try.mjs <<'CODE'
import { createServer } from 'node:http';
import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { SignJWT, exportJWK, generateKeyPair } from 'jose';

const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true });
const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
/** What the provider knows of each code that it has given out; a redeemed one is gone. */
const codes = new Map();
let redemptions = 0;

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const send = (status, body) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (request.url === '/.well-known/openid-configuration') {
    return send(200, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['RS256'],
    });
  }
  if (request.url === '/keys') return send(200, { keys: [jwk] });
  let text = '';
  for await (const part of request) text += part;
  redemptions += 1;
  const form = new URLSearchParams(text);
  const known = codes.get(form.get('code'));
  codes.delete(form.get('code'));
  const challenge = createHash('sha256').update(form.get('code_verifier') ?? '').digest('base64url');
  if (known?.challenge !== challenge) return send(400, { error: 'invalid_grant' });
  const idToken = await new SignJWT({ nonce: known.nonce })
    .setProtectedHeader({ alg: 'RS256', kid: 'one' })
    .setIssuer(issuer)
    .setAudience('team')
    .setSubject('person-1')
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(privateKey);
  return send(200, { access_token: 'a', token_type: 'Bearer', expires_in: 300, id_token: idToken });
});
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const issuer = new URL(`http://127.0.0.1:${server.address().port}`);
const execute = [client.allowInsecureRequests];
const config = await client.discovery(issuer, 'team', 'secret', undefined, { execute });

/** The checks of a sign-in whose person has come back with this code. */
async function checksOf(code) {
  const pkceCodeVerifier = client.randomPKCECodeVerifier();
  const challenge = await client.calculatePKCECodeChallenge(pkceCodeVerifier);
  const [expectedNonce, expectedState] = [client.randomNonce(), client.randomState()];
  codes.set(code, { challenge, nonce: expectedNonce });
  return { pkceCodeVerifier, expectedNonce, expectedState };
}

function redeem(code, checks) {
  const place = new URL(`https://team.example/callback?code=${code}&state=${checks.expectedState}`);
  return client.authorizationCodeGrant(config, place, checks).then(
    () => 'tokens',
    (error) => error.error ?? error.name,
  );
}

const frozen = Object.freeze(await checksOf('first'));
const [first, after] = [await redeem('first', frozen), redemptions];
console.log(`frozen: ${first}, requests for a token: ${after}`);
const second = await redeem('first', { ...frozen });
console.log(`again with the same code: ${second}, requests for a token: ${redemptions}`);
const own = await checksOf('second');
const third = await redeem('second', own);
const keys = Object.keys(own).sort().join(', ');
console.log(`own object: ${third}, its keys afterwards: ${keys}`);
server.close();
const isAsSeen =
  first === 'TypeError' &&
  after === 1 &&
  second === 'invalid_grant' &&
  third === 'tokens' &&
  keys === 'expectedNonce, expectedState, idTokenExpected, pkceCodeVerifier';
if (!isAsSeen) console.error('the behaviour has changed');
process.exit(isAsSeen ? 0 : 1);
CODE
node try.mjs
