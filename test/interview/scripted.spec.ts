import { decide } from '../../src/interview/plan/decide';
import { isForAdjustment } from '../../src/interview/plan/hardship';
import { beginsAsLate, lateWordsOf } from '../../src/interview/plan/late-words';
import { isThin, plainWishOf } from '../../src/interview/plan/phrases';
import { initialState } from '../../src/interview/plan/state';
import { ScriptedInterviewer, type TurnContext } from '../../src/interview/plan/verdicts';
import { textsOf } from '../../src/interview/texts/texts';
import type { InterviewPlan, Language } from '../../src/vacancies';

/** What candidates write who get no model: what is heard, and at least ten ordinary answers for each that are not. */

const RUSSIAN = { ru: 'Каким проектом вы гордитесь?' };
const PLAN: InterviewPlan = {
  greeting: 'Hello.',
  closing: 'Goodbye.',
  questions: [
    {
      id: 'project',
      text: 'Which project are you proud of?',
      translations: RUSSIAN,
      kind: 'open',
      mustAsk: true,
      rubric: 'Names own decisions.',
      followUp: 'Please take one project: what was your part in it?',
    },
    {
      id: 'conflict',
      text: 'Tell me about a time you disagreed with a teammate.',
      translations: { ru: 'Расскажите, когда вы не согласились с коллегой.' },
      kind: 'open',
      mustAsk: true,
      rubric: 'Is fair to both sides.',
    },
    { id: 'shifts', text: 'Can you work shifts?', kind: 'knockout', mustAsk: true, rubric: 'Yes.' },
  ],
};
const START = initialState(PLAN);
const CONTEXT: TurnContext = {
  language: 'en',
  status: 'active',
  isConsented: true,
  isAddendum: false,
  ordinal: 0,
};
/** One question is through, and then two. */
const SECOND = decide(PLAN, START, 'answered', CONTEXT).state;
const LAST = decide(PLAN, SECOND, 'answered', CONTEXT).state;
const PLACE = { question: 1, of: 3, minutes: 5 };

function reply(said: string, state = START, language: Language = 'en') {
  const known = { readers: 'Ada reads it.', place: PLACE };
  return new ScriptedInterviewer().reply(
    { ...CONTEXT, language },
    { plan: PLAN, state },
    said,
    known,
  );
}

test.each([
  'Shut up, idiot',
  'I said shut up, idiot',
  'You are a stupid machine',
  'Stupid bot!',
  'Are you stupid?',
  'Fuck off',
  "You're an idiot",
  'Тупая железка',
  'Заткнись, идиот',
  'Говорю же, заткнись',
  'Ты тупой бот',
  'Иди к чёрту',
  'Сам дурак',
  'Отвали',
])('hears that %j is an insult', (text) => {
  expect(plainWishOf(text)).toBe('abuse');
  expect(reply(text).verdict).toBe('abusive');
});

test.each([
  'Shut up and ship was our motto',
  'My boss called me an idiot, and I left',
  'Idiot-proof deployments',
  'I built a robot that sorts mail',
  'The stupid thing was that we had no tests',
  'A stupid bug in the billing machine',
  'You are the first one to ask',
  'You know the machine, it was a lathe',
  'Stupidly, I deployed on Friday',
  'I told them to get lost, politely',
  'Программа тренировок для дома',
  'Тупая ошибка в расчётах, моя',
  'Идиот',
  'Идиота Достоевского ставили в театре',
  'Глупая машина состояний, я её переписала',
  'Бот для поддержки, делала одна',
  'Машина для сортировки писем',
  'Заказчик сказал мне: заткнись',
  'Вы правы, было непросто',
])('does not take %j for an insult', (text) => {
  expect(plainWishOf(text)).not.toBe('abuse');
});

test.each([
  'Look at this weather today',
  'It rains and rains here',
  "It's raining again",
  'What a game that was yesterday',
  'Did you see the game last night?',
  'Oh, such lovely weather!',
  'Вот это погода сегодня',
  'Дождь идёт и идёт',
  'Вот это матч был вчера',
  'Вы смотрели матч вчера?',
  'Погода сегодня ужасная',
])('hears that %j is off topic', (text) => {
  expect(plainWishOf(text)).toBe('offTopic');
  expect(reply(text).verdict).toBe('off_topic');
});

test.each([
  'A weather service for farmers',
  'The game of chess that I programmed',
  'What a mess that was, we had no tests',
  'Look at this repository, it is mine',
  'Match three game, on Android',
  'The heat pump project',
  'Storm, a queue system',
  'It works',
  'It snowballed, and I stepped in',
  'I watch the logs every morning',
  'Погодный сервис для фермеров',
  'Игра для детей, делала с подругой',
  'Матч данных из двух систем',
  'Холодный запуск функции',
  'Какая-то система расчёта дождя',
  'Ветер и солнце: станции',
  'Гол как сокол был проект',
  'Видели бы вы этот код',
  'Идёт проект',
])('does not take %j for talk of the weather', (text) => {
  expect(plainWishOf(text)).not.toBe('offTopic');
});

