import {
  type ClockReading,
  DatabaseClock,
  LEAD_MS,
  LeadTime,
  MARGIN_MS,
  MINUTE_MS,
  SECOND_MS,
} from '../../../../src/notion-sync/api/limiter/limiter-timing';

test('starts a second apart are granted further apart by the margin and what calls may differ on their way', () => {
  expect(SECOND_MS - 1000).toBe(25);
  expect(MINUTE_MS - 60_000).toBe(25);
  expect(SECOND_MS - 1000).toBeGreaterThan(MARGIN_MS);
});

describe('the lead of a booking', () => {
  test('is the shortest one before anything was measured', () => {
    const lead = new LeadTime();
    expect([lead.toBookMs, lead.toCheckMs]).toEqual([LEAD_MS.min, LEAD_MS.min]);
  });

  test('is the slowest of both statements with a tenth more, and the delay of a timer', () => {
    const lead = new LeadTime();
    lead.booked(100);
    expect(lead.toBookMs).toBeCloseTo(114, 6);
    expect(lead.toCheckMs).toBe(LEAD_MS.min);
    lead.checked(50);
    expect(lead.toBookMs).toBeCloseTo(169, 6);
    expect(lead.toCheckMs).toBeCloseTo(59, 6);
  });

  test('grows at once with a slower statement, and shrinks by a tenth of the difference', () => {
    const lead = new LeadTime();
    lead.booked(100);
    lead.booked(20);
    expect(lead.toBookMs).toBeCloseTo(92 * 1.1 + 4, 6);
    lead.booked(200);
    expect(lead.toBookMs).toBeCloseTo(224, 6);
    lead.checked(100);
    lead.checked(90);
    expect(lead.toCheckMs).toBeCloseTo(99 * 1.1 + 4, 6);
  });

  test('is two seconds at most', () => {
    const lead = new LeadTime();
    lead.checked(60_000);
    expect([lead.toBookMs, lead.toCheckMs]).toEqual([LEAD_MS.max, LEAD_MS.max]);
  });
});

describe("what is known of the database's clock", () => {
  /** A reading that was heard then, and says that the offset is in these bounds. */
  function reading(heardMs: number, [low, high]: readonly [number, number]): ClockReading {
    const sentMs = heardMs - (high - low);
    return { sentMs, heardMs, databaseMs: sentMs - low };
  }

  let clock: DatabaseClock;

  beforeEach(() => {
    clock = new DatabaseClock();
  });

  const errors = () => clock.errorOf(clock.timescale);

  test('is nothing before the first reading, so there is no error to allow for', () => {
    expect(clock.timescale.offsetMs).toBeNull();
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 0 });
    expect(clock.errorOf({ id: 'another', offsetMs: 7 })).toEqual({ earlyMs: 0, lateMs: 0 });
  });

  test('is the upper bound of the first reading, also for a timescale that was asked for before it', () => {
    const asked = clock.timescale;
    clock.observe(reading(1010, [500, 510]));
    expect(asked).toEqual({ id: asked.id, offsetMs: 510 });
    expect(clock.timescale).toBe(asked);
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 10 });
    expect(clock.errorOf({ id: 'another', offsetMs: null })).toEqual({ earlyMs: 0, lateMs: 0 });
  });

  test('is bounded better by each closer reading, while its starts stay as far apart as before', () => {
    clock.observe(reading(1010, [500, 510]));
    clock.observe(reading(1010, [504, 508]));
    expect(clock.timescale.offsetMs).toBe(510);
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 6 });
    clock.observe(reading(1010, [490, 520]));
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 6 });
  });

  test('gets less certain by half a millisecond each second, in both directions', () => {
    clock.observe(reading(1000, [504, 508]));
    clock.observe(reading(101_000, [400, 600]));
    expect(clock.timescale.offsetMs).toBe(508);
    expect(errors()).toEqual({ earlyMs: 50, lateMs: 54 });
    // A reading of an earlier time makes it neither more nor less certain.
    clock.observe(reading(1000, [400, 600]));
    expect(errors()).toEqual({ earlyMs: 50, lateMs: 54 });
  });

  test.each([
    ['is kept while it is 20 ms too large', [530, 540], 560],
    ['is replaced when it is more than that', [530, 539], 539],
  ] as const)('an offset %s', (_, better, offsetMs) => {
    clock.observe(reading(1000, [500, 560]));
    const { id } = clock.timescale;
    clock.observe(reading(1000, better));
    expect(clock.timescale.offsetMs).toBe(offsetMs);
    expect(clock.timescale.id === id).toBe(offsetMs === 560);
  });

  test.each([
    ['is kept while it may be right', [508, 530], 508],
    ['is replaced when starts would be early', [509, 530], 530],
  ] as const)('a small offset %s', (_, later, offsetMs) => {
    clock.observe(reading(1000, [504, 508]));
    clock.observe(reading(101_000, later));
    expect(clock.timescale.offsetMs).toBe(offsetMs);
    expect(errors().lateMs).toBe(offsetMs - later[0]);
  });

  test('is forgotten when a clock was set: only the newest reading counts', () => {
    clock.observe(reading(1000, [500, 510]));
    const old = clock.timescale;
    clock.observe(reading(1001, [700, 705]));
    expect(clock.timescale.offsetMs).toBe(705);
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 5 });
    expect(clock.errorOf(old)).toEqual({ earlyMs: 195, lateMs: 0 });
    clock.observe(reading(1002, [300, 310]));
    expect(clock.timescale.offsetMs).toBe(310);
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 10 });
  });

  test('a reading that touches the bound of the earlier ones does not contradict them', () => {
    clock.observe(reading(1000, [500, 510]));
    clock.observe(reading(1000, [510, 512]));
    expect(clock.timescale.offsetMs).toBe(510);
    expect(errors()).toEqual({ earlyMs: 0, lateMs: 0 });
  });

  test('each timescale of each process has an id of its own', () => {
    const ids = [clock.timescale.id, new DatabaseClock().timescale.id];
    clock.observe(reading(1000, [500, 510]));
    for (const high of [705, 905]) {
      clock.observe(reading(1000, [high - 5, high]));
      ids.push(clock.timescale.id);
    }
    expect(new Set(ids).size).toBe(4);
    expect(ids.every((id) => id.length > 0)).toBe(true);
  });
});
