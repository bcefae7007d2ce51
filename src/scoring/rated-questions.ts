import type { RatedQuestion } from '../common/events';
import { textIn } from '../interview';
import { type InterviewPlan, type Language, MARKS, rubricHash, rubricOf } from '../vacancies';
import type { PersonRating, RatingItem } from './calibration.repository';
import type { Quote } from './evidence';
import { inputHashOf, itemsOf } from './score-request';
import type { AnswersByQuestion } from './scoring.repository';

/** A question whose answer people can rate as it is now. */
export interface Ratable {
  readonly questionId: string;
  readonly criteria: readonly string[];
  /** The item is this very answer, by one of the criteria. */
  readonly has: (item: RatingItem) => boolean;
}

export function ratableIn(plan: InterviewPlan, answers: AnswersByQuestion): Ratable[] {
  return plan.questions.flatMap((question) => {
    const rubric = rubricOf(question);
    const messages = answers.get(question.id) ?? [];
    if (messages.length === 0 || rubric.criteria.length === 0) return [];
    const items = itemsOf(rubric).filter(({ kind }) => kind === 'criterion');
    const hashes = new Map(items.map((item) => [item.name, inputHashOf(item, messages)]));
    const hash = rubricHash(rubric);
    const has = (one: RatingItem): boolean =>
      one.questionId === question.id &&
      one.rubricHash === hash &&
      hashes.get(one.criterion) === one.inputHash;
    return [{ questionId: question.id, criteria: [...hashes.keys()], has }];
  });
}

export function isOwn({ rater }: PersonRating, reviewer: string): boolean {
  return rater.toLowerCase() === reviewer.toLowerCase();
}

/** By each criterion. */
export function isRatedBy(
  { criteria, has }: Ratable,
  ratings: readonly PersonRating[],
  reviewer: string,
): boolean {
  const own = ratings.filter((one) => has(one) && isOwn(one, reviewer));
  return criteria.every((name) => own.some(({ criterion }) => criterion === name));
}

/** What is known when the questions are shown to `reviewer`. */
interface View {
  readonly language: Language;
  readonly answers: AnswersByQuestion;
  /** By question: what a scoring quotes of the answer as it is now. */
  readonly quotes: ReadonlyMap<string, readonly Quote[]>;
  readonly ratings: readonly PersonRating[];
  readonly reviewer: string;
  /** What was disclosed to the reviewer, who rates it no more. */
  readonly disclosed: readonly RatingItem[];
  /** Ids of the questions that are fixed from now on. */
  readonly justFixed: readonly string[];
}

/**
 * All questions of the plan. Before the reviewer has rated one, what is shown of it is the same whoever else has
 * rated it: it does not even tell that somebody has.
 */
export function ratedQuestions(
  plan: InterviewPlan,
  ratable: readonly Ratable[],
  view: View,
): RatedQuestion[] {
  const { language, ratings, reviewer, disclosed, justFixed } = view;
  return plan.questions.map((question) => {
    const found = ratable.find(({ questionId }) => questionId === question.id);
    const current = ratings.filter((one) => found?.has(one));
    const own = current.filter((one) => isOwn(one, reviewer));
    const isRated = found !== undefined && isRatedBy(found, ratings, reviewer);
    const others = isRated ? current.filter((one) => !isOwn(one, reviewer)) : [];
    return {
      id: question.id,
      text: textIn(question, language),
      rubric: question.rubric,
      evidence: evidenceOf(question.id, view),
      criteria: rubricOf(question).criteria.map(({ name, weight, anchors }) => {
        const mine = own.find(({ criterion }) => criterion === name) ?? null;
        return {
          ...{ name, weight },
          anchors: anchors === null ? null : MARKS.map((mark) => anchors[mark]),
          own: mine && storedMark(mine),
          others: others
            .filter(({ criterion }) => criterion === name)
            .toSorted(byName)
            .map((one) => ({
              ...{ by: one.rater, ...storedMark(one) },
              difference: differenceOf(one.mark, mine?.mark ?? null),
            })),
        };
      }),
      isRated,
      isFixed:
        justFixed.includes(question.id) ||
        own.some(({ fixedAt }) => fixedAt !== null) ||
        disclosed.some((item) => found?.has(item)),
    };
  });
}

/**
 * The passages of all criteria together: which of them supports which criterion would tell what the model
 * found. Where nothing is quoted, the whole answer is to be read, as without scoring.
 */
function evidenceOf(questionId: string, { answers, quotes }: View): Quote[] {
  const messages = answers.get(questionId) ?? [];
  const placeOf = ({ messageId }: Quote): number =>
    messages.findIndex(({ id }) => id === messageId);
  const quoted = (quotes.get(questionId) ?? [])
    .filter((quote) => placeOf(quote) !== -1)
    .toSorted((a, b) => placeOf(a) - placeOf(b) || a.start - b.start || a.end - b.end);
  if (quoted.length > 0) return quoted;
  return messages.map(({ id, text }) => ({ messageId: id, start: 0, end: text.length }));
}

function storedMark({ mark, note, ratedAt }: PersonRating) {
  return { mark, note, ratedAt };
}

function differenceOf(theirs: number | null, own: number | null): number | null {
  return theirs === null || own === null ? null : theirs - own;
}

/** Neither who rated first nor what they gave decides the order. */
function byName(one: PersonRating, other: PersonRating): number {
  return one.rater.toLowerCase() < other.rater.toLowerCase() ? -1 : 1;
}
