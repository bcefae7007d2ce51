/** How long ago something was. */
import { agoOf } from '../../../web/console/moments';

const NOW = new Date('2026-11-30T12:00:00Z');
const before = (seconds: number) => new Date(NOW.getTime() - seconds * 1000);

test.each([
  [0, 'just now', 'только что'],
  [-5, 'just now', 'только что'],
  [61, '1 minute ago', '1 минуту назад'],
  [2 * 3600, '2 hours ago', '2 часа назад'],
  [25 * 3600, 'yesterday', 'вчера'],
  [3 * 86_400, '3 days ago', '3 дня назад'],
  [20 * 86_400, '10 Nov', '10 нояб.'],
])('%d seconds: %s, %s', (seconds, english, russian) => {
  expect(agoOf(before(seconds), NOW, 'en')).toBe(english);
  expect(agoOf(before(seconds), NOW, 'ru')).toBe(russian);
});

test('names the year when it is another one', () => {
  expect(agoOf(new Date('2025-03-01T12:00:00Z'), NOW, 'en')).toBe('1 Mar 2025');
});
