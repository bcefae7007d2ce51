import { sha256 } from '../common/ids';
import type { Question } from './vacancy';

/** What the scorer looks for in the answer to one question. */
export interface Rubric {
  readonly questionId: string;
  readonly question: string;
  /** The rubric as text. */
  readonly text: string;
  readonly criteria: readonly RubricCriterion[];
  readonly facts: readonly KnockOutFact[];
}

/**
 * The rubric of a question. A rubric as text is one criterion. A knockout question has facts and no
 * criterion. One that was imported before its facts were required has one fact, which stands for a yes to
 * the question itself. A question with `scored: false` has only the
 * facts that it lists.
 */
export function rubricOf(question: Question): Rubric {
  const { id: questionId, text, kind, rubric, criteria, isScored = true } = question;
  const isRated = kind === 'open' && isScored;
  const whole = [{ name: WHOLE_ANSWER, weight: 100, anchors: null }];
  return {
    questionId,
    question: text,
    text: rubric,
    criteria: isRated ? (criteria ?? whole) : [],
    facts: question.knockOut ?? (kind === 'knockout' ? [{ name: CONDITION, fact: rubric }] : []),
  };
}

/** The name of the only criterion of a rubric that is one text. */
export const WHOLE_ANSWER = 'answer';
/** The name of the fact of a knockout question that lists none. Its text is the rubric, which is no statement. */
export const CONDITION = 'condition';

/** A criterion without anchors stands for a rubric that is one text; its mark is read from the text. */
export type RubricCriterion = Omit<Criterion, 'anchors'> & {
  readonly anchors: Criterion['anchors'] | null;
};

/** The marks of a score, from the weakest to the strongest. */
export const MARKS = [1, 2, 3, 4, 5] as const;
export type Mark = (typeof MARKS)[number];

/** One thing that a question's answer is rated by. */
export interface Criterion {
  /** Unique in its question. */
  readonly name: string;
  /** Percent of the question's score; the weights of a question add up to 100. */
  readonly weight: number;
  /** What an answer with each mark shows. */
  readonly anchors: Readonly<Record<Mark, string>>;
}

/**
 * A condition that an answer states or not: yes, no, with conditions, or unclear. Never a score, never a
 * rejection.
 */
export interface KnockOutFact {
  /** Unique in its question. */
  readonly name: string;
  /** The statement that is true or false, e.g. "The candidate may work in Ireland". */
  readonly fact: string;
}

/**
 * The canonical form: JSON with its keys in this order, in Unicode NFC. Whatever changes it changes
 * what an answer is rated by: also the wording of the question.
 */
export function canonicalRubric({ questionId, question, text, criteria, facts }: Rubric): string {
  const ordered = {
    questionId,
    question,
    text,
    criteria: criteria.map(({ name, weight, anchors }) => ({
      name,
      weight,
      anchors: anchors === null ? null : MARKS.map((mark) => anchors[mark]),
    })),
    facts: facts.map(({ name, fact }) => ({ name, fact })),
  };
  return JSON.stringify(ordered).normalize('NFC');
}

/** SHA-256 of the canonical form, as hex. */
export function rubricHash(rubric: Rubric): string {
  return sha256(canonicalRubric(rubric));
}

/** Criteria as text, for readers that know a rubric only as text. */
export function textOfCriteria(criteria: readonly Criterion[]): string {
  return criteria
    .map(({ name, weight, anchors }) => {
      const marks = MARKS.map((mark) => `${String(mark)}: ${anchors[mark]}`).join(' ');
      return `${name} (${String(weight)} %). ${marks}`;
    })
    .join('\n');
}
