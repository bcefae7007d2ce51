import { joinerOf, longTextOf } from '../../../src/channels/telegram/messages/message-text';

const LIMIT = 4096;

/** Splits a text as a client does (up to 300 units before the limit) and joins it again. */
function splitAt(text: string, at: number, apartS = 0): string {
  const [first, second] = [text.slice(0, at).trim(), text.slice(at).trim()];
  const before = longTextOf({ messageId: 7, date: 100, text: first });
  const joiner = joinerOf(before, { messageId: 8, date: 100 + apartS, text: second });
  return joiner === null ? 'two messages' : first + joiner + second;
}

const WORDS = 'rye and wheat '.repeat(600).trim();

test.each([
  ['at the last space before the limit', WORDS, WORDS.lastIndexOf(' ', LIMIT - 1)],
  ['inside a very long word', 'r'.repeat(9000), LIMIT],
  ['at the end of a line', `${'r'.repeat(4000)}\n${WORDS}`, 4000],
  ['at a space at the limit, after a full stop', `${'r'.repeat(4095)}. Rye and wheat`, LIMIT],
])('a text that was split %s is joined again', (_where, text, at) => {
  expect(splitAt(text, at)).toBe(text);
});

test('parts may be dated one second apart, not two', () => {
  const at = WORDS.lastIndexOf(' ', LIMIT - 1);
  expect(splitAt(WORDS, at, 1)).toBe(WORDS);
  expect(splitAt(WORDS, at, 2)).toBe('two messages');
});

test('a text that does not end close to the limit is not joined', () => {
  expect(splitAt(WORDS, 3000)).toBe('two messages');
});

test('a message that does not directly follow the long one stays separate', () => {
  const before = longTextOf({ messageId: 7, date: 100, text: 'r'.repeat(LIMIT) });
  expect(joinerOf(before, { messageId: 9, date: 100, text: 'rye' })).toBeNull();
  expect(joinerOf(null, { messageId: 8, date: 100, text: 'rye' })).toBeNull();
});
