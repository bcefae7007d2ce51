import { ColloquyError } from '../errors';

/** A second commit while one runs, or any commit or unit opened inside a commit: a bug. */
export class UnitOfWorkBusyError extends ColloquyError {
  readonly code = 'unit_of_work_busy';
  readonly retryable = false;
}

/** A commit after close(): a bug. */
export class UnitOfWorkClosedError extends ColloquyError {
  readonly code = 'unit_of_work_closed';
  readonly retryable = false;
}

/** Nobody waits for the answer of this request any more, and nothing of it was begun. */
export class RequestGoneError extends ColloquyError {
  readonly code = 'request_gone';
  readonly retryable = false;
}

/** Something remote was called between begin and commit: a bug. */
export class RemoteCallInCommitError extends ColloquyError {
  readonly code = 'remote_call_in_commit';
  readonly retryable = false;
}

/** A statement failed and the work went on: COMMIT would silently roll back. A bug. */
export class SwallowedQueryError extends ColloquyError {
  readonly code = 'swallowed_query_error';
  readonly retryable = false;
}

/** A commit of one statement had another: without a transaction the first is stored. A bug. */
export class SecondStatementError extends ColloquyError {
  readonly code = 'second_statement';
  readonly retryable = false;
}

/** No pooled connection became free in time. */
export class PoolExhaustedError extends ColloquyError {
  readonly code = 'pool_exhausted';
  readonly retryable = true;
}

/** A lock, a deadlock or a slow statement, each time it was tried: nothing is stored. */
export class DatabaseBusyError extends ColloquyError {
  readonly code = 'database_busy';
  readonly retryable = true;
}

/** The database cannot be reached, or went away before COMMIT was sent: nothing is stored. */
export class DatabaseUnavailableError extends ColloquyError {
  readonly code = 'database_unavailable';
  readonly retryable = true;
}

/** The connection broke while COMMIT was under way: read back before doing it again. */
export class CommitOutcomeUnknownError extends ColloquyError {
  readonly code = 'commit_outcome_unknown';
  readonly retryable = true;
}
