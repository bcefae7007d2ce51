/** The words of the vacancies' pages, in both languages. */
import { HTTP_PROBLEMS, STORED_PROBLEMS } from '../../../../src/common/http/problem-codes';
import { en } from '../../../../web/console/vacancies/en';
import { ru } from '../../../../web/console/vacancies/ru';

test('the problems that have words are those that the server has', () => {
  const known = Object.keys({ ...STORED_PROBLEMS, ...HTTP_PROBLEMS });

  expect(Object.keys(en.problems).filter((code) => !known.includes(code))).toEqual([]);
  expect(Object.keys(ru.problems)).toEqual(Object.keys(en.problems));
});

test('closing says what happens to interviews that run', () => {
  expect(en.close.text(0)).not.toMatch(/\d/);
  expect(en.close.text(1)).toContain('1 interview is running');
  expect(en.close.text(2)).toContain('2 interviews are running');
  expect(ru.close.text(5)).toContain('5 интервью');
  expect(ru.close.text(null)).not.toMatch(/\d/);
});

test('Russian counts agree with their nouns', () => {
  expect([1, 2, 5, 11, 21].map(ru.questions)).toEqual([
    '1 вопрос',
    '2 вопроса',
    '5 вопросов',
    '11 вопросов',
    '21 вопрос',
  ]);
});