test.each([
  ['I forgot to mention: I also led the rollout.', 'addition'],
  ['Oh, and I forgot to say that it was in 2019', 'addition'],
  ['To add to my previous answer: it took a year.', 'addition'],
  ['One more thing about my first answer: it took a year.', 'addition'],
  ['P.S. It took a year.', 'addition'],
  ['Забыла сказать, что миграция прошла без простоя.', 'addition'],
  ['Хочу дополнить прошлый ответ: это был год.', 'addition'],
  ['Добавлю к первому ответу: это был год.', 'addition'],
  ['Correction: it took two years.', 'correction'],
  ['Sorry, a small correction: it took two years.', 'correction'],
  ['I misspoke, it took two years', 'correction'],
  ['Let me correct myself: two years.', 'correction'],
  ['Поправка: это заняло два года.', 'correction'],
  ['Поправлюсь: это заняло два года.', 'correction'],
  ['Извините, оговорилась, два года', 'correction'],
])('%j begins as: %s', (text, verdict) => {
  expect(beginsAsLate(text)).toBe(verdict);
  expect(lateWordsOf(text, PLAN, LAST)).toEqual({ verdict });
  expect(reply(text, LAST).verdict).toBe(verdict);
});

test.each([
  ['About the project: the customers liked it, too.', 'addition', 'project'],
  ['And about the project, the customers liked it.', 'addition', 'project'],
  ['Back to question 2: in the end we kept the tests.', 'addition', 'conflict'],
  ['I would like to go back to question 1: it took a year.', 'addition', 'project'],
  ['On the 2nd question: we kept the tests.', 'addition', 'conflict'],
  ['About question 2 I have to say more', 'addition', 'conflict'],
  ['Regarding my teammate: we are friends now.', 'addition', 'conflict'],
  ['К проекту: клиентам он тоже понравился.', 'addition', 'project'],
  ['Вернусь к вопросу 2: тесты мы в итоге оставили.', 'addition', 'conflict'],
  ['Насчёт коллеги: мы теперь дружим.', 'addition', 'conflict'],
  ['По поводу первого вопроса: это был год.', 'addition', undefined],
  ['About my previous answer: we kept the tests.', 'addition', undefined],
  ['Sorry, I did not lead it alone, a colleague did it with me.', 'correction', undefined],
  ['Извините, вела не одна, вместе с коллегой.', 'correction', undefined],
  ['Sorry, I meant two years.', 'correction', undefined],
  ['Ой, перепутала: два года.', 'correction', undefined],
])('%j belongs to an earlier answer: %s of %s', (text, verdict, about) => {
  expect(lateWordsOf(text, PLAN, LAST)).toEqual(
    about === undefined ? { verdict } : { verdict, about },
  );
  // Before the first answer there is nothing that it may belong to.
  expect(lateWordsOf(text, PLAN, START)).toBeNull();
  expect(['addition', 'correction']).not.toContain(reply(text).verdict);
});

test.each([
  'Correction of ledgers was my task',
  'The correction took a week',
  'About shifts: they are fine with me.',
  'About ten hours a week',
  'About question 3: shifts are fine.',
  'About question 9: I do not know.',
  'On call, every third week',
  'On Fridays, mostly',
  'To be honest, I like nights',
  'To work: I take the bus',
  'Back to back shifts, for years',
  'I forgot my first shift once',
  'I made a mistake in a deployment and fixed it',
  'I meant to change jobs, so shifts suit me',
  'Sorry, I did not work nights so far',
  'Sorry, no',
  'By the way, the shifts were long',
  'As for shifts, yes',
  'По ночам, в основном',
  'По сменам: да, подходит.',
  'К вечеру устаю, но могу',
  'О сменах: работала.',
  'Про смены, да',
  'Исправление ошибок было моей работой',
  'Ошиблась в расчётах и переделала',
  'Извините, не работала посменно',
  'Вернусь к работе через год',
  'К вопросу 3: могу.',
  'Добавлю, что ночью тоже могу',
])('%j answers the question that waits', (text) => {
  expect(lateWordsOf(text, PLAN, LAST)).toBeNull();
});

test.each([
  'On that project, my teammate wanted to rewrite it all.',
  'On the project, it was about tests.',
  'About the project: my teammate wanted to buy it.',
  'As for disagreements on the project: there were none.',
  'About a project that a teammate and I had: he wanted tests.',
  'По проекту, спорили о тестах.',
  'О проекте: коллега хотел купить готовый.',
  'К проекту коллега не имел отношения',
  'Про тесты: спорили год.',
  'Насчёт коллег: спорили о тестах.',
])('%j answers the question about a teammate', (text) => {
  expect(lateWordsOf(text, PLAN, SECOND)).toBeNull();
});

