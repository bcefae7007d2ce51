import { type Flow, flowKeyOf, openFlow, sealFlow } from '../../../src/access/oidc/flow-seal';
import { settingsForTests } from '../../support/settings';

const FLOW: Flow = {
  nonce: 'a-nonce',
  verifier: 'a-verifier',
  returnTo: '/console',
  beganAtMs: 1,
  isConfirmation: true,
};

async function keyWith(secret: string): Promise<Buffer> {
  const { oidc } = settingsForTests({
    PUBLIC_URL: 'https://interviews.example.org',
    OIDC_ISSUER: 'https://login.example.org',
    OIDC_CLIENT_ID: 'colloquy',
    OIDC_CLIENT_SECRET: secret,
    OIDC_ROLES: 'hr=recruiter',
  });
  if (oidc === null) throw new Error('single sign-on is off');
  return flowKeyOf(oidc);
}

test('every replica opens what another one has sealed, for its state only', async () => {
  const [one, other] = [await keyWith('a secret'), await keyWith('a secret')];
  const sealed = sealFlow(one, 'state-1', FLOW);

  expect(openFlow(other, 'state-1', sealed)).toEqual(FLOW);
  expect(openFlow(other, 'state-2', sealed)).toBeNull();
  expect(openFlow(await keyWith('another'), 'state-1', sealed)).toBeNull();
});

test('a browser neither reads nor changes what is sealed', async () => {
  const key = await keyWith('a secret');
  const sealed = sealFlow(key, 'state-1', FLOW);
  const bytes = Buffer.from(sealed, 'base64url');

  expect(bytes.toString('latin1')).not.toContain('verifier');
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(openFlow(key, 'state-1', changed.toString('base64url'))).toBeNull();
  }
  for (const other of ['', 'x', '!', sealed.slice(0, 20)]) {
    expect(openFlow(key, 'state-1', other)).toBeNull();
  }
});
