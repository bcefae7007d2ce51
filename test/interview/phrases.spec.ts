import {
  isAsking,
  isAskingToo,
  isSkipping,
  isThin,
  mayAsk,
  plainWishOf,
} from '../../src/interview/plan/phrases';

test.each([
  ['I object to automated processing.', 'objection'],
  ['Не хочу, чтобы мои ответы оценивал ИИ.', 'objection'],
  ['I forgot to mention: I also led the rollout.', 'addition'],
  ['Забыла сказать, что был ещё второй проект.', 'addition'],
  ['I forgot to mention', null],
  ['По-английски, пожалуйста', 'english'],
  ['In Russian, please', 'russian'],
  ['Hi! Could we switch to English?', 'english'],
  ['Здравствуйте! Можно по-русски?', 'russian'],
  ['Можно мне отвечать на русском?', 'russian'],
  ['Мне удобнее писать по-английски', 'english'],
  ['May I answer in Russian?', 'russian'],
  ["I'd prefer English", 'english'],
  ['English', null],
  ['May I call someone later?', 'question'],
  ['Who will read this?', 'readers'],
  ['Кто прочтёт мои ответы', 'readers'],
  ['How many questions are there in total?', 'progress'],
  ['Is this the first question?', 'isFirst'],
  ['Это последний вопрос?', 'isLast'],
  ['Сколько вопросов осталось?', 'progress'],
  ['Are you a bot?', 'machine'],
  ['Я говорю с человеком?', 'isPerson'],
  ['Are you human?', 'isPerson'],
  ['What do you mean by proud', 'meaning'],
  ['В каком смысле гордиться?', 'meaning'],
  ['What do you want to hear?', 'meaning'],
  ['А что вы хотите услышать?', 'meaning'],
  ['Не поняла вопрос', 'meaning'],
  ['Could you repeat the question?', 'repeat'],
  ['What do you mean by that salary band, is it gross or net?', 'question'],
  ['Who will read this if I leave?', 'question'],
  ['Можно позвонить кому-нибудь позже?', 'question'],
])('reads %j as %j', (text, wish) => {
  expect(plainWishOf(text)).toBe(wish);
});

test.each([
  'skip',
  'Skip.',
  'SKIP!!!',
  'skip please',
  'Please skip',
  'skip it',
  'skip this',
  'skip this one',
  'skip that question',
  'Skip this question',
  'skip this question please',
  'Please skip this question, thanks.',
  'Can we skip this question?',
  'Could we please skip this one?',
  'May I skip?',
  "Let's skip this question",
  'I’d like to skip this question',
  'I would prefer to skip this one, please',
  "I'd rather skip this",
  "I'll skip this question",
  'I will skip this one, thank you',
  'Sorry, skip this question please',
  'Hmm... skip',
  'ok, next question please',
  'next',
  'Next please',
  'next question',
  'next question please',
  'The next question, please',
  'Can we have the next question?',
  'Skip to the next question',
  "Let's move on to the next question",
  "Let's move on",
  'move on please',
  'Go to the next one',
  'Skip. Next question please.',
  'pass',
  'Pass!',
  'pass please',
  "I'll pass",
  'I pass',
  "I'll pass on this one",
  'I will pass on this question',
  "I'd rather not say",
  'I would rather not answer this question',
  'Prefer not to say',
  'I prefer not to answer that',
  "I don't want to answer this question",
  'no comment',
  '/skip',
  'пропустить',
  'Пропустим',
  'Пропустите, пожалуйста',
  'пропустить вопрос',
  'пропустить этот вопрос',
  'Давайте пропустим',
  'давайте пропустим этот вопрос',
  'Давайте, пожалуйста, пропустим этот вопрос.',
  'давай пропустим',
  'Можно пропустить?',
  'Можно мне пропустить этот вопрос?',
  'Можем ли мы пропустить этот вопрос',
  'Хочу пропустить этот вопрос',
  'Я хотел бы пропустить этот вопрос',
  'Хотела бы пропустить данный вопрос, спасибо',
  'Я пропущу этот вопрос',
  'пропускаю',
  'Извините, пропустим этот вопрос',
  'скип',
  'пас',
  'Я пас',
  'дальше',
  'Давайте дальше',
  'Идём дальше',
  'Давайте перейдём к следующему вопросу',
  'перейдём дальше, пожалуйста',
  'следующий вопрос',
  'Следующий вопрос, пожалуйста',
  'Можно следующий вопрос?',
  'Не хочу отвечать',
  'Не хочу отвечать на этот вопрос',
  'Я предпочту не отвечать',
  'Предпочла бы не отвечать на это',
  'Пропу\u0301стим',
])('hears that %j skips the question', (text) => {
  expect([plainWishOf(text), isSkipping(text)]).toEqual(['skip', true]);
});

