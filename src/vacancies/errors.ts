import { ColloquyError } from '../common/errors';

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
