import fc from 'fast-check';
import { isLater, isSkipping, plainWishOf, returnTimeOf } from '../../src/interview/plan/phrases';

test.each([
  "I'll finish tonight, ok?",
  'let me continue after lunch',
  'можно продолжу завтра?',
  'Can I finish this later?',
  'Could we continue tomorrow?',
  "I'll come back later",
  'I will get back to you on Monday',
  "Let's continue on Monday",
  'can we pause?',
  "Let's take a break",
  'I need a break',
  'pause',
  "I have to go, I'll continue tomorrow",
  'I have to run to a meeting, back in an hour',
  "Sorry, I have to leave now. I'll finish it in the evening.",
  'Is it ok if I continue tomorrow morning?',
  'mind if I finish this tonight?',
  "I'd like to continue in two days",
  "I'll answer the rest tomorrow",
  "Tomorrow I'll continue",
  'Could I come back to this on Friday?',
  "I'm busy right now, I'll get back to this after work",
  "I don't have time now",
  "Let's stop here for today",
  "Let's pause until Monday",
  'Talk to you tomorrow',
  "I'll be back in an hour",
  "I'll continue when I get home",
  "I'll finish at 6 pm",
  'Continue later please',
  'Давайте продолжим завтра',
  'продолжу вечером',
  'Я закончу вечером, ок?',
  'Можно я закончу завтра?',
  'Можно завтра продолжу',
  'Давайте сделаем паузу',
  'Мне пора, продолжу завтра',
  'Мне надо идти, вернусь вечером',
  'Сейчас не могу, отвечу позже',
  'отвечу завтра',
  'Можно отвечу завтра?',
  'Вернусь через два дня',
  'Продолжим в понедельник',
  'Давайте в другой раз',
  'давайте потом',
  'Можно потом?',
  'Допишу после обеда',
  'Извините, сейчас занят, напишу позже',
  'На сегодня всё, продолжим завтра',
  'до завтра',
  'Хочу продолжить через пару дней',
  'Можно сделать перерыв?',
  'Завтра допишу, хорошо?',
  'Продолжу 5 декабря',
  'Можно закончить на выходных?',
  'Я бы хотел продолжить позже',
  'Хотела бы продолжить завтра утром',
  'Давайте прервёмся до завтра',
  'Продолжу, когда буду дома',
  'Ничего, если я продолжу вечером?',
  'Можно ли продолжить завтра?',
  'Сейчас за рулём, отвечу через час',
  'Can we do this later?',
  'Can we do this tomorrow?',
  'Can I do the rest later?',
  "I'll do it later",
  "Let's do this another time",
  'I gotta go, will finish later',
  'will continue tomorrow',
  "I'm going to bed, let's continue tomorrow",
  'Going to lunch, will be back in an hour',
  'May I have a break?',
  'Could I get a break?',
  "I'll resume this evening",
  'Доброй ночи, продолжу утром',
  'Мне нужно отойти, вернусь через час',
  'Нужно отойти',
  'Я отойду, вернусь через час',
  'Вечером продолжим?',
  'Я продолжу позже, хорошо?',
  'Давайте позже',
  'Давайте вечером продолжим',
  'Могу я закончить это вечером?',
  'Можно прерваться?',
  'Можно продолжить в другой день?',
  'Давайте отложим до понедельника',
  'Я устал, продолжу завтра',
  "I'm tired, can we continue tomorrow?",
  "I'll finish the rest of the interview tomorrow evening",
])('hears that %j goes on another time', (text) => {
  expect([plainWishOf(text), isLater(text), isSkipping(text)]).toEqual(['later', true, false]);
});

/** Answers, among them such as name a time: only whole wishes count. */
test.each([
  'tomorrow',
  'Tomorrow.',
  'On Monday',
  'I can start tomorrow',
  'I can start on Monday',
  "I'll be able to start in two weeks",
  'I finish on Friday',
  'I finish work at 6 pm',
  'later',
  'not now',
  'We decided to continue later',
  'We stopped the migration and continued the next day',
  'I stopped the release and came back to it later',
  'завтра',
  'можно завтра',
  'Могу начать завтра',
  'В понедельник',
  'Через две недели',
  'Мы решили продолжить позже',
  'Мы продолжили на следующий день',
  'Я закончил университет',
  'Позже мы вернулись к этому',
  "I'd pause the rollout",
  'I would pause the rollout and tell the team',
  'Stop',
  'stop the interview',
  'Break things fast',
  'I take a break every hour',
  "Let's continue",
  'I would finish the task tonight and test it tomorrow',
  'Отвечаю на вопрос',
  "I'll finish on Friday",
  'закончу в понедельник',
  'Нет времени на тесты',
  'skip this',
  'I work from home in the evening',
  'In the evening',
  'By 6 pm',
  'Через час',
  'I leave at 6',
])('does not take %j for a wish to go on another time', (text) => {
  expect([plainWishOf(text) === 'later', isLater(text)]).toEqual([false, false]);
});

