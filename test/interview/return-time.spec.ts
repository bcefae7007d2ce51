import { namedTimeOf, returnTimeOf } from '../../src/interview/plan/phrases';

/** Thursday, 26 November 2026, 14:00 by the candidate's clock. */
const NOW = { day: '2026-11-26', hour: 14 };

function backAfter(text: string, now = NOW): string {
  const { day, hour } = returnTimeOf(text, now);
  return `${day} ${String(hour)}`;
}

/** Where nothing that is known was said. */
const TOMORROW = '2026-11-27 0';

test.each([
  ['on Monday', 'в понедельник', '2026-11-30', '2026-11-30'],
  ['on Tuesday', 'во вторник', '2026-12-01', '2026-12-01'],
  ['on Wednesday', 'в среду', '2026-12-02', '2026-12-02'],
  ['on Thursday', 'в четверг', '2026-12-03', '2026-12-03'],
  ['on Friday', 'в пятницу', '2026-11-27', '2026-12-04'],
  ['on Saturday', 'в субботу', '2026-11-28', '2026-12-05'],
  ['on Sunday', 'в воскресенье', '2026-11-29', '2026-12-06'],
])('%s, or %s, is the next such day; of next week it is that one', (en, ru, day, ofNextWeek) => {
  expect([en, ru].map((text) => backAfter(text))).toEqual([`${day} 18`, `${day} 18`]);
  const next = [en.replace('on ', 'next '), ru.replace(/^во? /u, 'в следующую ')];
  expect(next.map((text) => backAfter(text))).toEqual([`${ofNextWeek} 18`, `${ofNextWeek} 18`]);
});

test.each(['до понедельника', 'после вторника', 'до среды', 'до четверга', 'до пятницы'])(
  'a day of the week is known in another case: %s',
  (text) => {
    expect(backAfter(text)).not.toBe(TOMORROW);
  },
);

test.each([
  ['01', 'January', 'января'],
  ['02', 'February', 'февраля'],
  ['03', 'March', 'марта'],
  ['04', 'April', 'апреля'],
  ['05', 'May', 'мая'],
  ['06', 'June', 'июня'],
  ['07', 'July', 'июля'],
  ['08', 'August', 'августа'],
  ['09', 'September', 'сентября'],
  ['10', 'October', 'октября'],
  ['11', 'November', 'ноября'],
  ['12', 'December', 'декабря'],
])('a date of month %s is known: %s, %s', (month, en, ru) => {
  const now = { day: `2026-${month}-02`, hour: 14 };
  const dates = [`9 ${en}`, `9th of ${en}`, `${en} 9`, `${en} the 9th`, `9 ${ru}`, `9-го ${ru}`];
  expect(dates.map((text) => backAfter(text, now))).toEqual(dates.map(() => `2026-${month}-09 18`));
});

test.each([
  ['2026-12-20', 'January 5', '2027-01-05 18'],
  ['2026-12-31', 'on 1st January', '2027-01-01 18'],
  ['2026-11-26', 'on 22nd December', '2026-12-22 18'],
  ['2026-11-26', 'on 23rd December', '2026-12-23 18'],
  ['2026-11-26', 'on 26 December', '2026-12-26 18'],
  // Further than a month, today and what is no date.
  ['2026-11-26', 'on 27 December', '2026-12-26 18'],
  ['2026-11-26', 'on 26 November', TOMORROW],
  ['2026-11-26', 'on 123 December', TOMORROW],
  ['2026-11-26', 'in december', TOMORROW],
])('from %s, %s is back by %s', (day, text, expected) => {
  expect(backAfter(text, { day, hour: 14 })).toBe(expected);
});

test.each([
  [1, ['in a day', 'in one day', 'in 1 day', 'через день', 'через один день', 'after the day']],
  [2, ['in two days', 'in a couple of days', 'через два дня', 'через пару дней']],
  [2, ['через полтора дня']],
  [3, ['in three days', 'in a few days', 'in several days', 'через три дня']],
  [3, ['через несколько дней']],
  [4, ['in four days', 'через четыре дня']],
  [5, ['in five days', 'через пять дней']],
  [6, ['in six days', 'через шесть дней']],
  [7, ['in seven days', 'через семь дней', 'in a week', 'через неделю', 'через одну неделю']],
  [10, ['in ten days', 'через десять дней']],
  [14, ['in two weeks', 'через две недели']],
  [28, ['after 4 weeks', 'через 4 недели']],
  [30, ['in 5 weeks', 'in a month', 'через месяц', 'next month', 'в следующем месяце']],
] as const)('%d days: %j', (days, texts) => {
  const due = new Date(Date.parse(NOW.day) + days * 86_400_000).toISOString().slice(0, 10);
  for (const text of texts) {
    if (text === 'after the day') expect(backAfter(text)).toBe(TOMORROW);
    else expect([text, backAfter(text)]).toEqual([text, `${due} 18`]);
  }
});

test.each([
  ['in an hour', 22, '2026-11-27 0'],
  ['in an hour', 23, '2026-11-27 18'],
  ['in half an hour', 23, '2026-11-27 18'],
  ['in 2 hours', 22, '2026-11-27 18'],
  ['через час', 23, '2026-11-27 18'],
  ['через 9 часов', 14, '2026-11-27 0'],
  ['через 10 часов', 14, '2026-11-27 18'],
  ['in 48 hours', 0, '2026-11-28 18'],
])('%s, said at %d:00, is back by %s', (text, hour, expected) => {
  expect(backAfter(text, { ...NOW, hour })).toBe(expected);
});

