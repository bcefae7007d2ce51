import type { Settings } from '../../common/config';
import { isTimeZone, type LocalTime, localTime } from '../../common/time-zone';
import type { InterviewPlan } from '../../vacancies';

/**
 * When a silent candidate is reminded, and when their interview expires. Pure. A silence begins with the
 * last words of either side; every message of the candidate begins a new one.
 *
 *   silence ──first wait──> reminder 1 ──twice as long──> … ──> last reminder ──twice as long──> expired
 *
 * A candidate who has said when they go on ("tonight", "in two days") is not reminded before: their silence
 * counts from so late that its first reminder is due then.
 *
 * A reminder that would be due at night waits for the morning. An interview expires at the end of a day,
 * because the last reminder names that day. Without reminders it expires as late as with two.
 */
export interface ReminderRules {
  /** How many reminders one silence gets. */
  readonly reminders: number;
  readonly firstWaitMs: number;
  /** Of the candidate (IANA). */
  readonly timeZone: string;
}

export interface Silence {
  /** The last words of either side. */
  readonly since: Date;
  /** Reminders that were sent since. */
  readonly sent: number;
  readonly lastSentAt: Date | null;
}

export type NextStep =
  | { readonly kind: 'remind'; readonly at: Date; readonly isLast: boolean }
  | { readonly kind: 'expire'; readonly at: Date };

/** How many reminders a silence gets where the vacancy does not say it. */
const DEFAULT_REMINDERS = 2;

/** `timeZone`: the candidate's, where it is known; `isQuiet`: they get no reminders. */
export function rulesOf(
  {
    reminders = DEFAULT_REMINDERS,
    timeZone: ofVacancy,
  }: Pick<InterviewPlan, 'reminders' | 'timeZone'>,
  { timeZone, isQuiet }: { readonly timeZone: string | null; readonly isQuiet: boolean },
  settings: Pick<Settings['interview'], 'reminderAfterMs' | 'timeZone'>,
): ReminderRules {
  return {
    reminders: isQuiet ? 0 : reminders,
    firstWaitMs: settings.reminderAfterMs,
    timeZone: zoneOf([timeZone, ofVacancy], settings.timeZone),
  };
}

/** From when a silence counts whose candidate has said when they go on; null: they have not. */
export function announced(
  { firstWaitMs }: ReminderRules,
  since: Date,
  remindFrom: Date | null,
): Date {
  return remindFrom === null ? since : later(since, plus(remindFrom, -firstWaitMs));
}

/** When an interview expires if nobody writes again and each reminder is sent in time. */
export function endOfSilence(rules: ReminderRules, since: Date): Date {
  let silence: Silence = { since, sent: 0, lastSentAt: null };
  for (;;) {
    const step = nextStep(rules, silence, silence.lastSentAt ?? since);
    if (step.kind === 'expire') return step.at;
    silence = { since, sent: silence.sent + 1, lastSentAt: step.at };
  }
}

/** The first quarter of an hour in which a clock there shows this time or a later one. */
export function instantOf(timeZone: string, { day, hour }: LocalTime): Date {
  const guess = new Date(Date.parse(day) + hour * HOUR_MS);
  const shown = localTime(timeZone, guess);
  const aheadMs = Date.parse(shown.day) + shown.hour * HOUR_MS - guess.getTime();
  // The clock may be a part of an hour further ahead, and may change in between.
  const from = plus(guess, -aheadMs - 2 * HOUR_MS);
  return first(from, (instant) => {
    const at = localTime(timeZone, instant);
    return at.day > day || (at.day === day && at.hour >= hour);
  });
}

const HOUR_MS = 3_600_000;

/** Hours of the day in which a reminder is sent: from the first to before the second. */
const MORNING = 9;
const EVENING = 21;
/** All time zones in use are a multiple of this away from UTC. */
export const STEP_MS = 15 * 60_000;

/** The next step and its time. A step whose time has passed is due now; a reminder waits for daytime. */
export function nextStep(rules: ReminderRules, silence: Silence, now: Date): NextStep {
  const { reminders, timeZone } = rules;
  if (silence.sent >= reminders) return { kind: 'expire', at: expiryOf(rules, silence) };
  const waited = plus(lastStep(silence), waitMs(rules, silence.sent));
  const at = first(later(waited, now), (instant) => isDaytime(timeZone, instant));
  return { kind: 'remind', at, isLast: silence.sent + 1 === reminders };
}

/** The last day, `YYYY-MM-DD`, on which the interview is open when the last reminder of the silence is sent now. */
export function openUntil(rules: ReminderRules, silence: Silence, now: Date): string {
  const after = { ...silence, sent: silence.sent + 1, lastSentAt: now };
  return localTime(rules.timeZone, plus(expiryOf(rules, after), -1)).day;
}

/** The beginning of the day after the last one on which the interview is open. */
function expiryOf(rules: ReminderRules, silence: Silence): Date {
  const { reminders, firstWaitMs, timeZone } = rules;
  const waited =
    reminders === 0 || silence.lastSentAt === null
      ? plus(silence.since, firstWaitMs * (2 ** (DEFAULT_REMINDERS + 1) - 1))
      : plus(lastStep(silence), waitMs(rules, reminders));
  const { day } = localTime(timeZone, waited);
  return first(waited, (instant) => localTime(timeZone, instant).day > day);
}

/** From when the next step waits. A person may have reminded a candidate before their silence counts. */
function lastStep({ since, lastSentAt }: Silence): Date {
  return lastSentAt === null ? since : later(since, lastSentAt);
}

function isDaytime(timeZone: string, instant: Date): boolean {
  return isDayHour(localTime(timeZone, instant).hour);
}

/** Whether a reminder may be sent in this hour of the day; null: it is not known, and so no objection. */
export function isDayHour(hour: number | null): boolean {
  return hour === null || (hour >= MORNING && hour < EVENING);
}

/** How long it is until the daytime by Node's rules; 0: it is day. */
export function dayWaitMs(timeZone: string, now: Date): number {
  return first(now, (instant) => isDaytime(timeZone, instant)).getTime() - now.getTime();
}

/** The first zone that Node knows: a browser with newer data may have named one that is unknown here. */
export function zoneOf(zones: readonly (string | null | undefined)[], byDefault: string): string {
  return zones.find((zone) => zone != null && isTimeZone(zone)) ?? byDefault;
}

/** The wait after `sent` reminders. */
function waitMs({ firstWaitMs }: ReminderRules, sent: number): number {
  return firstWaitMs * 2 ** sent;
}

/**
 * The first such instant from `from` on, looked for in quarters of an hour: simpler than arithmetic with
 * changes of the clock, and at most a day and a half of steps.
 */
function first(from: Date, isWanted: (instant: Date) => boolean): Date {
  let instant = from;
  while (!isWanted(instant)) {
    instant = new Date((Math.floor(instant.getTime() / STEP_MS) + 1) * STEP_MS);
  }
  return instant;
}

function plus(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms);
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}
