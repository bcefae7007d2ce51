#!/bin/sh
# date-holidays: a Clean Monday on a Tuesday, and other days that the calendar itself contradicts.
#
# Version:  date-holidays 3.37.0 (Node 20.20).
# Guess:    a movable day off is where its name says; a `public` holiday is a day off for those who work; the
#           days that a law moves from a weekend by a fixed rule are known.
# Seen:     1. Cyprus: the public holiday "Clean Monday" is a Tuesday every year, and the real Monday is an
#              observance called "Ash Sunday". Greece has the right day, under that name of a Sunday.
#           2. Montenegro: the day off called "Easter Sunday" is a Monday.
#           3. Cyprus: Whit Monday, a day off, is missing.
#           4. China: Children's Day is public; only children have the day off.
#           5. Kazakhstan: Nauryz, 21 to 23 March, begins on a Saturday in 2026, so 24 and 25 March are free;
#              only the 24th is known. Russia: of the days moved for 2026, 9 January and 31 December are missing.
# Output:   1. Cyprus: Ash Sunday (observance) on a Monday, 4 of 4 years; Clean Monday (public) on a Tuesday,
#              4 of 4 years
#              Greece: Ash Sunday (public) on a Monday, 4 of 4 years
#           2. Montenegro: Easter Sunday (public) on a Monday, 4 of 4 years
#           3. Cyprus: 2026-02-23 nothing, 2026-02-24 Clean Monday, 2026-06-01 nothing
#           4. China: 2026-06-01 Children's Day
#           5. Kazakhstan: 2026-03-24 Nauryz (substitute day), 2026-03-25 nothing
#              Russia: 2026-01-08 New Year Holiday, 2026-01-09 nothing, 2026-12-31 nothing
# Sources:  1, 3: Clean (Green) Monday is 48 days before the Orthodox Easter (12 April 2026), Whit Monday 50 days
#           after it. 4: Regulation on Holidays, State Council Order 795 of 10 Nov 2024. 5: Law of Kazakhstan on
#           Holidays, Article 5; Government of Russia, Resolution 1466 of 24 Sep 2025.
# So:       compare the days of a country with its official calendar before anything is promised by them.
#
# Installs into a temporary folder. Exits with 1 when the behaviour has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --ignore-scripts --no-audit --no-fund --silent date-holidays@3.37.0
cat >look.cjs <<'END'
const Holidays = require('date-holidays');

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const dayOf = (date) => DAYS[new Date(`${date}T00:00Z`).getUTCDay()];
const inYear = (country, year) => new Holidays(country).getHolidays(year, 'en').map(({ date, name, type }) => ({ date: date.slice(0, 10), name, type }));

/** Days of 2025 to 2028 whose name ends in another day of the week than their date. */
function contradictions(country) {
  const seen = new Map();
  for (const { date, name, type } of [2025, 2026, 2027, 2028].flatMap((year) => inYear(country, year))) {
    const named = / (\w+day)$/.exec(name)?.[1];
    if (!DAYS.includes(named) || named === dayOf(date)) continue;
    const key = `${name} (${type}) on a ${dayOf(date)}`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
  return [...seen].map(([key, times]) => `${key}, ${times} of 4 years`);
}
/** What is public in `country` on each date. */
function publicOn(country, dates) {
  const all = inYear(country, 2026);
  return dates.map((date) => `${date} ${all.find((one) => one.type === 'public' && one.date === date)?.name ?? 'nothing'}`).join(', ');
}

const lines = [
  `1. Cyprus: ${contradictions('CY').join('; ')}`,
  `   Greece: ${contradictions('GR').join('; ')}`,
  `2. Montenegro: ${contradictions('ME').join('; ')}`,
  `3. Cyprus: ${publicOn('CY', ['2026-02-23', '2026-02-24', '2026-06-01'])}`,
  `4. China: ${publicOn('CN', ['2026-06-01'])}`,
  `5. Kazakhstan: ${publicOn('KZ', ['2026-03-24', '2026-03-25'])}`,
  `   Russia: ${publicOn('RU', ['2026-01-08', '2026-01-09', '2026-12-31'])}`,
];
const expected = [
  '1. Cyprus: Ash Sunday (observance) on a Monday, 4 of 4 years; Clean Monday (public) on a Tuesday, 4 of 4 years',
  '   Greece: Ash Sunday (public) on a Monday, 4 of 4 years',
  '2. Montenegro: Easter Sunday (public) on a Monday, 4 of 4 years',
  '3. Cyprus: 2026-02-23 nothing, 2026-02-24 Clean Monday, 2026-06-01 nothing',
  "4. China: 2026-06-01 Children's Day",
  '5. Kazakhstan: 2026-03-24 Nauryz (substitute day), 2026-03-25 nothing',
  '   Russia: 2026-01-08 New Year Holiday, 2026-01-09 nothing, 2026-12-31 nothing',
];
for (const line of lines) console.log(line);
if (lines.join('\n') !== expected.join('\n')) {
  console.error('the behaviour has changed');
  process.exitCode = 1;
}
END
node look.cjs
