import { Injectable } from '@nestjs/common';
import { COMMAND } from '../common/command-name';
import type { Tx } from '../common/uow';
import {
  type Question,
  MARKS,
  rubricHash,
  rubricOf,
  type Rubric,
  type Vacancy,
} from '../vacancies';
import { type Agreement, agreementOf, shortcomings } from './agreement';
import { CalibrationRepository, type ScoreVersion, isSame } from './calibration.repository';
import { readCsv } from './csv';
import { PersonRatings, RatingRefusedError } from './person-ratings';
import { PROMPTS, promptHash } from './score-prompts';
import { criterionResult, markOf } from './scorecard';

/**
 * From shadow to certified:
 *
 *   shadow ──people rate answers without seeing a name or a score──> figures
 *      ^                                                              │ enough, and the fairness run passed
 *      └── another rubric, model or prompt; a failed fairness run ── certified
 *
 * A version is a rubric, a model and a prompt together, so nothing has to be reset: what changes is
 * another version, which nobody certified.
 */

@Injectable()
export class Calibration {
  constructor(
    private readonly records: CalibrationRepository,
    private readonly ratings: PersonRatings,
  ) {}

  /**
   * The rows of a file for people to rate: every answer to a question whose rubric is still the
   * vacancy's, by each criterion. Sorted by their random ids, so neither a row nor its place tells
   * whose answer it is.
   */
  async rowsToRate(
    tx: Tx,
    vacancy: { readonly id: string; readonly plan: { readonly questions: readonly Question[] } },
  ): Promise<{ rows: string[][]; conversationIds: string[] }> {
    const current = new Set(vacancy.plan.questions.map((question) => hashOf(question)));
    const rows: string[][] = [];
    const conversationIds: string[] = [];
    for (const { id, plan } of await this.records.interviews(tx, vacancy.id)) {
      const questions = plan.questions.filter((question) => current.has(hashOf(question)));
      const found = await this.rowsOfInterview(tx, vacancy.id, id, questions);
      rows.push(...found);
      if (found.length > 0) conversationIds.push(id);
    }
    return { rows: rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)), conversationIds };
  }

  /**
   * Stores a person's ratings from a file. Rows without a rating are left out. Throws
   * RatingRefusedError with every problem and its line, and CsvError; then nothing is stored.
   */
  async importRatings(tx: Tx, rater: string, file: string): Promise<{ stored: number }> {
    const rows = readCsv(file, ['id', 'rating']).filter(({ cells }) => cells.rating !== '');
    if (rows.length === 0) throw new RatingRefusedError('the column rating is empty in every row');
    const ids = rows.map(({ cells }) => (cells.id ?? '').toLowerCase());
    const items = new Map(
      (await this.records.findItems(tx, ids, rater)).map(({ id, isRated }) => [id, isRated]),
    );
    const problems = rows.flatMap(({ line, cells }, index) => {
      const id = ids[index] ?? '';
      const isRated = items.get(id);
      const problem =
        isRated === undefined
          ? `no answer has the id "${id}"`
          : isRated
            ? `${rater} has already rated the answer ${id}`
            : ids.indexOf(id) < index
              ? `the answer ${id} is also in line ${String(rows[ids.indexOf(id)]?.line)}`
              : markIn(cells.rating ?? '') === null
                ? `expected a rating from 1 to 5, found "${cells.rating ?? ''}"`
                : null;
      return problem === null ? [] : [`line ${String(line)}: ${problem}`];
    });
    if (problems.length > 0) throw new RatingRefusedError(listed(problems));
    for (const [index, { cells, line }] of rows.entries()) {
      const rating = {
        itemId: ids[index] ?? '',
        rater,
        mark: markIn(cells.rating ?? '') ?? 0,
      };
      if (await this.records.addRating(tx, rating)) continue;
      throw new RatingRefusedError(`line ${String(line)}: ${rater} has already rated this answer`);
    }
    return { stored: rows.length };
  }

  /**
   * Stores what a reviewer gives the answers of one interview, `ratings` by question and criterion.
   * Throws RatingRefusedError; then nothing is stored.
   */
  async rate(
    tx: Tx,
    interview: {
      readonly id: string;
      readonly vacancyId: string;
      readonly questions: readonly Question[];
    },
    rater: string,
    ratings: readonly { questionId: string; criterion: string; mark: number }[],
  ): Promise<void> {
    const items = await this.ratings.itemsOf(tx, interview, interview.questions);
    for (const { questionId, criterion, mark } of ratings) {
      const item = items.find((one) => one.questionId === questionId && one.name === criterion);
      const name = `${questionId}/${criterion}`;
      if (item === undefined) {
        const known = items.map((one) => `${one.questionId}/${one.name}`).join(', ');
        throw new RatingRefusedError(
          `There is no answer to rate by ${name}. There are: ${known === '' ? 'none' : known}.`,
        );
      }
      if (await this.records.addRating(tx, { itemId: item.id, rater, mark })) continue;
      throw new RatingRefusedError(`${rater} has already rated ${name}; a rating is not changed.`);
    }
  }

  /** The figures of each rubric with criteria, for the version of this model. */
  async figures(tx: Tx, { slug, plan }: PlannedVacancy, model: string): Promise<RubricFigures[]> {
    const found: RubricFigures[] = [];
    for (const rubric of plan.questions.map(rubricOf)) {
      if (rubric.criteria.length === 0) continue;
      const version = versionOf(rubric, model);
      const rated = await this.records.ratedItems(tx, version);
      const criteria = rubric.criteria.map(({ name: criterion }) => {
        const answers = rated
          .filter((item) => item.criterion === criterion)
          .map(({ people, readings }) => ({
            people: new Map(people.map(({ rater, mark }) => [rater, mark])),
            model: readings === null ? null : markOf(criterionResult(readings).result),
          }));
        const agreement = agreementOf(answers);
        return { criterion, agreement, shortcomings: shortcomings(agreement) };
      });
      const fairness = await this.records.fairness(tx, version);
      found.push({
        questionId: rubric.questionId,
        version,
        isCertified: (await this.records.certified(tx, [version.rubricHash])).some((one) =>
          isSame(one, version),
        ),
        criteria,
        fairness: shortcomingOfFairness(fairness?.isPassed, slug),
      });
    }
    return found;
  }

  /** Certifies what its figures allow, and returns all figures. */
  async certify(tx: Tx, vacancy: PlannedVacancy, model: string): Promise<RubricFigures[]> {
    for (const rubric of await this.figures(tx, vacancy, model)) {
      if (refusals(rubric).length > 0) continue;
      await this.records.certify(tx, rubric.version, rubric.criteria);
    }
    return this.figures(tx, vacancy, model);
  }

  private async rowsOfInterview(
    tx: Tx,
    vacancyId: string,
    conversationId: string,
    questions: readonly Question[],
  ): Promise<string[][]> {
    const items = await this.ratings.itemsOf(tx, { id: conversationId, vacancyId }, questions);
    return items.map(({ id, name, rubric, answer }) => [
      id,
      rubric.question,
      name,
      rubricText(rubric, name),
      answer,
      '',
    ]);
  }
}

