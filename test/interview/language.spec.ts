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
