import { ColloquyError } from '../../common/errors';

/** One thing wrong in a document. */
export interface DocumentProblem {
  readonly file: string;
  /** Null: the file as a whole. */
  readonly line: number | null;
  readonly reason: string;
}

/** Documents of a vacancy cannot be used; the message lists every problem, one a line. */
export class DocumentFileError extends ColloquyError {
  readonly code = 'document_file_invalid';
  readonly retryable = false;

  constructor(readonly problems: readonly DocumentProblem[]) {
    super(problems.map(lineOf).join('\n'), { fields: { problems: problems.length } });
  }
}

function lineOf({ file, line, reason }: DocumentProblem): string {
  return line === null ? `${file}: ${reason}` : `${file}:${String(line)}: ${reason}`;
}
