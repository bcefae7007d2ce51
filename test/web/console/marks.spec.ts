import { differenceOf, marksOf } from '../../../web/console/reading/marks';

const stored = (mark: number | null, note: string | null) => ({
  ...{ mark, note },
  ratedAt: '2026-11-25T10:10:00.000Z',
});
const question = (own: ReturnType<typeof stored> | null) => ({
  ...{ id: 'last', text: '', rubric: '', evidence: [], isRated: own !== null, isFixed: false },
  criteria: ['craft', 'work'].map((name) => ({
    ...{ name, weight: 50, anchors: null, own, others: [] },
  })),
});

test('marks are whole only when each criterion has one; "not asked" is one', () => {
  expect(marksOf(question(null), { craft: { mark: 4 } })).toBeNull();
  expect(marksOf(question(null), { craft: { mark: 4 }, work: { note: 'x' } })).toBeNull();
  expect(marksOf(question(null), { craft: { mark: 4 }, work: { mark: null } })).toEqual([
    { name: 'craft', mark: 4, note: null },
    { name: 'work', mark: null, note: null },
  ]);
});

test('a change of one keeps what is stored of the others, and an empty note is none', () => {
  expect(
    marksOf(question(stored(3, 'before')), { craft: { mark: 5 }, work: { note: ' ' } }),
  ).toEqual([
    { name: 'craft', mark: 5, note: 'before' },
    { name: 'work', mark: 3, note: null },
  ]);
});

test.each([
  [4, 3, 1],
  [2.5, 3, -0.5],
  [null, 3, null],
  [4, null, null],
  [4, undefined, null],
])('the difference of %s to %s is %s', (theirs, own, difference) => {
  expect(differenceOf(theirs, own)).toBe(difference);
});
