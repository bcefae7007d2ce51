import fc from 'fast-check';
import {
  type Breaker,
  CLOSED,
  QueueBreakers,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  withProbe,
} from '../../src/jobs/breakers';
import { PeerUnavailableError } from '../../src/jobs';
import { FakeClock } from '../../tools/support/fake-clock';

describe('the states of a breaker', () => {
  const failure = { nowMs: 0, retryAfterMs: 0, wasProbe: false, chance: 0 };

  test('the delay between probes doubles up to 30 s', () => {
    let breaker: Breaker = CLOSED;
    const delays: number[] = [];
    for (let n = 0; n < 8; n += 1) {
      breaker = afterPeerFailed(breaker, { ...failure, wasProbe: n > 0, chance: 1 });
      if (breaker.state === 'open') delays.push(breaker.untilMs);
      breaker = afterTime(breaker, Infinity);
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  test('failures of flows that began before it opened do not lengthen the delay', () => {
    const open = afterPeerFailed(CLOSED, failure);
    expect(afterPeerFailed(open, failure)).toEqual(open);
    const halfOpen = withProbe(afterTime(open, 1000), true);
    expect(afterPeerFailed(halfOpen, failure)).toEqual(halfOpen);
  });

  test('half open, it lets one claim through until that one has ended', () => {
    const halfOpen = afterTime(afterPeerFailed(CLOSED, failure), 1000);
    expect(withProbe(halfOpen, true)).toMatchObject({ isProbing: true });
    expect(afterTime(withProbe(halfOpen, true), 99_999)).toMatchObject({ isProbing: true });
    expect(afterPeerResponded(withProbe(halfOpen, true))).toEqual(CLOSED);
  });

  test('it never probes before a Retry-After is over and never closes while it is open', () => {
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

describe('a job that the peer refuses alone', () => {
  const refused = new PeerUnavailableError('403', { mayConcernJobOnly: true });

  function failing(breakers: QueueBreakers, jobId: string): string {
    breakers.peerFailed({ queue: 'flush', jobId }, refused, false);
    return breakers.state('flush');
  }

  test('is forgotten once the peer has responded: ten in turn pause nobody', () => {
    const clock = new FakeClock();
    const breakers = new QueueBreakers(clock);
    for (let n = 1; n <= 10; n += 1) {
      breakers.peerResponded('flush', 'good');
      clock.advance(100);
      expect(failing(breakers, `bad ${n}`)).toBe('closed');
      expect(failing(breakers, `bad ${n}`)).toBe('closed');
    }
  });

  test('and another one without a response between them open the breaker, each time anew', () => {
    const clock = new FakeClock();
    const breakers = new QueueBreakers(clock);
    for (let n = 1; n <= 10; n += 1) {
      breakers.peerResponded('flush', 'good');
      expect(failing(breakers, `bad ${n}`)).toBe('closed');
      expect(failing(breakers, `worse ${n}`)).toBe('open');
      clock.advance(30_000);
      expect(breakers.allowance('flush')).toBe(1);
      expect(breakers.claimed('flush')).toBe(true);
      breakers.peerResponded('flush', `worse ${n}`);
      expect(breakers.state('flush')).toBe('closed');
    }
  });
});
