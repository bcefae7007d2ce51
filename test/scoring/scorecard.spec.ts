import fc from 'fast-check';
import type { CriterionReading } from '../../src/scoring/sample-reader';
import {
  type CriterionResult,
  type ScoredQuestion,
  criterionResult,
  factResult,
  overallOf,
} from '../../src/scoring/scorecard';
import type { Mark } from '../../src/vacancies';

const QUOTE = { messageId: 'm', start: 0, end: 9 };

function supported(mark: number): CriterionReading {
  return { kind: 'supported', mark: mark as Mark, quotes: [QUOTE], droppedQuotes: {} };
}
const ABSENT: CriterionReading = { kind: 'absent', lookedFor: 'numbers', droppedQuotes: {} };
const THIN: CriterionReading = { kind: 'unscorable', reason: 'thin', droppedQuotes: {} };
const DROPPED: CriterionReading = { kind: 'dropped', why: 'no_quote', droppedQuotes: {} };

describe('the result of a criterion', () => {
  test.each([
    ['three marks', [supported(5), supported(3), supported(4)], 4],
    ['two marks and a dropped sample: the lower one', [supported(4), DROPPED, supported(3)], 3],
    ['two marks and an absence', [supported(2), ABSENT, supported(2)], 2],
  ])('of %s is the median', (_what, samples, mark) => {
    expect(criterionResult(samples).result).toMatchObject({ kind: 'supported', mark });
  });

  test.each([
    ['one sample that holds', [supported(5), DROPPED, DROPPED], 'trouble'],
    ['no sample that holds', [DROPPED, DROPPED, DROPPED], 'trouble'],
    ['two thin samples', [THIN, THIN, supported(3)], 'thin'],
    ['three different results', [THIN, ABSENT, supported(3)], 'disagreement'],
  ])('of %s is unscorable', (_what, samples, reason) => {
    expect(criterionResult(samples).result).toEqual({ kind: 'unscorable', reason });
  });

  test('goes to a person when marks are more than one apart', () => {
    expect(criterionResult([supported(2), supported(3), supported(3)]).isDisputed).toBe(false);
    expect(criterionResult([supported(2), supported(3), supported(4)]).isDisputed).toBe(true);
    expect(criterionResult([supported(3), supported(3), ABSENT]).isDisputed).toBe(true);
  });

  test('never has a mark that no sample gave, and names each quote once', () => {
    const marks = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 3 });
    const property = fc.property(marks, (given) => {
      const { result } = criterionResult(given.map(supported));
      return (
        result.kind === 'supported' && given.includes(result.mark) && result.quotes.length === 1
      );
    });
    fc.assert(property);
  });
});

test('a fact is yes, no or with conditions only when two samples say so', () => {
  const yes = { kind: 'yes', quotes: [QUOTE], droppedQuotes: {} } as const;
  const no = { ...yes, kind: 'no' } as const;
  expect(factResult([yes, no, yes])).toEqual({ value: 'yes', quotes: [QUOTE] });
  expect(factResult([no, no, yes]).value).toBe('no');
  expect(factResult([yes, no, { kind: 'unclear', droppedQuotes: {} }]).value).toBe('unclear');
  const conditional = { ...yes, kind: 'with_conditions' } as const;
  expect(factResult([conditional, yes, conditional]).value).toBe('with_conditions');
  expect(factResult([conditional, yes, no]).value).toBe('unclear');
});

function question(
  id: string,
  results: readonly (readonly [weight: number, CriterionResult])[],
  mustAsk = false,
): ScoredQuestion {
  const criteria = results.map(([weight, result], index) => ({
    name: `c${String(index)}`,
    weight,
    result,
    isDisputed: false,
  }));
  return { questionId: id, rubricHash: '', mustAsk, criteria, facts: [] };
}
function mark(value: number): CriterionResult {
  return { kind: 'supported', mark: value as Mark, marks: [], quotes: [QUOTE] };
}
const NONE: CriterionResult = { kind: 'absent', lookedFor: 'numbers' };
const UNSCORABLE: CriterionResult = { kind: 'unscorable', reason: 'no_answer' };

describe('the overall figure', () => {
  test('is the mean of the questions by the weights of their criteria, with its parts', () => {
    const questions = [
      question('a', [
        [60, mark(5)],
        [40, mark(3)],
      ]),
      question('b', [[100, mark(2)]]),
    ];
    expect(overallOf(questions)).toEqual({
      kind: 'figure',
      value: 3.1,
      parts: [
        { questionId: 'a', value: 4.2, share: 0.5 },
        { questionId: 'b', value: 2, share: 0.5 },
      ],
    });
  });

  test('counts an absence as the lowest mark and leaves out what cannot be scored', () => {
    const questions = [
      question('a', [
        [60, NONE],
        [40, mark(5)],
      ]),
      question('b', [[100, UNSCORABLE]]),
      question('c', [
        [50, UNSCORABLE],
        [50, mark(4)],
      ]),
    ];
    expect(overallOf(questions)).toMatchObject({
      kind: 'figure',
      value: 3.3,
      parts: [{ value: 2.6 }, { value: null, share: 0 }, { value: 4 }],
    });
  });

  test('does not exist when a question that must be asked cannot be scored', () => {
    const questions = [question('a', [[100, mark(5)]]), question('b', [[100, UNSCORABLE]], true)];
    expect(overallOf(questions)).toEqual({ kind: 'absent', missing: ['b'] });
  });

  test('ignores questions that have only facts, and does not exist without any score', () => {
    expect(overallOf([question('a', [], true), question('b', [[100, mark(3)]])])).toMatchObject({
      value: 3,
    });
    expect(overallOf([question('a', [], true)])).toEqual({ kind: 'absent', missing: [] });
  });
});
