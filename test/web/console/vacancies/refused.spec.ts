import { refusedAs } from '../../../../web/console/vacancies/use-refused';

test('mistakes stand beside the text that was refused, and beside no other one', () => {
  const problems = [{ line: 3, pointer: '/questions', reason: 'is missing' }];
  const refused = { text: 'slug: baker', problems };

  expect(refusedAs(refused, 'slug: baker')).toEqual(problems);
  // Typed on, put aside, brought back, or an earlier version taken up.
  expect(refusedAs(refused, 'slug: night-baker')).toBeNull();
  expect(refusedAs(null, 'slug: baker')).toBeNull();
});
