import fc from 'fast-check';
import { languageAfter, languageIn } from '../../src/interview/plan/language';
import { plainWishOf } from '../../src/interview/plan/phrases';

test.each([
  ['I have worked with it for years', 'en'],
  ['Moved the billing to a new service', 'en'],
  ['I HAVE WORKED WITH IT FOR YEARS', 'en'],
  ['Работал с Kafka и PostgreSQL пять лет', 'ru'],
  ['Сменный график подходит, работал так раньше', 'ru'],
  ['Zendesk, Jira, A/B-тесты: этим пользуюсь каждый день', 'ru'],
  ['Да, конечно', null],
  ['👍 🙂 👌', null],
  ['по-русски, пожалуйста', 'ru'],
  ['Вела проект три года. Можно дальше по-английски?', 'en'],
])('the language of %j is %j', (text, language) => {
  expect(languageIn(text)).toBe(language);
});

/** Each way to ask for the other language, with what is polite before and behind it. */
test.each([
  ['Can we speak English?', 'en'],
  ['Could you please switch over to English', 'en'],
  ['Is it ok if I answer in English', 'en'],
  ["Let's use English", 'en'],
  ['please write in english', 'en'],
  ["I'd prefer English", 'en'],
  ['I would rather go on in English', 'en'],
  ['I want to speak English', 'en'],
  ['Change to English', 'en'],
  ['In English please', 'en'],
  ['Sorry, may I do this in English? Thanks!', 'en'],
  ['Switch to Russian', 'ru'],
  ['Можно ли мне отвечать по-русски?', 'ru'],
  ['Давайте лучше перейдём на русский', 'ru'],
  ['Хотела бы продолжить на русском языке', 'ru'],
  ['Мне было бы удобнее писать по-русски', 'ru'],
  ['Мне проще на русском', 'ru'],
  ['Буду отвечать по-русски', 'ru'],
  ['Я перейду? Говорить по-русски', 'ru'],
  ['Здравствуйте! Можно по-английски?', 'en'],
  ['По-английски, пожалуйста', 'en'],
  ['Ой, извините, а можно на английском?', 'en'],
])('%j asks for a language: %s', (text, language) => {
  expect(languageIn(text)).toBe(language);
  const other = language === 'en' ? 'ru' : 'en';
  expect(languageAfter(text, other, 0)).toEqual({ language, inOtherLanguage: 0 });
});

test.each([
  'English',
  'I speak English',
  'We switched to English there',
  'по-русски',
  'The tests were written in English by the team',
])('%j asks for none', (text) => {
  expect(languageAfter(text, 'ru', 0).language).toBe('ru');
});

test('a wish is heard in the first or the last sentence of a message, and not between', () => {
  const own = 'Работала с этим сервисом пять лет.';
  expect(languageIn(`Can we speak English? ${own}`)).toBe('en');
  expect(languageIn(`${own} Can we speak English?`)).toBe('en');
  expect(languageIn(`${own} Can we speak English? ${own}`)).toBe('ru');
});

test.each([
  // What decides: more than half in small letters, and enough words that only sentences have.
  ['the Kafka cluster of Redis', 'en'],
  ['The Kafka Cluster Redis Jira', null],
  ['Kafka cluster redis jira', null],
  ['Moved it', null],
  ['Moved it to', 'en'],
  ['the the the kafka', null],
  ['Работал там долго', 'ru'],
  ['Работал в Kafka, Redis, Jira, Docker, Rails', null],
  ['работал я в Kafka, Redis, Jira', 'ru'],
  ['работал в Kafka, Redis, Jira', null],
  ['сервис очередь таблица', null],
  ['Всё это моё', 'ru'],
  ['I’ve used it’s for', 'en'],
  ['(I) have [been] there!', 'en'],
  ['I have the опыт there', null],
  ['cafe\u0301 is the place', 'en'],
  ['i have node.js', null],
  ['i have node.js and a/b', 'en'],
  ['МЫ РАБОТАЛИ В КОМАНДЕ', 'ru'],
])('the language of %j is told by its small words: %j', (text, language) => {
  expect(languageIn(text)).toBe(language);
});

test.each([
  'Kafka, PostgreSQL, Redis, Kubernetes',
  'Zendesk, Jira, A/B tests',
  'Zendesk, Jira, A/B tests, NPS',
  'zendesk, jira, a/b tests, ci/cd',
  'Ruby on Rails, Spring Boot, Jira',
  'The Phoenix Project, Clean Code, DDIA',
  'Infrastructure as a Service, Jobs to be Done',
  'end-to-end tests, on-call, at-least-once delivery',
  'Google Analytics, Power BI, Microsoft Excel',
  'Head of Customer Support, Team Lead',
  'git rebase, docker compose up, kubectl apply',
  'Битрикс24, Яндекс Метрика, Контур',
  'битрикс, яндекс метрика, контур',
])('names of products and methods are in no language: %j', (text) => {
  expect(languageIn(text)).toBeNull();
});

describe('the interviewer changes the language', () => {
  const RUSSIAN = 'Перенесла биллинг на новый сервис за квартал';
  const after = (known: 'ru' | 'en', ...texts: readonly string[]) =>
    texts.reduce(
      ({ language, inOtherLanguage }, text) => languageAfter(text, language, inOtherLanguage),
      { language: known, inOtherLanguage: 0 },
    );

  test('at once when the candidate asks for it', () => {
    expect(after('en', 'Можно по-русски?').language).toBe('ru');
    expect(after('ru', 'Hi! Can I answer in English?').language).toBe('en');
  });

  test('with the second answer in a row that is in the other language', () => {
    expect(after('en', RUSSIAN)).toEqual({ language: 'en', inOtherLanguage: 1 });
    expect(after('en', RUSSIAN, RUSSIAN)).toEqual({ language: 'ru', inOtherLanguage: 0 });
  });

  test('not when an answer in its own language stands between them', () => {
    const own = 'I have led the move to the new service';
    expect(after('en', RUSSIAN, own, RUSSIAN).language).toBe('en');
  });

  test('also when a word that belongs to no language stands between them', () => {
    expect(after('en', RUSSIAN, 'ok', RUSSIAN).language).toBe('ru');
  });

  test('never for names of products, however many', () => {
    const names = [
      'Zendesk, Jira, A/B tests',
      'Google Analytics, Power BI',
      'Ruby on Rails, Spring',
    ];
    expect(after('ru', ...names, ...names)).toEqual({ language: 'ru', inOtherLanguage: 0 });
  });
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
