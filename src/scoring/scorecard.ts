import type { Mark, Rubric } from '../vacancies';
import type { Quote } from './evidence';
import type { CriterionReading, FactReading } from './sample-reader';

/**
 * What code makes of the samples. No model takes part from here on.
 *
 *   three samples of a criterion ──two or more hold and agree──> that result, the median of its marks
 *     └──fewer hold──> unscorable (trouble)   └──all differ──> unscorable (disagreement)
 *
 * The overall figure is the mean of the questions, each the mean of its criteria by weight. In it
 * `absent` counts as the lowest mark, because the answer was read and shows nothing; `unscorable` is
 * left out and the other weights are scaled up. When anything of a question that must be asked is
 * unscorable there is no overall figure at all.
 */

export const SAMPLES = 3;
const LOWEST: Mark = 1;
const MAX_SPREAD = 1;

export type CriterionResult =
  | {
      readonly kind: 'supported';
      readonly mark: Mark;
      readonly marks: readonly Mark[];
      readonly quotes: readonly Quote[];
    }
  | { readonly kind: 'absent'; readonly lookedFor: string }
  | {
      readonly kind: 'unscorable';
      readonly reason: 'thin' | 'trouble' | 'disagreement' | 'no_answer';
    };

export interface ScoredCriterion {
  readonly name: string;
  readonly weight: number;
  readonly result: CriterionResult;
  /** The samples differ by more than one mark, so a person reads the answer. */
  readonly isDisputed: boolean;
}

/** `with_conditions`: yes, under a condition or in part; its quotes say which. */
export type FactValue = 'yes' | 'no' | 'with_conditions' | 'unclear';

export interface ReadFactResult {
  readonly name: string;
  readonly value: FactValue;
  readonly quotes: readonly Quote[];
}

export interface ScoredQuestion {
  readonly questionId: string;
  readonly rubricHash: string;
  readonly mustAsk: boolean;
  readonly criteria: readonly ScoredCriterion[];
  readonly facts: readonly ReadFactResult[];
}

export interface OverallPart {
  readonly questionId: string;
  /** From 1 to 5; null: left out. */
  readonly value: number | null;
  readonly share: number;
}

export type Overall =
  | { readonly kind: 'figure'; readonly value: number; readonly parts: readonly OverallPart[] }
  | { readonly kind: 'absent'; readonly missing: readonly string[] };

export interface Scorecard {
  readonly questions: readonly ScoredQuestion[];
  readonly overall: Overall;
}

/** The result of a criterion, from its samples. */
export function criterionResult(
  samples: readonly CriterionReading[],
): Pick<ScoredCriterion, 'result' | 'isDisputed'> {
  const held = samples.filter((sample) => sample.kind !== 'dropped');
  const supported = held.filter((sample) => sample.kind === 'supported');
  const absent = held.filter((sample) => sample.kind === 'absent');
  const values = [...supported.map(({ mark }) => mark), ...absent.map(() => LOWEST)];
  const isDisputed = values.length > 1 && Math.max(...values) - Math.min(...values) > MAX_SPREAD;
  if (held.length < 2) return { result: { kind: 'unscorable', reason: 'trouble' }, isDisputed };
  if (supported.length >= 2) {
    const marks = supported.map(({ mark }) => mark).toSorted((a, b) => a - b);
    const mark = marks[Math.floor((marks.length - 1) / 2)] ?? LOWEST;
    const quotes = uniqueQuotes(supported.flatMap(({ quotes }) => quotes));
    return { result: { kind: 'supported', mark, marks, quotes }, isDisputed };
  }
  const [first] = absent;
  if (first !== undefined && absent.length >= 2) {
    return { result: { kind: 'absent', lookedFor: first.lookedFor }, isDisputed };
  }
  const thin = held.filter((sample) => sample.kind === 'unscorable');
  const reason = thin.length >= 2 ? (thin[0]?.reason ?? 'trouble') : 'disagreement';
  return {
    result: { kind: 'unscorable', reason },
    isDisputed: isDisputed || reason === 'disagreement',
  };
}

/** What two samples say; otherwise unclear, which a person clears up. */
export function factResult(samples: readonly FactReading[]): Omit<ReadFactResult, 'name'> {
  for (const value of ['yes', 'no', 'with_conditions'] as const) {
    const saying = samples.filter((sample) => sample.kind === value);
    if (saying.length >= 2) {
      const quotes = saying.flatMap((sample) => ('quotes' in sample ? sample.quotes : []));
      return { value, quotes: uniqueQuotes(quotes) };
    }
  }
  return { value: 'unclear', quotes: [] };
}

/** Nothing was said to the question, so no model is asked. */
export function unanswered(rubric: Rubric): Pick<ScoredQuestion, 'criteria' | 'facts'> {
  const result = { kind: 'unscorable', reason: 'no_answer' } as const;
  return {
    criteria: rubric.criteria.map(({ name, weight }) => ({
      name,
      weight,
      result,
      isDisputed: false,
    })),
    facts: rubric.facts.map(({ name }) => ({ name, value: 'unclear', quotes: [] })),
  };
}

/** The overall figure, from 1 to 5 with two decimals, with its parts. */
export function overallOf(questions: readonly ScoredQuestion[]): Overall {
  const rated = questions.filter(({ criteria }) => criteria.length > 0);
  const missing = rated
    .filter(({ mustAsk, criteria }) => mustAsk && criteria.some(isUnscorable))
    .map(({ questionId }) => questionId);
  const values = rated.map((question) => ({ question, value: valueOf(question) }));
  const known = values.flatMap(({ value }) => (value === null ? [] : [value]));
  if (missing.length > 0 || known.length === 0) return { kind: 'absent', missing };
  const share = 1 / known.length;
  return {
    kind: 'figure',
    value: rounded(known.reduce((sum, value) => sum + value, 0) * share),
    parts: values.map(({ question: { questionId }, value }) => ({
      questionId,
      value: value === null ? null : rounded(value),
      share: value === null ? 0 : rounded(share),
    })),
  };
}

function valueOf({ criteria }: ScoredQuestion): number | null {
  const counted = criteria.flatMap(({ weight, result }) => {
    const mark = markOf(result);
    return mark === null ? [] : [{ weight, mark }];
  });
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  return counted.reduce((sum, { weight, mark }) => sum + weight * mark, 0) / total;
}

/** The mark that a result counts as; null: none. */
export function markOf(result: CriterionResult): Mark | null {
  if (result.kind === 'unscorable') return null;
  return result.kind === 'supported' ? result.mark : LOWEST;
}

/** All passages that its criteria and facts rest on, each once. */
export function quotesOf({ criteria, facts }: ScoredQuestion): Quote[] {
  const supporting = criteria.flatMap(({ result }) =>
    result.kind === 'supported' ? result.quotes : [],
  );
  return uniqueQuotes([...supporting, ...facts.flatMap(({ quotes }) => quotes)]);
}

function isUnscorable({ result }: ScoredCriterion): boolean {
  return result.kind === 'unscorable';
}

function uniqueQuotes(quotes: readonly Quote[]): Quote[] {
  const keyOf = ({ messageId, start, end }: Quote): string =>
    `${messageId}:${String(start)}:${String(end)}`;
  return [...new Map(quotes.map((quote) => [keyOf(quote), quote])).values()];
}

function rounded(value: number): number {
  return Math.round(value * 100) / 100;
}
