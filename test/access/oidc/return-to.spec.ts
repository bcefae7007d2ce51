import { consolePath } from '../../../src/access/oidc/return-to';

test.each([
  '/console',
  '/console/interviews/1?tab=evidence&q=a%20b',
  '/console/interviews#question-2',
  '/console/%D0%B0',
])('a sign-in leads to %s', (wanted) => {
  expect(consolePath(wanted)).toBe(wanted);
});

test.each([
  undefined,
  ['/console/a', '//evil.example'],
  '',
  '/',
  '/docs',
  '/consoles',
  '/console/../docs',
  '/console/%2e%2e/docs',
  '/console/.%2E/docs',
  '//evil.example/console',
  '//evil.example/console/a',
  'https://evil.example/console/a',
  '///evil.example/console',
  '/\\evil.example/console',
  '\\\\evil.example/console',
  '/\t/evil.example/console',
  'https://evil.example/console',
  'https:evil.example/console',
  'javascript:alert(1)//console',
  'console',
  '%2F%2Fevil.example',
  '/%2Fevil.example/console',
  'http://[',
  `/console/${'a'.repeat(500)}`,
  '/console/sign-in?problem=oidc_denied',
])('a sign-in does not lead to %j', (wanted) => {
  expect(consolePath(wanted)).toBe('/console');
});

test('what would be a header of its own is encoded', () => {
  expect(consolePath('/console/a\r\nset-cookie: x=y')).toBe('/console/aset-cookie:%20x=y');
});