export interface RubricFigures {
  readonly questionId: string;
  readonly version: ScoreVersion;
  readonly isCertified: boolean;
  readonly criteria: readonly CriterionFigures[];
  /** About the fairness run; empty: it passed. */
  readonly fairness: readonly string[];
}

export interface CriterionFigures {
  readonly criterion: string;
  readonly agreement: Agreement;
  /** Why this criterion does not certify; empty: it does. */
  readonly shortcomings: readonly string[];
}

/** The version by which this rubric is scored with this model. */
export function versionOf(rubric: Rubric, model: string): ScoreVersion {
  return {
    rubricHash: rubricHash(rubric),
    model,
    promptHash: promptHash(PROMPTS.criterion),
  };
}

/** What is needed of a vacancy. */
type PlannedVacancy = Pick<Vacancy, 'slug' | 'plan'>;

/** Why a rubric is not certified now; empty: it can be. */
export function refusals({ criteria, fairness }: RubricFigures): string[] {
  return [
    ...criteria.flatMap(({ criterion, shortcomings: found }) =>
      found.map((one) => `${criterion}: ${one}`),
    ),
    ...fairness,
  ];
}

/** From 1 to 5, or null. */
export function markIn(text: string): number | null {
  return MARKS.find((mark) => String(mark) === text) ?? null;
}

function shortcomingOfFairness(isPassed: boolean | undefined, slug: string): string[] {
  if (isPassed === true) return [];
  return [
    isPassed === undefined
      ? `there is no fairness run of this version: ${COMMAND} fairness run --vacancy ${slug}`
      : 'the fairness run did not pass',
  ];
}

function hashOf(question: Question): string {
  return rubricHash(rubricOf(question));
}

function rubricText(rubric: Rubric, criterion: string): string {
  const anchors = rubric.criteria.find(({ name }) => name === criterion)?.anchors ?? null;
  if (anchors === null) return rubric.text;
  return MARKS.map((mark) => `${String(mark)}: ${anchors[mark]}`).join('\n');
}

const MOST_PROBLEMS = 20;

function listed(problems: readonly string[]): string {
  const more = problems.length - MOST_PROBLEMS;
  const last = more > 0 ? [`… and ${String(more)} more`] : [];
  return [...problems.slice(0, MOST_PROBLEMS), ...last].join('\n');
}

export const RATING_COLUMNS = ['id', 'question', 'criterion', 'rubric', 'answer', 'rating'];
