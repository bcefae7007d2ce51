/**
 * How far two raters agree on marks from 1 to 5. Pure functions.
 *
 * Quadratic weighted kappa is Cohen's weighted kappa with the squared difference of two marks as the
 * weight of a disagreement (J. Cohen, "Weighted kappa", Psychological Bulletin 70, 1968):
 *
 *   1 − (mean squared difference of the pairs) / (the same, were the marks paired by chance)
 *
 * With more than two raters each pair of them has a kappa, and the mean is taken (R. Light,
 * Psychological Bulletin 76, 1971), here weighted by the answers that the pair has in common. The
 * thresholds of the certification and the standardised mean difference follow D. Williamson, X. Xi and
 * F. Breyer, "A Framework for Evaluation and Use of Automated Scoring", Educational Measurement:
 * Issues and Practice 31, 2012.
 */

export interface Agreement {
  /** Rated by at least one person. */
  readonly answers: number;
  /** Rated by two people or more, and by the model. Only these count below. */
  readonly counted: number;
  /** Rated by two people or more, without a mark of the model. */
  readonly withoutModel: number;
  readonly raters: number;
  readonly personToPerson: number | null;
  readonly modelToPerson: number | null;
  /** Model minus people: above 0 the model is milder. */
  readonly meanDifference: number | null;
}

export function agreementOf(answers: readonly RatedAnswer[]): Agreement {
  const twice = answers.filter(({ people }) => people.size >= 2);
  const counted = twice.filter(({ model }) => model !== null);
  const raters = [...new Set(answers.flatMap(({ people }) => [...people.keys()]))].toSorted();
  const marksOf = (one: string, other: string): Pair[] =>
    counted.flatMap(({ people }) => pairOf(people.get(one), people.get(other)));
  const ofModel = raters.map((rater) =>
    counted.flatMap(({ people, model }) => pairOf(model ?? undefined, people.get(rater))),
  );
  return {
    answers: answers.filter(({ people }) => people.size > 0).length,
    counted: counted.length,
    withoutModel: twice.length - counted.length,
    raters: raters.length,
    personToPerson: meanKappa(
      raters.flatMap((one, index) => raters.slice(index + 1).map((other) => marksOf(one, other))),
    ),
    modelToPerson: meanKappa(ofModel),
    meanDifference: standardisedMeanDifference(ofModel.flat()),
  };
}

/** One answer by one criterion. */
export interface RatedAnswer {
  /** By rater; each rater at most once. */
  readonly people: ReadonlyMap<string, number>;
  /** Null: the model gave no mark. */
  readonly model: number | null;
}

export type Pair = readonly [first: number, second: number];

/**
 * The mean of the first minus the mean of the second, in units of the root mean square of their
 * standard deviations; null when neither varies.
 */
export function standardisedMeanDifference(pairs: readonly Pair[]): number | null {
  const [first, second] = [pairs.map(([one]) => one), pairs.map(([, other]) => other)];
  const [a, b] = [meanOf(first), meanOf(second)];
  if (a === null || b === null || pairs.length < 2) return null;
  const deviation = Math.sqrt((varianceOf(first, a) + varianceOf(second, b)) / 2);
  return deviation === 0 ? null : (a - b) / deviation;
}

export const LEAST_ANSWERS = 50;
export const LEAST_KAPPA = 0.7;
export const MOST_BELOW_PEOPLE = 0.1;
/** Kappas that are equal on paper must not differ by their last bit. */
const EPSILON = 1e-9;

/** Why these figures do not certify, each a clause; empty: they do. */
export function shortcomings(figures: Agreement): string[] {
  const { counted, personToPerson, modelToPerson } = figures;
  const found: string[] = [];
  if (figures.raters < 2) {
    found.push(
      `${figures.raters === 0 ? 'nobody has' : 'only one person has'} rated, and two are needed`,
    );
  }
  if (counted < LEAST_ANSWERS) {
    found.push(
      `${String(counted)} answers are rated by two people and the model, and ${String(LEAST_ANSWERS)} are needed`,
    );
  }
  if (counted === 0) return found;
  if (personToPerson === null || modelToPerson === null) {
    return [...found, 'the marks do not vary, so agreement cannot be told from chance'];
  }
  if (modelToPerson < LEAST_KAPPA - EPSILON) {
    found.push(
      `model to person is ${modelToPerson.toFixed(2)}, and ${LEAST_KAPPA.toFixed(2)} is needed`,
    );
  }
  if (personToPerson - modelToPerson > MOST_BELOW_PEOPLE + EPSILON) {
    found.push(
      `model to person is ${(personToPerson - modelToPerson).toFixed(2)} below person to person, and at most ${MOST_BELOW_PEOPLE.toFixed(2)} is allowed`,
    );
  }
  return found;
}

/** Weighted by the number of pairs. A pair of raters without a kappa of their own is left out. */
function meanKappa(groups: readonly (readonly Pair[])[]): number | null {
  const known = groups.flatMap((pairs) => {
    const kappa = weightedKappa(pairs);
    return kappa === null ? [] : [{ kappa, weight: pairs.length }];
  });
  const total = known.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return null;
  return known.reduce((sum, { kappa, weight }) => sum + kappa * weight, 0) / total;
}

/** From −1 to 1; null when chance alone would agree everywhere: no pairs, or one mark throughout. */
export function weightedKappa(pairs: readonly Pair[]): number | null {
  const chance = chanceOf(pairs);
  const observed = meanOf(pairs.map(([first, second]) => (first - second) ** 2));
  if (chance === null || observed === null || chance === 0) return null;
  return 1 - observed / chance;
}

function pairOf(first: number | undefined, second: number | undefined): Pair[] {
  return first === undefined || second === undefined ? [] : [[first, second]];
}

/**
 * The mean squared difference of each first mark with each second mark, from how often each mark occurs:
 * with 10,000 pairs there would be 100 million differences.
 */
function chanceOf(pairs: readonly Pair[]): number | null {
  const firsts = countsOf(pairs.map(([first]) => first));
  const seconds = countsOf(pairs.map(([, second]) => second));
  let sum = 0;
  for (const [first, times] of firsts) {
    for (const [second, others] of seconds) sum += times * others * (first - second) ** 2;
  }
  return pairs.length === 0 ? null : sum / pairs.length ** 2;
}

function countsOf(marks: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const mark of marks) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  return counts;
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function varianceOf(values: readonly number[], mean: number): number {
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
}
