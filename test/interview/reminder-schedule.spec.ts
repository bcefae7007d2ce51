import fc from 'fast-check';
import { localTime } from '../../src/common/time-zone';
import {
  type NextStep,
  type ReminderRules,
  nextStep,
  openUntil,
} from '../../src/interview/reminders/schedule';

const RUNS = { numRuns: 200 };
const DAY_MS = 86_400_000;

/** Among them such that change their clocks, by half an hour too, or at midnight, or skipped a day. */
const KNOWN = [
  ...Intl.supportedValuesOf('timeZone'),
  'UTC',
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Asia/Kathmandu',
  'Africa/Cairo',
  'America/Santiago',
  'Pacific/Apia',
];

const rulesOf = fc.record({
  reminders: fc.integer({ min: 0, max: 5 }),
  firstWaitMs: fc.integer({ min: 60_000, max: 4 * DAY_MS }),
  timeZone: fc.constantFrom(...KNOWN),
});
const moment = fc.date({
  min: new Date('2011-01-01T00:00:00Z'),
  max: new Date('2035-01-01T00:00:00Z'),
  noInvalidDate: true,
});

interface Sent {
  readonly at: Date;
  readonly isLast: boolean;
  /** Since the reminder before it, or the last words. */
  readonly waitedMs: number;
}

interface Course {
  readonly sent: readonly Sent[];
  readonly expiredAt: Date;
}

/** A whole silence. The worker comes late to its first checks, and then in time. */
function courseOf(rules: ReminderRules, since: Date, latenessMs: readonly number[]): Course {
  const sent: Sent[] = [];
  let now = since;
  for (let n = 0; n < 100; n += 1) {
    const lastSentAt = sent.at(-1)?.at ?? null;
    const step: NextStep = nextStep(rules, { since, sent: sent.length, lastSentAt }, now);
    if (step.at > now) {
      now = new Date(step.at.getTime() + (latenessMs[n] ?? 0));
      continue;
    }
    if (step.kind === 'expire') return { sent, expiredAt: now };
    const waitedMs = now.getTime() - (lastSentAt ?? since).getTime();
    sent.push({ at: now, isLast: step.isLast, waitedMs });
  }
  throw new Error('the silence did not end');
}

const lateness = fc.array(fc.integer({ min: 0, max: 20 * 3_600_000 }), {
  minLength: 1,
  maxLength: 8,
});

test('no reminder is sent at night, in any time zone, across changes of the clock, however late it is', () => {
  fc.assert(
    fc.property(rulesOf, moment, lateness, (rules, since, late) => {
      for (const { at } of courseOf(rules, since, late).sent) {
        const { hour } = localTime(rules.timeZone, at);
        expect(hour).toBeGreaterThanOrEqual(9);
        expect(hour).toBeLessThan(21);
      }
    }),
    RUNS,
  );
});

test('a silence gets exactly as many reminders as the vacancy says, and only the last is marked so', () => {
  fc.assert(
    fc.property(rulesOf, moment, lateness, (rules, since, late) => {
      const { sent } = courseOf(rules, since, late);
      expect(sent).toHaveLength(rules.reminders);
      expect(sent.map(({ isLast }) => isLast)).toEqual(
        sent.map((_, index) => index === rules.reminders - 1),
      );
    }),
    RUNS,
  );
});

test('each wait is at least twice the one before, and a night makes it at most half a day longer', () => {
  fc.assert(
    fc.property(rulesOf, moment, (rules, since) => {
      const { sent } = courseOf(rules, since, [0]);
      for (const [index, { waitedMs }] of sent.entries()) {
        const asked = rules.firstWaitMs * 2 ** index;
        expect(waitedMs).toBeGreaterThanOrEqual(asked);
        // The night of 12 hours, and a change of the clock.
        expect(waitedMs).toBeLessThanOrEqual(asked + (12 + 1) * 3_600_000);
      }
    }),
    RUNS,
  );
});

test('an interview is open on the whole of the day that its last reminder names', () => {
  fc.assert(
    fc.property(rulesOf, moment, lateness, (rules, since, late) => {
      const { sent, expiredAt } = courseOf(rules, since, late);
      const last = sent.at(-1);
      if (last === undefined) return;
      const before = { since, sent: sent.length - 1, lastSentAt: sent.at(-2)?.at ?? null };
      const until = openUntil(rules, before, last.at);
      expect(localTime(rules.timeZone, expiredAt).day > until).toBe(true);
      expect(expiredAt.getTime() - last.at.getTime()).toBeGreaterThan(
        rules.firstWaitMs * 2 ** rules.reminders,
      );
    }),
    RUNS,
  );
});

test('the day that a reminder names is the one after which the interview expires, whoever asks for it', () => {
  const reminded = fc.integer({ min: 0, max: 6 });
  const after = fc.integer({ min: 0, max: 9 * DAY_MS });
  fc.assert(
    fc.property(rulesOf, moment, reminded, after, (rules, since, sent, afterMs) => {
      const now = new Date(since.getTime() + afterMs);
      const counted = Math.max(sent, rules.reminders - 1);
      const until = openUntil(rules, { since, sent: counted, lastSentAt: null }, now);

      const asked = { since, sent: counted + 1, lastSentAt: now };
      const step = nextStep(rules, asked, now);

      expect(step.kind).toBe('expire');
      expect(localTime(rules.timeZone, new Date(step.at.getTime() - 1)).day).toBe(until);
    }),
    RUNS,
  );
});

test('a candidate who was reminded before the time that they named is not hurried', () => {
  const rules = { reminders: 2, firstWaitMs: DAY_MS, timeZone: 'UTC' };
  const counted = new Date('2026-05-20T12:00:00Z');
  const lastSentAt = new Date('2026-05-02T12:00:00Z');

  const next = nextStep(rules, { since: counted, sent: 1, lastSentAt }, lastSentAt);
  const last = nextStep(rules, { since: counted, sent: 2, lastSentAt }, lastSentAt);

  expect(next).toMatchObject({ kind: 'remind', at: new Date('2026-05-22T12:00:00Z') });
  expect(last).toEqual({ kind: 'expire', at: new Date('2026-05-25T00:00:00Z') });
});

test('without reminders an interview expires after seven times the first wait, at the end of that day', () => {
  const rules = { reminders: 0, firstWaitMs: DAY_MS, timeZone: 'Europe/Berlin' };
  const since = new Date('2026-03-24T12:00:00Z');

  const step = nextStep(rules, { since, sent: 0, lastSentAt: null }, since);

  // Clocks change on 29 March; the day after the 31st begins at 22:00 UTC.
  expect(step).toEqual({ kind: 'expire', at: new Date('2026-03-31T22:00:00Z') });
});

test('a reminder that is due at night waits until 9 in the morning', () => {
  const rules = { reminders: 2, firstWaitMs: DAY_MS, timeZone: 'Asia/Kathmandu' };
  const since = new Date('2026-05-01T16:00:00Z');

  const step = nextStep(rules, { since, sent: 0, lastSentAt: null }, since);

  // 21:45 there, so 9:00 on the 3rd, which is 03:15 UTC.
  expect(step).toEqual({ kind: 'remind', at: new Date('2026-05-03T03:15:00Z'), isLast: false });
});
