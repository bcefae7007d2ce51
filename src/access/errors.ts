import { ColloquyError } from '../common/errors';

/** There is no key of this id or name. */
export class KeyUnknownError extends ColloquyError {
  readonly code = 'key_unknown';
  readonly retryable = false;
}

/** Another key has this name or had it: the audit tells keys apart by their names. */
export class KeyNameTakenError extends ColloquyError {
  readonly code = 'key_name_taken';
  readonly retryable = false;
}

/** The end date has passed, or is more than a year away. */
export class KeyEndInvalidError extends ColloquyError {
  readonly code = 'key_end_invalid';
  readonly retryable = false;
}
