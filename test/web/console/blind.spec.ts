import { covered } from '../../../web/console/reading/blind';

const ANNA = { name: 'Анна Петрова', contact: 'anna@example.org, +7 900 123-45-67' };

test.each([
  ['Меня зовут Анна Петрова.', 'Меня зовут •••• •••••••.'],
  ['Спасибо, Анне Петровой!', 'Спасибо, •••• ••••••••!'],
  ['Пишите на anna@example.org', 'Пишите на ••••••••••••••••'],
  ['АННА', '••••'],
  ['Ананас и петрушка', 'Ананас и петрушка'],
])('the name and the contact are covered by as many signs (%s)', (text, shown) => {
  expect(covered(text, ANNA)).toBe(shown);
  expect(covered(text, ANNA)).toHaveLength(text.length);
});

test('a name with signs of regular expressions is a name', () => {
  expect(covered('I am O(Neil) and more', { name: 'O(Neil)', contact: null })).toBe(
    'I am ••••••• and more',
  );
});

test('without a name and a contact nothing is covered', () => {
  expect(covered('I am nobody.', { name: null, contact: null })).toBe('I am nobody.');
});
