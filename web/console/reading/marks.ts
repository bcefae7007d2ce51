/** Marks of an answer: what is stored, what is changed and not stored yet, and how far two are from each other. */
import type { GivenMark, RatedQuestion } from './calls';

export interface DraftMark {
  /** From 1 to 5; null: not asked; undefined: not given yet. */
  readonly mark?: number | null;
  readonly note?: string;
}

/** By the name of the criterion. */
export type Draft = Readonly<Record<string, DraftMark>>;

export function isRatable({ criteria, evidence }: RatedQuestion): boolean {
  return criteria.length > 0 && evidence.length > 0;
}

/** The own rating can still be given or changed: nothing of others was shown. */
export function isOpen(question: RatedQuestion): boolean {
  return isRatable(question) && !question.isFixed;
}

/** Neither stored nor shut by an export that told the person what others gave. */
export function isToRate(question: RatedQuestion): boolean {
  return isOpen(question) && !question.isRated;
}

/** The draft over what is stored. */
export function shownMark(
  question: RatedQuestion,
  draft: Draft | undefined,
  criterion: string,
): DraftMark {
  const own = question.criteria.find(({ name }) => name === criterion)?.own ?? null;
  const stored: DraftMark = own === null ? {} : { mark: own.mark, note: own.note ?? '' };
  return { ...stored, ...draft?.[criterion] };
}

/** As the API takes them; null: a criterion has no mark yet. */
export function marksOf(question: RatedQuestion, draft: Draft): GivenMark[] | null {
  const marks: GivenMark[] = [];
  for (const { name } of question.criteria) {
    const { mark, note = '' } = shownMark(question, draft, name);
    if (mark === undefined) return null;
    marks.push({ name, mark, note: note.trim() === '' ? null : note.trim() });
  }
  return marks;
}

/** How far another mark is from one's own; null: one of the two is none. Half marks of a model stay halves. */
export function differenceOf(theirs: number | null, own: number | null | undefined): number | null {
  return theirs === null || own == null ? null : Math.round((theirs - own) * 10) / 10;
}
