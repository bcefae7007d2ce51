import fc from 'fast-check';
import {
  type Breaker,
  type BreakerChange,
  CLOSED,
  QueueBreakers,
  afterPeerResponded,
  afterPeerFailed,
  afterTime,
  giveBackDelayMs,
  retryDelayMs,
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

  test('a Retry-After lengthens the delay of an open one, and never shortens it', () => {
    const open = { state: 'open', failures: 1, untilMs: 1000 } as const;
    const at = { ...failure, nowMs: 400 };
    expect(afterPeerFailed(open, { ...at, retryAfterMs: 601 })).toEqual({ ...open, untilMs: 1001 });
    expect(afterPeerFailed(open, { ...at, retryAfterMs: 599 })).toEqual(open);
  });

  test('half open, a Retry-After of an earlier call opens it, and counts as no failed probe', () => {
    const halfOpen = { state: 'half_open', failures: 2, isProbing: true } as const;
    const asked = afterPeerFailed(halfOpen, { ...failure, nowMs: 50, retryAfterMs: 9000 });
    expect(asked).toEqual({ state: 'open', failures: 2, untilMs: 9050 });
    const short = afterPeerFailed(halfOpen, { ...failure, retryAfterMs: 1, chance: 1 });
    expect(short).toEqual({ state: 'open', failures: 2, untilMs: 2000 });
  });

  test('its delay is over at its end, and not before', () => {
    const open = { state: 'open', failures: 3, untilMs: 1000 } as const;
    expect(afterTime(open, 999)).toBe(open);
    expect(afterTime(open, 1000)).toEqual({ state: 'half_open', failures: 3, isProbing: false });
    expect(withProbe(open, true)).toBe(open);
    expect(afterPeerResponded(open)).toBe(open);
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

describe('the breaker of a queue', () => {
  const away = (retryAfterMs?: number) =>
    new PeerUnavailableError('503', retryAfterMs === undefined ? {} : { retryAfterMs });
  const refused = new PeerUnavailableError('403', { mayConcernJobOnly: true });

  let clock: FakeClock;
  let breakers: QueueBreakers;

  beforeEach(() => {
    clock = new FakeClock();
    breakers = new QueueBreakers(clock);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  function fail(error: PeerUnavailableError, { jobId = 'a', wasProbe = false } = {}): void {
    breakers.peerFailed({ queue: 'flush', jobId }, error, wasProbe);
  }

  test('lets all through while it is closed, none while it is open, and one probe at a time after that', () => {
    const seen = [breakers.allowance('flush'), breakers.claimed('flush'), breakers.isOpen('flush')];
    expect(seen).toEqual([Infinity, false, false]);
    fail(away(5000));
    expect([breakers.allowance('flush'), breakers.isOpen('flush')]).toEqual([0, true]);
    clock.advance(5000);
    expect(breakers.allowance('flush')).toBe(1);
    expect(breakers.isOpen('flush')).toBe(true);
    expect(breakers.claimed('flush')).toBe(true);
    expect(breakers.allowance('flush')).toBe(0);
    breakers.probeVanished('flush');
    expect(breakers.allowance('flush')).toBe(1);
    expect(breakers.allowance('deliver')).toBe(Infinity);
  });

  test('says how long it is until a probe: the shortest of these queues', () => {
    expect(breakers.nextProbeInMs([])).toBe(Infinity);
    expect(breakers.nextProbeInMs(['flush', 'deliver'])).toBe(Infinity);
    fail(away(9000));
    breakers.peerFailed({ queue: 'deliver', jobId: 'b' }, away(4000), false);
    clock.advance(1000);
    expect(breakers.nextProbeInMs(['flush'])).toBe(8000);
    expect(breakers.nextProbeInMs(['flush', 'deliver'])).toBe(3000);
    clock.advance(20_000);
    expect(breakers.nextProbeInMs(['flush', 'deliver'])).toBe(0);
    breakers.allowance('flush');
    expect(breakers.nextProbeInMs(['flush'])).toBe(Infinity);
  });

  test('tells each change once, with the time until the probe, to whoever still listens', () => {
    const heard: BreakerChange[] = [];
    clock.advance(500);
    const end = breakers.onChange((change) => heard.push(change));
    fail(away(7000));
    fail(away(7000));
    clock.advance(7000);
    breakers.allowance('flush');
    breakers.claimed('flush');
    breakers.peerResponded('flush', 'a');
    breakers.peerResponded('flush', 'a');
    expect(heard).toEqual([
      { queue: 'flush', from: 'closed', to: 'open', retryInMs: 7000 },
      { queue: 'flush', from: 'open', to: 'half_open', retryInMs: 0 },
      { queue: 'flush', from: 'half_open', to: 'closed', retryInMs: 0 },
    ]);
    end();
    fail(away());
    expect(heard).toHaveLength(3);
  });

  test('opens at the first failure that is not about one job, though the peer responds to others', () => {
    breakers.peerResponded('flush', 'good');
    fail(away());
    expect(breakers.state('flush')).toBe('open');
  });

  test.each([
    [10_000, 'closed'],
    [10_001, 'open'],
  ] as const)('%d ms after a response to another job, a refusal leaves it %s', (afterMs, state) => {
    breakers.peerResponded('flush', 'good');
    clock.advance(afterMs);
    fail(refused);
    expect(breakers.state('flush')).toBe(state);
  });

  test('opens at a refusal when the peer has responded to nobody but this job', () => {
    breakers.peerResponded('flush', 'a');
    fail(refused);
    expect(breakers.state('flush')).toBe('open');
  });

  test('keeps the pause that the peer asked for when the same job is refused meanwhile', () => {
    fail(away(9000));
    fail(refused);
    expect([breakers.state('flush'), breakers.nextProbeInMs(['flush'])]).toEqual(['open', 9000]);
  });

  test('knows the newest responses to two jobs, and since when', () => {
    const others = (jobId: string, sinceMs: number) =>
      breakers.hasRespondedToOthers('flush', jobId, sinceMs);
    expect(others('a', -Infinity)).toBe(false);
    const firstMs = clock.monotonicMs();
    breakers.peerResponded('flush', 'a');
    clock.advance(10);
    breakers.peerResponded('flush', 'b');
    clock.advance(10);
    breakers.peerResponded('flush', 'b');
    expect([others('b', firstMs), others('b', firstMs + 1)]).toEqual([true, false]);
    expect([others('a', firstMs + 20), others('a', firstMs + 21)]).toEqual([true, false]);
    breakers.peerResponded('flush', 'c');
    expect(others('c', firstMs + 20)).toBe(true);
    expect(others('b', firstMs + 20)).toBe(true);
  });

  test('waits no longer for a job that is refused again and again, and longer for several', () => {
    jest.spyOn(Math, 'random').mockReturnValue(1);
    const waits = (jobIds: readonly string[]): number[] =>
      jobIds.map((jobId) => {
        fail(refused, { jobId, wasProbe: true });
        const ms = breakers.nextProbeInMs(['flush']);
        clock.advance(ms);
        breakers.allowance('flush');
        breakers.claimed('flush');
        return ms;
      });
    expect(waits(['a', 'a', 'a', 'b', 'a', 'a'])).toEqual([1000, 1000, 1000, 2000, 4000, 8000]);
  });
});

test('the pauses of a job double: up to 5 min after failures, to 30 s after it was given back', () => {
  const times = [1, 2, 5, 6, 9, 10];
  const seconds = (delayMs: (n: number, chance: number) => number, chance: number): number[] =>
    times.map((n) => delayMs(n, chance) / 1000);
  expect(seconds(retryDelayMs, 1)).toEqual([1, 2, 16, 32, 256, 300]);
  expect(seconds(giveBackDelayMs, 1)).toEqual([1, 2, 16, 30, 30, 30]);
  expect(seconds(retryDelayMs, 0)).toEqual([0.5, 1, 8, 16, 128, 150]);
  expect(retryDelayMs(0, 1)).toBe(1000);
});
