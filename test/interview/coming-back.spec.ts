import fc from 'fast-check';
import { localTime } from '../../src/common/time-zone';
import { comingBackOf, type Ends, lastDay } from '../../src/interview/reminders/coming-back';
import {
  announced,
  endOfSilence,
  instantOf,
  nextStep,
  type ReminderRules,
} from '../../src/interview/reminders/schedule';
import { keptDaysOf, rulesOf as retentionOf } from '../../src/privacy/retention-policy';
import { settingsForTests } from '../support/settings';

const NOW = new Date('2026-11-26T14:00:00Z');
const DAY_MS = 86_400_000;
const RULES: ReminderRules = { reminders: 2, firstWaitMs: DAY_MS, timeZone: 'UTC' };
const ENDS: Ends = {
  session: null,
  invitation: null,
  retention: null,
  silence: new Date('2026-12-05T00:00:00Z'),
};

test.each<[string, Partial<Ends>, string, string]>([
  ['silence, at the end of a day', {}, 'UTC', '2026-12-04'],
  ['session', { session: new Date('2026-12-01T12:00:00Z') }, 'UTC', '2026-11-30'],
  ['invitation', { invitation: new Date('2026-11-29T00:00:00Z') }, 'UTC', '2026-11-28'],
  ['retention', { retention: new Date('2026-12-02T14:00:00Z') }, 'UTC', '2026-12-01'],
  [
    'the first of all',
    {
      session: new Date('2026-12-03T12:00:00Z'),
      invitation: new Date('2026-12-02T12:00:00Z'),
      retention: new Date('2026-12-04T12:00:00Z'),
    },
    'UTC',
    '2026-12-01',
  ],
  [
    'silence, where the others end later',
    {
      session: new Date('2027-01-01T00:00:00Z'),
      invitation: new Date('2027-01-01T00:00:00Z'),
      retention: new Date('2027-01-01T00:00:00Z'),
    },
    'UTC',
    '2026-12-04',
  ],
  [
    'silence, where the invitation has ended already',
    { invitation: new Date('2026-11-20T00:00:00Z') },
    'UTC',
    '2026-12-04',
  ],
  ['session, today', { session: new Date('2026-11-26T20:00:00Z') }, 'UTC', '2026-11-26'],
  [
    'session, by a clock that is a day ahead',
    { session: new Date('2026-12-01T12:00:00Z') },
    'Pacific/Kiritimati',
    '2026-12-01',
  ],
])('the last day follows from the %s', (_, ends, timeZone, day) => {
  expect(lastDay({ ...ENDS, ...ends }, timeZone, NOW)).toBe(day);
});

test.each([
  // 1 + 2 + 4 days after 14:00 on the 26th, and to the end of that day.
  ["I'll finish tonight, ok?", '2026-12-03', '2026-11-27T00:00:00.000Z', 'tonight'],
  ['Can I finish this later?', '2026-12-03', '2026-11-27T00:00:00.000Z'],
  // The first reminder comes on Monday at 18:00, so the rest is later too.
  ['Let me continue on Monday', '2026-12-06', '2026-11-30T18:00:00.000Z', 'Monday'],
])('a candidate who says %j has until %s, and no reminder before %s', (...row) => {
  const [said, until, remindFrom, when = null] = row;
  const facts = { now: NOW, rules: RULES, session: null, invitation: null, retention: null };

  expect(comingBackOf(facts, said, 'en')).toEqual({ until, remindFrom, when });
});

const rules = fc.record({
  reminders: fc.integer({ min: 0, max: 5 }),
  firstWaitMs: fc.integer({ min: 60_000, max: 4 * DAY_MS }),
  timeZone: fc.constantFrom('UTC', 'Europe/Dublin', 'Asia/Kathmandu', 'America/St_Johns'),
});
const ahead = fc.integer({ min: 0, max: 30 * DAY_MS });

test('no reminder comes before the announced return, and none is lost by it', () => {
  fc.assert(
    fc.property(rules, ahead, (of, aheadMs) => {
      const back = new Date(NOW.getTime() + aheadMs);
      const since = announced(of, NOW, back);
      const step = nextStep(of, { since, sent: 0, lastSentAt: null }, NOW);
      expect(step.kind).toBe(of.reminders === 0 ? 'expire' : 'remind');
      expect(step.at >= back).toBe(true);
      expect(endOfSilence(of, since) >= endOfSilence(of, NOW)).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('an unannounced silence counts from the last words', () => {
  expect(announced(RULES, NOW, null)).toEqual(NOW);
  expect(announced(RULES, NOW, new Date(NOW.getTime() + 3_600_000))).toEqual(NOW);
});

test('a time on the wall is found in any zone, also where clocks change or skip it', () => {
  const zones = ['UTC', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Pacific/Apia', 'Africa/Cairo'];
  const day = fc
    .date({ min: new Date('2011-12-25'), max: new Date('2035-01-01'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      day,
      fc.integer({ min: 0, max: 23 }),
      (zone, on, hour) => {
        const instant = instantOf(zone, { day: on, hour });
        const at = localTime(zone, instant);
        expect(at.day > on || (at.day === on && at.hour >= hour)).toBe(true);
        const before = localTime(zone, new Date(instant.getTime() - 15 * 60_000));
        expect(before.day < on || (before.day === on && before.hour < hour)).toBe(true);
      },
    ),
    { numRuns: 300 },
  );
});

test.each<[Record<string, string>, object]>([
  [{}, { answers: null, media: null }],
  [{ RETENTION_PRESET: 'de-agg' }, { answers: 180, media: 180 }],
  [
    { RETENTION_PRESET: 'de-agg', RETENTION_MEDIA_DAYS: '30' },
    { answers: 180, media: 30 },
  ],
  [
    { RETENTION_TRANSCRIPT_DAYS: '7', RETENTION_MEDIA_DAYS: '30' },
    { answers: 7, media: 7 },
  ],
  [{ RETENTION_MEDIA_DAYS: '30' }, { answers: null, media: 30 }],
])('with %j candidates are told that %j days are kept', (env, kept) => {
  const { retention } = settingsForTests(env);

  expect(keptDaysOf(retentionOf(retention))).toEqual(kept);
});
