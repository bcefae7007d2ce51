import { ColloquyError } from '../common/errors';

/**
 * What a vacancy asks and how it is judged. These shapes are stored as JSON (`vacancy.plan`, and a
 * copy in `conversation.plan`, so that a running conversation keeps the plan it started with).
 * Plain data: no behaviour here.
 */
export type Language = 'ru' | 'en';

export interface Question {
  /** Unique in its plan; stable across imports, because scores and statistics refer to it. */
  readonly id: string;
  /** Asked word for word. */
  readonly text: string;
  /** Is asked, or marked as not asked, whatever turn the conversation takes. */
  readonly mustAsk: boolean;
  /** A `knockout` asks for a hard condition of the job. A person decides on it, never the code. */
  readonly kind: 'open' | 'knockout';
  /** What a good answer has. For the scorer and the model; a candidate never sees it. */
  readonly rubric: string;
  /** How the model may ask once more after a vague answer. */
  readonly followUp?: string;
}

export interface InterviewPlan {
  readonly greeting: string;
  readonly closing: string;
  readonly questions: readonly Question[];
}

/** Who answers for the vacancy, and on whose Notion board its review jobs appear. */
export interface VacancyOwner {
  readonly name: string;
  readonly notionUserId: string;
}

/** A vacancy as its author writes it, before it has a row. */
export interface VacancyDraft {
  readonly slug: string;
  readonly language: Language;
  readonly title: string;
  readonly company: string;
  readonly owner: VacancyOwner;
  readonly plan: InterviewPlan;
  /**
   * Its documents, as paths from the file's folder. Only in a draft that was read from a file: they
   * are no part of the vacancy's row, and not this capability's.
   */
  readonly knowledge?: readonly string[];
}

export interface Vacancy extends VacancyDraft {
  readonly id: string;
  /** The secret part of the open candidate link; the same for as long as the vacancy exists. */
  readonly openToken: string;
}

/** One thing wrong in a vacancy file, where its author finds it. */
export interface VacancyProblem {
  readonly line: number;
  /** E.g. `questions[3].text`; empty where the file as a whole is meant. */
  readonly path: string;
  readonly reason: string;
}

/** A vacancy file cannot be used; the message lists every problem, one a line. */
export class VacancyFileError extends ColloquyError {
  readonly code = 'vacancy_file_invalid';
  readonly retryable = false;

  constructor(
    readonly file: string,
    readonly problems: readonly VacancyProblem[],
  ) {
    super(problems.map((problem) => lineOf(file, problem)).join('\n'), {
      fields: { file, problems: problems.length },
    });
  }
}

function lineOf(file: string, { line, path, reason }: VacancyProblem): string {
  const place = `${file}:${String(line)}: `;
  return path === '' ? `${place}${reason}` : `${place}${path}: ${reason}`;
}

/** A vacancy file cannot be read at all. */
export class VacancyFileUnreadableError extends ColloquyError {
  readonly code = 'vacancy_file_unreadable';
  readonly retryable = false;
}

/** No vacancy has this slug. */
export class VacancyUnknownError extends ColloquyError {
  readonly code = 'vacancy_unknown';
  readonly retryable = false;
}

/** Another live invitation has this PIN: nothing is stored, and another PIN will do. */
export class PinTakenError extends ColloquyError {
  readonly code = 'pin_taken';
  readonly retryable = true;
}