test('after a push-back, what is taken back belongs to the question that waits', () => {
  const pushedBack = { ...LAST, pushedBack: true };
  expect(lateWordsOf('Sorry, I meant two years.', PLAN, pushedBack)).toBeNull();
  expect(lateWordsOf('Correction: two years.', PLAN, pushedBack)).toEqual({
    verdict: 'correction',
  });
});

test.each([
  'I have dyslexia; could somebody read the questions to me on the phone?',
  "I'm deaf, is it possible to do this in writing only?",
  'I need more time because of my disability, please',
  'Could I have an adjustment?',
  'I would need a reasonable accommodation for the interview',
  'I am blind. Can you send longer texts in parts?',
  'У меня дислексия, можно, чтобы вопросы прочитали по телефону?',
  'Я плохо вижу, пожалуйста, пишите короче',
  'Я слабослышащая, можно только письменно?',
  'У меня инвалидность, мне нужно больше времени',
])('%j asks for an adjustment, and nothing presses the candidate', (text) => {
  expect(isForAdjustment(text)).toBe(true);
  expect(reply(text)).toEqual({
    verdict: 'question',
    text: '',
    isGrounded: false,
    needsAdjustment: true,
  });
});

test.each([
  'I have dyslexia and led the accessibility team.',
  'I am deaf and work with interpreters every day.',
  'Our users were blind, and we asked them: what do you need?',
  'I made adjustments to the plan so that we could ship',
  'I need a quiet office',
  'Could you tell me about accommodation for new colleagues?',
  'With my team I built a screen reader',
  'My team had a blind colleague who could do it faster than we could',
  'I adjusted the schedule; is it what you ask?',
  'Can I work from home?',
  'Я вижу, что можно было иначе',
  'Я слышу заказчиков, и с ними можно договориться',
  'У меня незрячие пользователи, им нужно озвучивание',
  'Я глухая, и с коллегами можно было переписываться.',
  'Мне нужно больше времени на тесты',
  'Можно по телефону?',
  'Делала приложение для слабовидящих',
  'У меня инвалидность, но с работой это не связано.',
  'Я просила заказчика дать больше времени',
])('%j asks for no adjustment', (text) => {
  expect(isForAdjustment(text)).toBe(false);
});

test.each([
  ['Переписала импорт, стало быстрее.', false],
  ['Сравнили журналы двух недель.', false],
  ['Rewrote our import, tests included.', false],
  ['Built a new search engine.', false],
  ['Kafka, Redis, PostgreSQL, Kubernetes', true],
  ['Разный бэкенд', true],
  ['Some backend things', true],
  ['Инцидентов было много', true],
  ['Вела переписывание.', true],
])('%j is thin: %j', (text, expected) => {
  expect(isThin(text)).toBe(expected);
});

test('who asks what the question means hears it in the words of the plan, once', () => {
  const followUp = PLAN.questions[0]?.followUp;
  expect(reply('What do you mean by proud')).toMatchObject({ verdict: 'clarify', text: followUp });
  // In another language, and after a push-back, there are no other words for it.
  expect(reply('В каком смысле гордиться?', START, 'ru').text).toBe('');
  expect(reply('What do you mean?', { ...START, pushedBack: true }).text).toBe('');
  expect(reply('Please repeat the question').text).toBe('');
});

test.each([
  ['en', 'Are you a bot?', /^Yes, I am a program\./],
  ['en', 'Are you human?', /^No, I am a program\./],
  ['ru', 'Вы бот?', /^Да, я программа\./],
  ['ru', 'Вы человек?', /^Нет, я программа\./],
  [
    'en',
    'Is this the first question?',
    /^Yes, this is question 1 of 3, with about 5 minutes to go\.$/,
  ],
  ['en', 'Is this the last one?', /^No, this is question 1 of 3/],
  ['ru', 'Это первый вопрос?', /^Да, это вопрос 1 из 3, ещё примерно 5 минут\.$/],
  ['en', 'How many questions are left?', /^This is question 1 of 3/],
] as const)('in %s, %j is told what is asked', (language, said, text) => {
  expect(reply(said, START, language)).toMatchObject({ verdict: 'question', isGrounded: true });
  expect(reply(said, START, language).text).toMatch(text);
});

/** What was said may be an answer, an instruction, a joke, or next to nothing. */
test.each(['en', 'ru'] as const)(
  'an acknowledgement in %s promises and judges nothing',
  (language) => {
    for (const text of textsOf(language).acknowledgements) {
      expect(text).not.toMatch(
        /not(?:ed|e)|sav|record|answer|tell|запис|сохран|принят|учт|ответ|рассказ/i,
      );
    }
  },
);
