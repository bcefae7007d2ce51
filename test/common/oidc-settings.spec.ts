import { InvalidSettingsError } from '../../src/common/config';
import { settingsForTests } from '../support/settings';

const WHOLE = {
  PUBLIC_URL: 'https://interviews.example.org/',
  OIDC_ISSUER: 'https://login.example.org/realms/team/',
  OIDC_CLIENT_ID: 'colloquy',
  OIDC_CLIENT_SECRET: 'a-secret-of-these-tests',
  OIDC_ROLES: 'hr=recruiter',
};

function problems(changes: Record<string, string>): readonly string[] {
  try {
    settingsForTests({ ...WHOLE, ...changes });
    return [];
  } catch (error) {
    if (error instanceof InvalidSettingsError) return error.problems;
    throw error;
  }
}

test('single sign-on is off by default', () => {
  expect(settingsForTests().oidc).toBeNull();
});

test('the issuer keeps its slash, and the callback address is made of PUBLIC_URL', () => {
  const { oidc } = settingsForTests({ ...WHOLE, OIDC_ROLES: 'cn=hr=recruiter,boss = admin' });

  expect(oidc).toMatchObject({
    issuer: 'https://login.example.org/realms/team/',
    callbackUrl: 'https://interviews.example.org/api/v1/team/oidc/callback',
    roleClaim: 'roles',
    scope: 'openid profile email',
    isOnly: false,
    roles: [
      { value: 'cn=hr', role: 'recruiter' },
      { value: 'boss', role: 'admin' },
    ],
  });
});

test.each([
  'https://login.example.org/.well-known/openid-configuration',
  'https://login.example.org/.well-known',
  'http://login.example.org',
  'https://user:secret@login.example.org',
  'https://login.example.org/?tenant=1',
  'https://169.254.169.254/',
  'login.example.org',
])('%s is no issuer', (issuer) => {
  const [problem, ...others] = problems({ OIDC_ISSUER: issuer });

  expect(others).toEqual([]);
  expect(problem).toMatch(/^OIDC_ISSUER=.*: expected the issuer exactly as the provider states it/);
  expect(problem).toContain('not the one below /.well-known/');
  expect(problem).not.toContain('secret@');
});

test('plain http is taken on this machine only', () => {
  expect(problems({ OIDC_ISSUER: 'http://localhost:8080/realms/a' })).toEqual([]);
  expect(problems({ OIDC_ISSUER: 'http://127.0.0.1:8080' })).toEqual([]);
});

test.each(['hr', 'hr=owner', 'hr=recruiter,hr=admin', '=admin', 'hr=recruiter,,'])(
  '"%s" names no roles',
  (roles) => {
    expect(problems({ OIDC_ROLES: roles })).toEqual([
      expect.stringMatching(/^OIDC_ROLES=.*: expected value=role,value=role with the roles admin/),
    ]);
  },
);

test('the scope asks for an ID token', () => {
  const changes = { OIDC_SCOPE: 'profile email' };
  expect(problems(changes)).toEqual([expect.stringContaining('openid among them')]);
});

test('what belongs together is missed by name', () => {
  const none = { OIDC_CLIENT_ID: '', OIDC_CLIENT_SECRET: '', OIDC_ROLES: '' };

  expect(problems({ ...none, PUBLIC_URL: '' })).toEqual([
    'OIDC_CLIENT_ID: expected with OIDC_ISSUER',
    'OIDC_CLIENT_SECRET: expected with OIDC_ISSUER',
    'OIDC_ROLES: expected with OIDC_ISSUER',
    'OIDC_ISSUER: expected PUBLIC_URL, to which the provider sends people back',
  ]);
  const alone = 'OIDC_ISSUER: expected too, or none of OIDC_…';
  expect(problems({ ...none, OIDC_ISSUER: '', OIDC_ONLY: 'true' })).toEqual([alone]);
  expect(problems({ ...none, OIDC_ISSUER: '', OIDC_CLIENT_ID: 'colloquy' })).toEqual([alone]);
  expect(problems({ ...none, OIDC_ISSUER: '' })).toEqual([]);
});
