/** What the page says about a new password before it is sent: the same as the server. */
import { weaknessOf } from '../../../web/console/join/password';

const PERSON = ['Ada Lovelace', 'ada.l@example.org', 'ada.l'];

test.each([
  ['eleven char', 'short'],
  ['ключ', 'short'],
  // Twelve units of UTF-16, and six characters.
  ['🙂🙂🙂🙂🙂🙂', 'short'],
  ['x'.repeat(257), 'long'],
  ['a'.repeat(12), 'repeated'],
  ['my ADA LOVELACE key', 'personal'],
  ['ada.l@example.org!', 'personal'],
  ['correct horse battery', null],
  ['верный конь и скрепка', null],
] as const)('%j: %s', (password, weakness) => {
  expect(weaknessOf(password, PERSON)).toBe(weakness);
});

test('a name of three letters is part of too many words', () => {
  expect(weaknessOf('a broad canal bank', ['Ada', ''])).toBeNull();
});
