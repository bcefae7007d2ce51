import { UsageError } from '../../src/cli/failures';
import { expiryOf } from '../../src/cli/option-values';

const NOW = new Date('2026-03-02T09:00:00Z');

describe("an invitation's end", () => {
  test.each([
    ['1d', '2026-03-03T09:00:00.000Z'],
    ['365d', '2027-03-02T09:00:00.000Z'],
    ['2026-03-02', '2026-03-03T00:00:00.000Z'],
    ['2026-12-31', '2027-01-01T00:00:00.000Z'],
  ])('of %s is %s', (text, expected) => {
    expect(expiryOf(text, NOW).toISOString()).toBe(expected);
  });

  test.each([
    '',
    '0d',
    '366d',
    '-1d',
    '7',
    'd',
    '2026-03-01',
    '2027-03-20',
    '2026-02-31',
    '31.12.2026',
  ])('is refused as %j', (text) => {
    expect(() => expiryOf(text, NOW)).toThrow(UsageError);
  });
});
