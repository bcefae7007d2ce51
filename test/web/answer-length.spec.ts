/** What a screen reader is told about the room in a field, while its text grows by one key at a time. */
import { en } from '../../web/src/i18n/en';
import { ru } from '../../web/src/i18n/ru';
import { spokenLength } from '../../web/src/state/answer-length';

const LIMIT = 16_000;

/** Each change of the live region, with the length at which it comes. */
function told(from: number, to: number, { composer }: Pick<typeof en, 'composer'> = en) {
  const changes: [number, string][] = [];
  const step = from < to ? 1 : -1;
  let last = spokenLength(from, LIMIT, composer);
  for (let length = from; length !== to + step; length += step) {
    const text = spokenLength(length, LIMIT, composer);
    if (text !== last) changes.push([length, text]);
    last = text;
  }
  return changes;
}

const OVER = (excess: string) =>
  `Your text is too long by up to ${excess} characters. Please send it in two parts.`;

test('a text that grows past the limit changes the live region five times', () => {
  expect(told(0, LIMIT + 1_000)).toEqual([
    [14_401, 'Fewer than 1,600 characters left'],
    [15_201, 'Fewer than 800 characters left'],
    [16_000, '0 characters left'],
    [16_001, OVER('800')],
    [16_801, OVER('1,600')],
  ]);
});

test('a text that is made shorter is told as soon as it fits', () => {
  expect(told(LIMIT + 100, 0).map(([length]) => length)).toEqual([16_000, 15_999, 15_200, 14_400]);
});

test('what is told is true at every length, also of a limit that has no even twentieth', () => {
  const limit = 1_023;
  for (let length = 0; length <= limit * 2; length += 1) {
    const text = spokenLength(length, limit, en.composer);
    const told = Number(/[\d,]+/.exec(text)?.[0].replace(',', '') ?? NaN);
    const room = limit - length;
    if (text === '') expect(room).toBeGreaterThanOrEqual(limit / 10);
    else if (room > 0) expect(told).toBeGreaterThan(room);
    else expect(told).toBeGreaterThanOrEqual(-room);
  }
});

test('counts are in the language of the page, and one character is one', () => {
  expect([en.composer.left(1), en.composer.left(1_599)]).toEqual([
    '1 character left',
    '1,599 characters left',
  ]);
  expect(en.composer.tooLong(1)).toBe('Too long by 1 character. Please send it in two parts.');
  expect(told(14_400, 14_401, ru)).toEqual([
    [14_401, expect.stringMatching(/^Осталось меньше 1\s600 знаков$/)],
  ]);
});
