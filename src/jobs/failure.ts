import { describeError as describe } from '../common/errors';
import {
  CommitOutcomeUnknownError,
  DatabaseBusyError,
  DatabaseUnavailableError,
  PoolExhaustedError,
} from '../common/uow';

const DESCRIPTION_LIMIT = 500;

/** The database's own trouble, which no task is to blame for. */
export function isDatabaseFailure(error: unknown): boolean {
  return (
    error instanceof DatabaseUnavailableError ||
    error instanceof DatabaseBusyError ||
    error instanceof PoolExhaustedError ||
    error instanceof CommitOutcomeUnknownError
  );
}

/** One line for `task.last_error` and the log; PostgreSQL's text holds no NUL. */
export function describeError(error: unknown): string {
  return describe(error).replaceAll('\0', '').slice(0, DESCRIPTION_LIMIT);
}
