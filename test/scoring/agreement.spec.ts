import fc from 'fast-check';
import {
  type Agreement,
  type Pair,
  agreementOf,
  shortcomings,
  standardisedMeanDifference,
  weightedKappa,
} from '../../src/scoring/agreement';

const mark = fc.integer({ min: 1, max: 5 });
const pairs = fc.array(fc.tuple(mark, mark), { minLength: 2, maxLength: 40 });

function zip(first: readonly number[], second: readonly number[]): Pair[] {
  return first.map((one, index) => [one, second[index] ?? 0]);
}

describe('quadratic weighted kappa', () => {
  // The examples of ml_metrics by Ben Hamner, Python/ml_metrics/test/test_kappa.py.
  test.each([
    [[1, 2, 3], [1, 2, 3], 1],
    [[1, 2, 1], [1, 2, 2], 0.4],
    [[1, 2, 3, 1, 2, 2, 3], [1, 2, 3, 1, 2, 3, 2], 0.75],
  ])('of the published example %j and %j is %d', (first, second, expected) => {
    expect(weightedKappa(zip(first, second))).toBeCloseTo(expected, 10);
  });

  // By hand: squared differences 0, 9, 9, so 18/3 is seen; by chance 0 16 1, 1 9 0, 16 0 9, so 52/9.
  test('of an example by hand is 1 - (18/3) / (52/9)', () => {
    expect(weightedKappa(zip([1, 2, 5], [1, 5, 2]))).toBeCloseTo(1 - 18 / 3 / (52 / 9), 10);
  });

  test('of 100,000 answers needs neither the memory nor the time for each pair of marks', () => {
    const rated = Array.from({ length: 100_000 }, (_, n): Pair => [1 + (n % 5), 1 + (n % 4)]);
    const few = rated.slice(0, 20);
    expect(weightedKappa(rated)).toBeCloseTo(weightedKappa(few) ?? 9, 10);
  });

  test('is 1 for identical marks that vary, and unknown for one mark throughout', () => {
    fc.assert(
      fc.property(fc.array(mark, { minLength: 1, maxLength: 40 }), (marks) => {
        const kappa = weightedKappa(zip(marks, marks));
        if (new Set(marks).size === 1) expect(kappa).toBeNull();
        else expect(kappa).toBeCloseTo(1, 10);
      }),
    );
    expect(weightedKappa([])).toBeNull();
  });

  test('is the same from either side, in any order, and on a scale turned round or moved', () => {
    fc.assert(
      fc.property(pairs, fc.integer({ min: -3, max: 3 }), (given, shift) => {
        const kappa = weightedKappa(given) ?? 9;
        const others: Pair[][] = [
          given.map(([first, second]) => [second, first]),
          given.toReversed(),
          given.map(([first, second]) => [6 - first, 6 - second]),
          given.map(([first, second]) => [first + shift, second + shift]),
        ];
        for (const other of others) expect(weightedKappa(other) ?? 9).toBeCloseTo(kappa, 10);
        if (kappa !== 9) expect(Math.abs(kappa)).toBeLessThanOrEqual(1 + 1e-12);
      }),
    );
  });
});

describe('the standardised mean difference', () => {
  test('of an example by hand: one mark apart, with a standard deviation of 1', () => {
    expect(standardisedMeanDifference(zip([2, 3, 4], [1, 2, 3]))).toBeCloseTo(1, 10);
  });

  test('changes its sign with the sides, and is unknown where nothing varies', () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const turned = given.map(([first, second]): Pair => [second, first]);
        const difference = standardisedMeanDifference(given);
        const other = standardisedMeanDifference(turned);
        if (difference === null) expect(other).toBeNull();
        else expect(other).toBeCloseTo(-difference, 10);
      }),
    );
    expect(standardisedMeanDifference(zip([3, 3], [2, 2]))).toBeNull();
  });
});

describe('the agreement about many answers', () => {
  const answer = (model: number | null, ...marks: number[]) => ({
    model,
    people: new Map(marks.map((each, index) => [`rater ${String(index)}`, each])),
  });

  test('counts only answers of two people and the model', () => {
    const agreement = agreementOf([
      answer(1, 1, 1),
      answer(5, 5, 4),
      answer(null, 3, 3),
      answer(2, 2),
      answer(4),
    ]);

    expect(agreement).toMatchObject({ answers: 4, counted: 2, withoutModel: 1, raters: 2 });
  });

  test('takes the mean over pairs of raters, by the answers that they share', () => {
    const three = agreementOf(
      [1, 3, 5, 2].map((each, index) => ({
        model: each,
        people: new Map(
          ['a', 'b', 'c'].map((rater) => [rater, rater === 'c' && index > 1 ? 3 : each]),
        ),
      })),
    );
    const withC = weightedKappa(zip([1, 3, 5, 2], [1, 3, 3, 3])) ?? 0;
    expect(three.personToPerson).toBeCloseTo((1 + withC + withC) / 3, 10);
    expect(three.modelToPerson).toBeCloseTo((1 + 1 + withC) / 3, 10);
  });
});

describe('what certifies', () => {
  const enough: Agreement = {
    answers: 50,
    counted: 50,
    withoutModel: 0,
    raters: 2,
    personToPerson: 0.8,
    modelToPerson: 0.7,
    meanDifference: 0.4,
  };

  test('is exactly at the thresholds', () => {
    expect(shortcomings(enough)).toEqual([]);
  });

  test.each<[string, Partial<Agreement>, RegExp]>([
    ['49 answers', { counted: 49 }, /^49 answers .* 50 are needed$/],
    ['one rater', { raters: 1, counted: 0 }, /^only one person has rated/],
    ['nobody', { raters: 0, counted: 0 }, /^nobody has rated/],
    [
      'a low kappa',
      { personToPerson: 0.7, modelToPerson: 0.69 },
      /^model to person is 0.69, and 0.70/,
    ],
    ['people who agree more', { personToPerson: 0.85, modelToPerson: 0.74 }, /is 0.11 below/],
    ['marks that do not vary', { modelToPerson: null }, /do not vary/],
  ])('is not %s', (_what, change, expected) => {
    expect(shortcomings({ ...enough, ...change })[0]).toMatch(expected);
  });
});