test.each([
  ['later', true],
  ['Later, please', true],
  ['No, later', true],
  ['tomorrow', true],
  ['maybe in an hour', true],
  ['not now', true],
  ['Позже', true],
  ['«позже»', true],
  ['Нет, позже', true],
  ['Завтра вечером', true],
  ['не сейчас', true],
  ['yes', false],
  ['no', false],
  ['да', false],
  ['нет', false],
  ['I bake bread', false],
])('%j alone is one only after "do you want to stop?"', (text, isOne) => {
  expect([isLater(text), isLater(text, true)]).toEqual([false, isOne]);
});

test.each([
  "I'm back",
  "Hi, I'm back!",
  "let's continue",
  'We can continue now',
  "I'm ready to go on",
  'Я вернулась',
  'Давайте продолжим',
  'Здравствуйте, продолжим?',
  'готов продолжить',
])('whoever says %j hears the question again', (text) => {
  expect(plainWishOf(text)).toBe('repeat');
});

test('words of such wishes in any order are read without trying their parts again', () => {
  const word = fc.constantFrom(
    ...["i'll", 'finish', 'it', 'later', 'tonight', 'pause', 'ok', 'tomorrow', 'on', 'monday'],
    ...['можно', 'я', 'продолжу', 'завтра', 'утром', 'лучше', 'давайте', 'пауза', 'в', 'час'],
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 40 }), (words) => {
      const text = words.join(' ').slice(0, 160);
      expect(isLater(text) && !isLater(text, true)).toBe(false);
      expect(isLater(`${text} zebra`, true)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

/** Thursday, 26 November 2026, 14:00 by the candidate's clock. */
const NOW = { day: '2026-11-26', hour: 14 };

test.each([
  // Of today, and unknown words: not on the same day.
  ["I'll finish tonight, ok?", '2026-11-27', 0],
  ['продолжу вечером', '2026-11-27', 0],
  ['after lunch', '2026-11-27', 0],
  ['in an hour', '2026-11-27', 0],
  ['через час', '2026-11-27', 0],
  ['после завтрака', '2026-11-27', 0],
  ['when the kids are asleep', '2026-11-27', 0],
  ['26 ноября', '2026-11-27', 0],
  // Of a later day: when it is nearly over, or the part of it that was said.
  ['можно продолжу завтра?', '2026-11-27', 18],
  ['tomorrow morning', '2026-11-27', 12],
  ['завтра утром', '2026-11-27', 12],
  ['tomorrow evening', '2026-11-28', 0],
  ['завтра после работы', '2026-11-28', 0],
  ['tomorrow at 10', '2026-11-27', 12],
  ['tomorrow at 6 p.m.', '2026-11-27', 20],
  ['tomorrow at 6', '2026-11-27', 20],
  ['завтра в 7 вечера', '2026-11-27', 21],
  ['tomorrow at 23:00', '2026-11-28', 0],
  ['in 12 hours', '2026-11-27', 18],
  ['not tonight, tomorrow', '2026-11-27', 18],
  ['the day after tomorrow', '2026-11-28', 18],
  ['послезавтра', '2026-11-28', 18],
  ['in two days', '2026-11-28', 18],
  ['after 2 days', '2026-11-28', 18],
  ['через пару дней', '2026-11-28', 18],
  ['in a few days', '2026-11-29', 18],
  ['в пятницу в 18:30', '2026-11-27', 20],
  ['on the weekend', '2026-11-28', 18],
  ['на выходных', '2026-11-28', 18],
  ['on Monday', '2026-11-30', 18],
  ['next Monday', '2026-11-30', 18],
  ['после выходных', '2026-11-30', 18],
  ['next week', '2026-11-30', 18],
  ['до среды', '2026-12-02', 18],
  ['on Thursday', '2026-12-03', 18],
  ['в следующий четверг', '2026-12-03', 18],
  ['in a week', '2026-12-03', 18],
  ['через неделю', '2026-12-03', 18],
  ['on 3 December', '2026-12-03', 18],
  ['December 3rd', '2026-12-03', 18],
  ['3-го декабря', '2026-12-03', 18],
  ['in two weeks', '2026-12-10', 18],
  // No hiring waits longer.
  ['in 2 months', '2026-12-26', 18],
  ['25 ноября', '2026-12-26', 18],
  ['in 99 weeks', '2026-12-26', 18],
])('a candidate who says %j is back by %s, %d:00', (text, day, hour) => {
  expect(returnTimeOf(text, NOW)).toEqual({ day, hour });
});

test('a return is never on the same day, and never more than a month ahead', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.integer({ min: 0, max: 23 }), (text, hour) => {
      const back = returnTimeOf(text, { ...NOW, hour });
      expect(back.day > NOW.day && back.day <= '2026-12-27').toBe(true);
      expect(back.hour).toBeGreaterThanOrEqual(0);
      expect(back.hour).toBeLessThan(24);
    }),
  );
});
