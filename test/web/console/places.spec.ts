/** Where signing in leads. */
import { HOME, destinationOf, signInAt } from '../../../web/console/places';

test.each([
  ['/console/people', '/console/people'],
  [
    '/console/interviews?state=needs_person&text=Ada%20L',
    '/console/interviews?state=needs_person&text=Ada%20L',
  ],
  [
    '/console/transcripts/0199c5a0-1111-7222-8333-444455556666',
    '/console/transcripts/0199c5a0-1111-7222-8333-444455556666',
  ],
  ['/console', '/console'],
])('leads back to a page of the console (%s)', (to, destination) => {
  expect(destinationOf(`?to=${encodeURIComponent(to)}`)).toBe(destination);
});

test.each([
  'https://evil.example/console/people',
  '//evil.example/console/people',
  '/\\evil.example',
  '/console/..//evil.example',
  '/console/../i/somebody',
  '/consoles',
  'javascript:alert(1)',
  '/console/sign-in',
  '/console/sign-in?to=/console/sign-in',
  '/console/join/a-token',
  '/console/signed-in',
  '/console/people\\@evil.example',
  '',
])('leads home from any other address (%j)', (to) => {
  expect(destinationOf(`?to=${encodeURIComponent(to)}`)).toBe(HOME);
});

test('what the sign-in page is given leads back to the same place', () => {
  const to = '/console/interviews?state=finished&text=%D0%90%D0%BD%D0%BD%D0%B0';

  expect(destinationOf(new URL(signInAt(to), 'http://here').search)).toBe(to);
  expect(signInAt(HOME)).toBe('/console/sign-in');
});
