import fc from 'fast-check';
import { isAsking, languageIn, plainWishOf } from '../../src/interview/plan/phrases';

test.each([
  ['I object to automated processing.', 'objection'],
  ['Не хочу, чтобы мои ответы оценивал ИИ.', 'objection'],
  ['I forgot to mention: I also led the rollout.', 'addition'],
  ['Забыла сказать, что был ещё второй проект.', 'addition'],
  ['I forgot to mention', null],
  ['По-английски, пожалуйста', 'english'],
  ['In Russian, please', 'russian'],
  ['May I call someone later?', 'question'],
  ['Who will read this?', 'readers'],
  ['Кто прочтёт мои ответы', 'readers'],
  ['Who will read this if I leave?', 'question'],
  ['Можно позвонить кому-нибудь позже?', 'question'],
])('reads %j as %j', (text, wish) => {
  expect(plainWishOf(text)).toBe(wish);
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
  ['I have worked with it for years', 'en'],
  ['Работал с Kafka и PostgreSQL пять лет', 'ru'],
  ['Kafka, PostgreSQL, Redis, Kubernetes', null],
  ['Да, конечно', null],
  ['👍 🙂 👌', null],
  ['по-русски, пожалуйста', 'ru'],
])('the language of %j is %j', (text, language) => {
  expect(languageIn(text)).toBe(language);
});

test('no language is guessed from fewer than three words, unless they name one', () => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', 'i', 'u', 'т', 'ы', 'о', 'е', 'я'),
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 2 }), (words) => {
      const text = words.join(' ');
      fc.pre(!['english', 'russian'].includes(plainWishOf(text) ?? ''));
      expect(languageIn(text)).toBeNull();
    }),
  );
});
