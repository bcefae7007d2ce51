import { QuietLog } from '../../src/common/logging';
import { FakeClock } from '../../tools/support/fake-clock';

const MINUTE_MS = 60_000;

describe('a quiet log', () => {
  let clock: FakeClock;
  let lines: string[];
  let log: QuietLog;

  beforeEach(() => {
    clock = new FakeClock();
    lines = [];
    const write = (line: string): void => {
      lines.push(line);
    };
    log = new QuietLog({ log: write, warn: write }, clock);
  });

  test('writes the same sentence at most once in ten minutes', () => {
    log.warn('a');
    log.warn('b');
    log.warn('a');
    clock.advance(10 * MINUTE_MS - 1);
    log.warn('a');
    expect(lines).toEqual(['a', 'b']);

    clock.advance(1);
    log.warn('a');
    expect(lines).toEqual(['a', 'b', 'a']);
  });

  test('writes a forgotten sentence at once', () => {
    log.warn('a');
    log.forget('a');
    log.log('a');

    expect(lines).toEqual(['a', 'a']);
  });

  test('remembers at most 200 sentences', () => {
    for (let n = 0; n < 201; n += 1) log.warn(String(n));
    log.warn('0');
    log.warn('200');

    expect(lines).toHaveLength(202);
    expect(lines.at(-1)).toBe('0');
  });
});
