import fc from 'fast-check';
import {
  type Breaker,
  CLOSED,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  withProbe,
} from '../../src/jobs/breakers';

describe('the breaker as a value', () => {
  const failure = { nowMs: 0, retryAfterMs: 0, wasProbe: false, chance: 0 };

  test('probes come later and later, at least every 30 s', () => {
    let breaker: Breaker = CLOSED;
    const delays: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      breaker = afterPeerFailed(breaker, { ...failure, wasProbe: n > 0, chance: 1 });
      if (breaker.state === 'open') delays.push(breaker.untilMs);
      breaker = afterTime(breaker, Infinity);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('flows begun before it opened do not make it wait longer', () => {
    const open = afterPeerFailed(CLOSED, failure);
    expect(afterPeerFailed(open, failure)).toEqual(open);
    const halfOpen = withProbe(afterTime(open, 1000), true);
    expect(afterPeerFailed(halfOpen, failure)).toEqual(halfOpen);
  });

  test('while half open it lets one claim through until that one has ended', () => {
    const halfOpen = afterTime(afterPeerFailed(CLOSED, failure), 1000);
    expect(withProbe(halfOpen, true)).toMatchObject({ isProbing: true });
    expect(afterTime(withProbe(halfOpen, true), 99_999)).toMatchObject({ isProbing: true });
    expect(afterPeerResponded(withProbe(halfOpen, true))).toEqual(CLOSED);
  });

  test('no history makes it ask before a Retry-After is over, or close while it is open', () => {
    const event = fc.record({
      kind: fc.constantFrom('failed' as const, 'answered' as const),
      afterMs: fc.nat(5000),
      retryAfterMs: fc.constantFrom(0, 3000, 20_000),
      wasProbe: fc.boolean(),
      chance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        let breaker: Breaker = CLOSED;
        let nowMs = 0;
        let askedUntilMs = 0;
        for (const { kind, afterMs, retryAfterMs, wasProbe, chance } of events) {
          nowMs += afterMs;
          breaker = withProbe(afterTime(breaker, nowMs), true);
          if (nowMs < askedUntilMs) expect(breaker.state).toBe('open');
          if (kind === 'answered') {
            breaker = afterPeerResponded(breaker);
            continue;
          }
          breaker = afterPeerFailed(breaker, { nowMs, retryAfterMs, wasProbe, chance });
          if (retryAfterMs > 0) askedUntilMs = Math.max(askedUntilMs, nowMs + retryAfterMs);
        }
      }),
      { numRuns: 200 },
    );
  });
});