test.each([
  'I skip meals to ship',
  'we decided to skip the migration',
  'We skip this step',
  "I'd skip it",
  'I would skip it and tell the team',
  'I skip it',
  'skip the migration',
  'Skip the tests and ship',
  'Skip lists, mostly',
  'Skip-level meetings with my manager',
  'I pass the token to the service',
  'I pass it to the next team',
  'All tests pass',
  'pass by reference',
  'Pass the salt, please',
  'Next.js',
  'Next week',
  'The next question we asked was why',
  'The next question was harder',
  'Next question: what fails first?',
  'We moved on to the next one',
  "I'd move on to the next candidate",
  'Skip this question? No, I have done that for years',
  "Please don't skip this question",
  'Do not skip',
  'I know nothing about it',
  "I don't know",
  'No',
  'please',
  'I would rather not say much: we lost the data',
  'I prefer not to answer support calls alone',
  'Мы решили пропустить миграцию',
  'Пропускаю обед, чтобы успеть',
  'Я бы пропустил этот шаг',
  'Пропустить этот шаг',
  'Пропустили бы его и сообщили команде',
  'Пропускной режим',
  'Не пропускайте этот вопрос',
  'Дальше мы разделили сервис',
  'Следующий вопрос был сложнее',
  'Пасую мяч коллегам',
  'Не хочу отвечать за чужие ошибки',
  'Не знаю',
  'спасибо',
  'Перейдём к следующему спринту',
])('does not take %j for a skip', (text) => {
  expect(plainWishOf(text)).not.toBe('skip');
  expect(isSkipping(text)).toBe(false);
});

test('a long text is searched for a skip in no time', () => {
  const text = 'please '.repeat(20_000);
  const spaced = 'skip '.repeat(23) + 'this migration';

  expect([isSkipping(text), isSkipping(spaced)]).toEqual([false, false]);
});

test.each([
  ['When will I hear back', true],
  ['Когда ждать ответа', true],
  ['And the salary?', true],
  ['I asked "why?" and they told me.', false],
  ['Спасибо, до свидания', false],
])('whether %j asks something: %j', (text, expected) => {
  expect(isAsking(text)).toBe(expected);
});

test.each([
  'What do you mean by own work?',
  'Sorry, what exactly do you mean',
  'how detailed should it be',
  'How long should the answer be',
  'I do not understand',
  'could you rephrase it',
  'English please',
  'The salary, is it fixed? I need to know.',
  'не совсем понял вопрос',
  'Что вы имеете в виду',
  'Можно уточнить, про какой проект',
  'а сколько примеров нужно',
  'поясните пожалуйста',
  'Кто прочитает мои ответы',
])('%j may ask something', (text) => {
  expect(mayAsk(text)).toBe(true);
});

test.each([
  'I led the migration to the new billing.',
  'What I did was to write the tests first.',
  'What we do is to write the tests first.',
  'How we found it: the logs.',
  'When I worked there we had nine people.',
  'Когда я работала в банке, нас было девять.',
  'Как руководитель, я отвечала за график.',
  'Что касается тестов, их писали все.',
  'Какие-то вещи пришлось переделать.',
])('%j asks nothing', (text) => {
  expect(mayAsk(text)).toBe(false);
});

test.each([
  'Kafka.',
  'Yes',
  'I led a team.',
  'Billing, with my colleagues',
  'руководила поддержкой',
  'Разное бывало',
  'Всякое, много всего разного',
  '👍',
  '...',
])('%j is thin for an open question', (text) => {
  expect(isThin(text)).toBe(true);
});

test.each([
  '',
  'I led the move of our billing to a new service.',
  'Led 9 people.',
  'Never did that.',
  "I don't know",
  'Nothing comes to mind',
  'Такого не было',
  'Нет опыта',
  '[file: cv.pdf (12 kB)]',
  'github.com/ada/bread',
  'select 1;',
  '- tests\n- logs',
  'Руководила группой поддержки из девяти человек.',
])('%j is not thin', (text) => {
  expect(isThin(text)).toBe(false);
});

test.each([
  ['I led a migration. By the way, is the job remote?', true],
  ['Вела миграцию. Кстати, работа удалённая?', true],
  ['I led a migration, you know what I mean?', false],
  ['Вела миграцию, понимаете?', false],
  ['Is it remote? I led a migration.', false],
])('whether %j asks something too: %s', (text, asks) => {
  expect(isAskingToo(text)).toBe(asks);
});
