import { daysAfter, type LocalTime } from '../../common/time-zone';
import type { Language } from '../../vacancies';

/**
 * When a candidate who goes on another time will be back, by their words: "tonight", "in two days",
 * «в понедельник после обеда». No reminder is sent before that, so a time is read as its end: "tomorrow" as
 * tomorrow at 18:00, "tomorrow morning" as noon, "tomorrow evening" as the end of that day. Whoever says
 * nothing that is known here, or speaks of today, is not reminded on the same day. Of several times the last
 * counts, and more than MOST_DAYS are that many.
 * `plain`: as `normalised` in phrases.ts makes it; `now` and the result: by the candidate's clock.
 */
export function returnTimeIn(plain: string, now: LocalTime): LocalTime {
  const text = plain.slice(0, MOST_READ);
  const found = TIMES.flatMap(([form, daysOf]) =>
    [...text.matchAll(form)].map(({ groups = {} }) => daysOf(groups, now)),
  );
  const days = Math.min(Math.max(0, ...found), MOST_DAYS);
  if (days === 0) return { day: daysAfter(now.day, 1), hour: 0 };
  const hour = hourIn(text);
  return hour < 24
    ? { day: daysAfter(now.day, days), hour }
    : { day: daysAfter(now.day, days + 1), hour: 0 };
}

/** Longer words are an answer with such a wish somewhere in it. */
const MOST_READ = 2000;
/** A later return is a promise that no hiring waits for. */
const MOST_DAYS = 30;

/** How the names of each begin, in both languages. */
const WEEKDAYS = 'mon понед,tue втор,wed сред,thu четв,fri пятн,sat субб,sun воск'.split(',');
const MONTHS =
  'jan янв,feb фев,mar мар,apr апр,may мая,jun июн,jul июл,aug авг,sep сен,oct окт,nov ноя,dec дек'.split(
    ',',
  );

/** From 0. */
function placeOf(name: string, all: readonly string[]): number {
  return all.findIndex((beginnings) =>
    beginnings.split(' ').some((beginning) => name.startsWith(beginning)),
  );
}

const MONTH =
  '(?<month>january|february|march|april|may|june|july|august|september|october|november|december|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря)';
const NUMBERS: Readonly<Record<string, number>> = {
  ...{ one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, ten: 10 },
  ...{ 'a couple of': 2, 'a few': 3, several: 3, a: 1, an: 1, 'half an': 1 },
  ...{ один: 1, одну: 1, два: 2, две: 2, три: 3, четыре: 4, пять: 5, шесть: 6, семь: 7 },
  ...{ десять: 10, пару: 2, полтора: 2, несколько: 3 },
};
const NUMBER = `(?<n>\\d{1,2}|${Object.keys(NUMBERS)
  .toSorted((a, b) => b.length - a.length)
  .join('|')})`;

type Groups = Readonly<Record<string, string | undefined>>;
type DaysOf = (found: Groups, now: LocalTime) => number;

/** Each form and how many days ahead it is. */
const TIMES: readonly (readonly [RegExp, DaysOf])[] = [
  [words('tomorrow|завтра(?:шнего)?'), () => 1],
  [words('day after tomorrow|послезавтра'), () => 2],
  [
    words(
      '(?<next>next |следующ\\p{L}+ )?(?<weekday>(?:mon|tues|wednes|thurs|fri|satur|sun)day|понедельника?|вторника?|сред[уы]|четверга?|пятниц[уы]|суббот[уы]|воскресенье|воскресенья)',
    ),
    ({ next, weekday = '' }, { day }) => {
      const target = 1 + placeOf(weekday, WEEKDAYS);
      if (next !== undefined) return daysToMonday(day) + target - 1;
      return (target - weekdayOf(day) + 7) % 7 || 7;
    },
  ],
  [words('next week|следующей неделе'), (_, { day }) => daysToMonday(day)],
  [
    words('(?<after>after |после )?(?:(?:the|this|следующих|этих) )?(?:weekend|выходных|выходные)'),
    ({ after }, { day }) => {
      const weekday = weekdayOf(day);
      if (after !== undefined) return daysToMonday(day);
      return weekday < 6 ? 6 - weekday : 7 - weekday;
    },
  ],
  [
    words(
      `(?:in|after|через)(?: ${NUMBER})? (?<unit>hour|day|week|month|час|день|дн|недел|месяц)\\p{L}*`,
    ),
    inUnits,
  ],
  [words('next month|следующем месяце'), () => MOST_DAYS],
  [words(`(?<date>\\d{1,2})(?:st|nd|rd|th| го)?(?: of)? ${MONTH}`), daysToDate],
  [words(`${MONTH}(?: the)? (?<date>\\d{1,2})(?:st|nd|rd|th)?`), daysToDate],
];

