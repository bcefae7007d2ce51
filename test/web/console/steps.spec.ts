import { stepsAround } from '../../../web/console/reading/kept-list';

test.each([
  ['a', { at: 1, of: 3, previous: null, next: 'b' }],
  ['b', { at: 2, of: 3, previous: 'a', next: 'c' }],
  ['c', { at: 3, of: 3, previous: 'b', next: null }],
  ['d', null],
])('an interview has its neighbours in the list from which it was opened (%s)', (id, steps) => {
  expect(stepsAround(id, { ids: ['a', 'b', 'c'] })).toEqual(steps);
});