test.each([
  ['2026-11-23', '2026-11-28', '2026-11-30'],
  ['2026-11-27', '2026-11-28', '2026-11-30'],
  ['2026-11-28', '2026-11-29', '2026-11-30'],
])('from %s, the weekend is over by %s, and what is after it begins on %s', (day, on, after) => {
  const now = { day, hour: 14 };
  expect(['at the weekend', 'на выходных'].map((text) => backAfter(text, now))).toEqual(
    Array(2).fill(`${on} 18`),
  );
  const later = ['after the weekend', 'after this weekend', 'после выходных', 'next week'];
  expect(later.map((text) => backAfter(text, now))).toEqual(Array(4).fill(`${after} 18`));
});

test('on a Sunday, the weekend is the same day, and next Monday the day after', () => {
  const sunday = { day: '2026-11-29', hour: 14 };
  expect(backAfter('this weekend', sunday)).toBe('2026-11-30 0');
  expect(backAfter('next Monday', sunday)).toBe('2026-11-30 18');
  expect(backAfter('on Sunday', sunday)).toBe('2026-12-06 18');
  expect(backAfter('на следующей неделе', sunday)).toBe('2026-11-30 18');
});

test.each([
  ['at 8', 10],
  ['at 7', 21],
  ['at 1', 15],
  ['at 12', 14],
  ['at 12 pm', 14],
  ['at 11 pm', 24],
  ['at 9 pm', 23],
  ['around 9 p.m.', 23],
  ['by 9 a.m.', 11],
  ['at 7 am', 9],
  ['at 7am', 9],
  ['at 10 30', 12],
  ['at 21', 23],
  ['at 22', 24],
  ['at 24', 24],
  ['at 25', 18],
  ['at 25 or at 10', 12],
  ['at 3 of the clock', 17],
  ['в 7 утра', 9],
  ['в 3 дня', 17],
  ['к 9 вечера', 23],
  ['около 10', 12],
  ['после 10', 12],
  ['after 5 minutes', 18],
  ['в 5 дней', 18],
  ['morning', 12],
  ['утром', 12],
  ['с утра', 12],
  ['evening', 24],
  ['night', 24],
  ['after work', 24],
  ['after dinner', 24],
  ['вечером', 24],
  ['ближе к вечеру', 24],
  ['ночью', 24],
  ['после работы', 24],
  ['после ужина', 24],
  ['afternoon', 18],
  ['mornings', 18],
])('tomorrow, %s: it has passed by %d:00', (text, hour) => {
  const expected = hour < 24 ? `2026-11-27 ${String(hour)}` : '2026-11-28 0';
  expect(backAfter(`tomorrow ${text}`)).toBe(expected);
});

test.each([
  ['завтрашнего', '2026-11-27 18'],
  ['послезавтра', '2026-11-28 18'],
  ['the day after tomorrow', '2026-11-28 18'],
  ['tomorrows', TOMORROW],
  ['x1tomorrow', TOMORROW],
  ['tomorrow, no, in two days', '2026-11-28 18'],
  ['in two days or tomorrow', '2026-11-28 18'],
])('%s is back by %s', (text, expected) => {
  expect(backAfter(text)).toBe(expected);
});

test('of a long answer only the beginning is searched for a time', () => {
  expect(backAfter(`${'x '.repeat(900)}in two days`)).toBe('2026-11-28 18');
  expect(backAfter(`${'x '.repeat(1000)}in two days`)).toBe(TOMORROW);
  expect(namedTimeOf(`${'x '.repeat(900)}tonight`, 'en')).toBe('tonight');
  expect(namedTimeOf(`${'x '.repeat(1000)}tonight`, 'en')).toBeNull();
});

test.each([
  ["I'll finish tonight", 'tonight'],
  ['later today', 'later today'],
  ['Tomorrow!', 'tomorrow'],
  ['tomorrow morning', 'tomorrow morning'],
  ['tomorrow night, if you do not mind', 'tomorrow night'],
  ["tomorrow night, if you don't mind", 'tomorrow night'],
  ["tonight, if you won't mind", 'tonight'],
  ['the day after tomorrow', 'the day after tomorrow'],
  ['day after tomorrow', 'day after tomorrow'],
  ['this afternoon', 'this afternoon'],
  ['this evening', 'this evening'],
  ['on monday', 'Monday'],
  ['On Sunday', 'Sunday'],
  ['next week', 'next week'],
  ['at the weekend', 'the weekend'],
  ['after lunch', 'after lunch'],
  ['after work', 'after work'],
  ['after dinner', 'after dinner'],
  ['not tonight', null],
  ['no time tonight', null],
  ["I can't tonight", null],
  ['I cannot tonight', null],
  ['tonight or tomorrow', null],
  ['someday', null],
  ['вечером', null],
] as const)('the time in %j is said back as %j', (text, named) => {
  expect(namedTimeOf(text, 'en')).toBe(named);
});

test.each([
  ['продолжу вечером', 'вечером'],
  ['завтра', 'завтра'],
  ['завтра утром', 'завтра утром'],
  ['сегодня ночью', 'сегодня ночью'],
  ['послезавтра', 'послезавтра'],
  ['послезавтра вечером', 'послезавтра вечером'],
  ['в понедельник', 'в понедельник'],
  ['во вторник', 'во вторник'],
  ['на следующей неделе', 'на следующей неделе'],
  ['на выходных', 'на выходных'],
  ['после работы', 'после работы'],
  ['после обеда', 'после обеда'],
  ['после ужина', 'после ужина'],
  ['завтра, если вы не против', 'завтра'],
  ['не завтра', null],
  ['нет, завтра', null],
  ['завтра некогда', null],
  ['завтра или послезавтра', null],
  ['tonight', null],
] as const)('the time in %j is said back in Russian as %j', (text, named) => {
  expect(namedTimeOf(text, 'ru')).toBe(named);
});
