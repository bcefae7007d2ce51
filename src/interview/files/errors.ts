import { ColloquyError } from '../../common/errors';

/** A file without a byte. */
export class FileEmptyError extends ColloquyError {
  readonly code = 'file_empty';
  readonly retryable = false;
}

/** A larger file than is taken. */
export class FileTooLargeError extends ColloquyError {
  readonly code = 'file_too_large';
  readonly retryable = false;
}

/** Its content is none of the types that are taken. */
export class FileTypeError extends ColloquyError {
  readonly code = 'file_type_unsupported';
  readonly retryable = false;
}

/** No such file, or nothing of it is kept. */
export class FileUnknownError extends ColloquyError {
  readonly code = 'file_unknown';
  readonly retryable = false;
}