/** `\b` knows no Cyrillic letters. */
function words(forms: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\d])(?:${forms})(?![\\p{L}\\d])`, 'gu');
}

function inUnits({ n, unit = '' }: Groups, { hour }: LocalTime): number {
  const count = n === undefined ? 1 : (NUMBERS[n] ?? Number(n));
  if (/^hour|^час/u.test(unit)) return Math.floor((hour + count) / 24);
  if (/^week|^недел/u.test(unit)) return count * 7;
  return /^month|^месяц/u.test(unit) ? MOST_DAYS : count;
}

/** The next such date; 0: it is no date, or today. */
function daysToDate({ date, month = '' }: Groups, { day }: LocalTime): number {
  const index = placeOf(month, MONTHS);
  const today = Date.parse(day);
  const year = Number(day.slice(0, 4));
  const next = [year, year + 1]
    .map((one) => Date.UTC(one, index, Number(date)))
    .find((instant) => instant >= today);
  return next === undefined ? 0 : Math.round((next - today) / DAY_MS);
}

const DAY_MS = 86_400_000;

/** 1: Monday. */
function weekdayOf(day: string): number {
  return new Date(`${day}T00:00:00Z`).getUTCDay() || 7;
}

function daysToMonday(day: string): number {
  return 8 - weekdayOf(day);
}

/** How long after the time that was said it counts as passed. */
const LATE_HOURS = 2;
/** "At 6" is rarely the morning. */
const FIRST_MORNING_HOUR = 8;
const CLOCK = words(
  `(?:at|around|by|в|к|около|после) (?<hour>\\d{1,2})(?: \\d\\d)?(?: ?(?<half>[ap]) ?m| (?<part>утра|дня|вечера))?(?! ?(?:го )?(?:${MONTH}|days?|weeks?|hours?|minutes?|дней|дня|недел))`,
);
const PARTS: readonly (readonly [RegExp, number])[] = [
  [
    words('evening|night|вечером|вечера|вечеру|ночью|after (?:work|dinner)|после (?:работы|ужина)'),
    24,
  ],
  [words('morning|утром|утра'), 12],
];
/** The end of a day on which people write. */
const EVENING = 18;

/** The hour after which that time has passed; 24 and more: the day is over. */
function hourIn(text: string): number {
  for (const { groups = {} } of text.matchAll(CLOCK)) {
    const hour = Number(groups['hour']);
    if (hour > 24) continue;
    const isMorning = groups['half'] === 'a' || groups['part'] === 'утра';
    const isLater = groups['half'] === 'p' || groups['part'] !== undefined;
    const isAfternoon = !isMorning && hour < 12 && (isLater || hour < FIRST_MORNING_HOUR);
    return hour + (isAfternoon ? 12 : 0) + LATE_HOURS;
  }
  // Not `test`: these forms keep a position.
  return PARTS.find(([form]) => text.search(form) >= 0)?.[1] ?? EVENING;
}

/** Times that are said back as they were said. */
const NAMED: Readonly<Record<Language, RegExp>> = {
  en: words(
    'tonight|later today|(?:the )?day after tomorrow|tomorrow(?: (?:morning|afternoon|evening|night))?|this (?:afternoon|evening)|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next week|the weekend|after (?:work|lunch|dinner)',
  ),
  ru: words(
    '(?:(?:сегодня|завтра|послезавтра) )?(?:вечером|утром|ночью)|завтра|послезавтра|во? (?:понедельник|вторник|среду|четверг|пятницу|субботу|воскресенье)|на (?:следующей неделе|выходных)|после (?:работы|обеда|ужина)',
  ),
};
/** "Not tonight" names a time that does not suit, "if you don't mind" does not. */
const REFUSES = words("not|no|\\p{L}+n't|cannot|не|нет|некогда");
const POLITE = words("(?:don't|not|won't|не) (?:mind|против)");

/** The one time that the candidate names in this language; null: none of these, or it does not suit them. */
export function namedTimeIn(plain: string, language: Language): string | null {
  const text = plain.slice(0, MOST_READ).replace(POLITE, '');
  const [named, ...others] = text.match(NAMED[language]) ?? [];
  if (named === undefined || others.length > 0 || text.search(REFUSES) >= 0) return null;
  return /^[a-z]+day$/u.test(named) ? named.charAt(0).toUpperCase() + named.slice(1) : named;
}
