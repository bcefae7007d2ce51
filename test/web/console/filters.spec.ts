/** The filters of the list, as the address has them. */
import { filtersOf, isFiltered, queryOf, searchOf } from '../../../web/console/interviews/filters';

const NONE = { state: null, vacancy: null, text: '' };

test('an address gives the filters that made it', () => {
  const filters = { state: 'needs_person', vacancy: 'night-baker', text: 'Ada & Ю' } as const;

  expect(filtersOf(searchOf(filters))).toEqual(filters);
  expect(filtersOf(searchOf(NONE))).toEqual(NONE);
  expect(searchOf(NONE)).toBe('');
});

test.each(['?state=nothing', '?state=', '?vacancy=', '?other=1', ''])(
  'what an address cannot mean is left out (%j)',
  (search) => {
    expect(filtersOf(search)).toEqual(NONE);
    expect(isFiltered(filtersOf(search))).toBe(false);
  },
);

test('asks the API only for what is chosen, and for no text of spaces', () => {
  expect(queryOf(NONE)).toEqual({});
  expect(queryOf({ ...NONE, text: '  ' })).toEqual({});
  expect(queryOf({ state: 'scored', vacancy: 'a', text: ' Ada ' })).toEqual({
    state: 'scored',
    vacancy: 'a',
    text: 'Ada',
  });
});

test('takes no longer text than the API takes', () => {
  expect(filtersOf(`?text=${'a'.repeat(500)}`).text).toHaveLength(200);
});
