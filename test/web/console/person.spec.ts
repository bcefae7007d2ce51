/** What the page says about a name and an address before they are sent: the same as the server. */
import { userEmailOf, userNameOf } from '../../../src/access/users/names';
import { isEmail, isName } from '../../../web/console/join/person';

test.each([
  ['Ada Lovelace', true],
  ['  Анна-Мария   О’Коннор (младшая) ', true],
  ['3rd Reader', true],
  ['Ada_L', false],
  ['<Ada>', false],
  ['-Ada', false],
  ['a'.repeat(101), false],
  ['', false],
])('%j as a name: %s', (given, isTaken) => {
  expect(isName(given)).toBe(isTaken);
  expect(userNameOf(given) !== null).toBe(isTaken);
});

test.each([
  ['ada@example.org', true],
  [' Ada.L+hiring@example.org ', true],
  ['ada', false],
  ['ada@', false],
  ['Ada <ada@example.org>', false],
  ['ada@example.org, bob@example.org', false],
])('%j as an address: %s', (given, isTaken) => {
  expect(isEmail(given)).toBe(isTaken);
  expect(userEmailOf(given) !== null).toBe(isTaken);
});
