import { BentProvider } from '../support/bent-provider';
import { CLIENT } from '../support/identity-provider';
import { doctor } from './doctor-report';

/* What `colloquy doctor` says about single sign-on. */

let provider: BentProvider;

beforeEach(async () => {
  provider = await BentProvider.start('/tenant');
});

afterEach(() => provider.close());

async function findings(issuer: string): Promise<string[]> {
  const { of } = await doctor({
    PUBLIC_URL: 'http://jobs.invalid',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: 'hr=recruiter',
  });
  const lines = of('sign-on');
  expect(lines.join()).not.toContain(CLIENT.secret);
  return lines;
}

test('a provider that is found is named with the callback address that it has to know', async () => {
  provider.description = { code_challenge_methods_supported: ['plain', 'S256'] };

  expect(await findings(provider.issuer)).toEqual([
    `ok sign-on: The provider at ${new URL(provider.issuer).host} is the issuer of OIDC_ISSUER; it has to know the callback address http://jobs.invalid/api/v1/team/oidc/callback.`,
  ]);
  expect(provider.asked).toEqual(['description']);
});

test('one that does not state that it checks PKCE is worth a look', async () => {
  expect(await findings(provider.issuer)).toEqual([
    expect.stringMatching(/^ok /),
    expect.stringMatching(/^warning .*PKCE/),
  ]);
});

test('another slash than the provider states is named', async () => {
  expect(await findings(`${provider.issuer}/`)).toEqual([
    expect.stringContaining(
      `the provider states ${provider.issuer}: set OIDC_ISSUER to exactly that`,
    ),
  ]);
});

test('a provider that is away is a problem', async () => {
  await provider.goDown();

  expect(await findings(provider.issuer)).toEqual([
    expect.stringMatching(/^problem sign-on: .*\(ECONNREFUSED\)/),
  ]);
});

test('without a provider there is nothing to check', async () => {
  const { of } = await doctor();
  expect(of('sign-on')).toEqual([
    'ok sign-on: OIDC_ISSUER is not set, so colleagues sign in with passwords.',
  ]);
});
