import { claimIn, emailIn, nameIn, roleIn } from '../../../src/access/oidc/claims';
import type { OidcSettings } from '../../../src/common/config';
import { settingsForTests } from '../../support/settings';

/** Settings with this claim, and these values of it. */
function settingsWith(env: Record<string, string> = {}): OidcSettings {
  const { oidc } = settingsForTests({
    PUBLIC_URL: 'https://interviews.example.org',
    OIDC_ISSUER: 'https://login.example.org',
    OIDC_CLIENT_ID: 'colloquy',
    OIDC_CLIENT_SECRET: 'secret',
    OIDC_ROLES: 'hr=recruiter,boss=admin,guest=viewer,cn=interviewers=interviewer',
    ...env,
  });
  if (oidc === null) throw new Error('single sign-on is off');
  return oidc;
}

describe('the role', () => {
  test.each([
    ['a text', 'hr', 'recruiter'],
    ['a list', ['other', 'guest'], 'viewer'],
    ['several values: the one with the most rights', ['guest', 'boss', 'hr'], 'admin'],
    ['a value with an equals sign', 'cn=interviewers', 'interviewer'],
    ['no value of the settings', ['other'], null],
    ['another case', 'HR', null],
    ['an empty list', [], null],
    ['a list in a list', [['boss']], null],
    ['a number', 1, null],
    ['an object', { boss: true }, null],
    ['null', null, null],
  ])('of %s', (_what, roles, expected) => {
    expect(roleIn({ roles }, settingsWith())).toBe(expected);
  });

  test('is none without the claim', () => {
    expect(roleIn({ groups: ['boss'] }, settingsWith())).toBeNull();
  });

  test('is found by a path, and by a name that has dots itself', () => {
    const nested = settingsWith({ OIDC_ROLE_CLAIM: 'realm_access.roles' });
    const named = settingsWith({ OIDC_ROLE_CLAIM: 'https://example.org/roles' });

    expect(roleIn({ realm_access: { roles: ['hr'] } }, nested)).toBe('recruiter');
    expect(roleIn({ 'https://example.org/roles': 'hr' }, named)).toBe('recruiter');
  });
});

test('a claim is found at the longest name that is there, and never in a prototype', () => {
  const claims = { a: { b: { c: 1 }, 'b.d': 2 }, 'x.y': { z: 3 } };

  expect(claimIn(claims, 'a.b.c')).toBe(1);
  expect(claimIn(claims, 'a.b.d')).toBe(2);
  expect(claimIn(claims, 'x.y.z')).toBe(3);
  expect(claimIn(claims, 'constructor.name')).toBeUndefined();
  expect(claimIn(claims, 'a.b.c.length')).toBeUndefined();
  expect(claimIn('text', 'length')).toBeUndefined();
});

test('a name is what the person signs in with, or the subject, where the provider has none', () => {
  expect(nameIn({ name: 'Ada Lovelace', email: 'ada@example.org' }, 's')).toBe('Ada Lovelace');
  expect(nameIn({ name: ' - ', preferred_username: 'ada' }, 's')).toBe('ada');
  expect(nameIn({ name: 7, email: 'ada@example.org' }, 's')).toBe('ada@example.org');
  expect(nameIn({}, 'subject-1')).toBe('subject-1');
});

test('an address is not taken where the provider calls it unverified', () => {
  expect(emailIn({ email: 'ada@example.org' })).toBe('ada@example.org');
  expect(emailIn({ email: 'ada@example.org', email_verified: true })).toBe('ada@example.org');
  expect(emailIn({ email: 'ada@example.org', email_verified: false })).toBeNull();
  expect(emailIn({ email: ['ada@example.org'] })).toBeNull();
  expect(emailIn({})).toBeNull();
});
