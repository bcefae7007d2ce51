import { retryAfterMs } from '../../../src/common/http';

const NOW = new Date('2026-03-02T09:00:00Z');

test.each<[Record<string, string>, number | undefined]>([
  [{}, undefined],
  [{ 'retry-after': '7' }, 7000],
  [{ 'retry-after': '0.5' }, 500],
  [{ 'retry-after-ms': '120', 'retry-after': '9' }, 120],
  [{ 'retry-after': 'Mon, 02 Mar 2026 09:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Mon, 02 Mar 2026 08:00:00 GMT' }, 0],
  [
    { 'retry-after': 'Mon, 02 Mar 2026 12:00:30 GMT', date: 'Mon, 02 Mar 2026 12:00:00 GMT' },
    30_000,
  ],
  [{ 'retry-after': '999999' }, 3_600_000],
  [{ 'retry-after': 'soon' }, undefined],
  [{ 'retry-after': '-5' }, undefined],
])('reads headers %j as a pause of %p ms', (headers, expected) => {
  expect(retryAfterMs(new Headers(headers), NOW)).toBe(expected);
});

test('returns no pause without headers', () => {
  expect(retryAfterMs(undefined, NOW)).toBeUndefined();
});
