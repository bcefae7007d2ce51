import { looksLikeContact } from '../../web/src/contact';

test.each([
  'priya@example.com',
  'Priya <priya@example.com>',
  'почта: иван@пример.рф',
  '+353 87 123 4567',
  '8 (495) 123-45-67',
  'call 112 233 after six',
  '@priya_s',
  'telegram @priya',
  't.me/priya',
  'https://www.linkedin.com/in/priya',
])('"%s" looks like a contact', (text) => {
  expect(looksLikeContact(text)).toBe(true);
});

test.each([
  'priya',
  'priya@example',
  'priya at example.com',
  '1234',
  'room 7, floor 3',
  '@',
  'Пётр',
])('"%s" does not look like a contact', (text) => {
  expect(looksLikeContact(text)).toBe(false);
});
