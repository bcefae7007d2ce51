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

/** 40001 serialization, 40P01 deadlock, 55P03 lock timeout: nothing is stored, do it again. */
const AGAIN = new Set(['40001', '40P01', '55P03']);

/** A statement that took too long: it would again. */
const BUSY = new Set([...AGAIN, '57014']);

/**
 * SQLSTATEs and socket errors that mean: the server is gone, going, out of its means (53, 58), no
 * longer the one that may write (25006, after a failover), or has ended a session that stood still
 * in its transaction (25P03).
 */
const GONE_SQLSTATE = /^(08|53|57P0|58|25006|25P03)/;
const GONE_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
]);
/** The last one is TypeORM's: its connection broke between two statements. */
const GONE_MESSAGE =
  /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout|Query runner already released/;
const POOL_MESSAGE = /timeout exceeded when trying to connect/;

interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
}

function driverErrorOf(error: unknown): DriverError {
  if (typeof error !== 'object' || error === null) return {};
  const inner: unknown = 'driverError' in error ? error.driverError : undefined;
  return typeof inner === 'object' && inner !== null ? inner : error;
}

/** The SQLSTATE (or socket errno) of a driver error, if it has one. */
export function sqlStateOf(error: unknown): string | undefined {
  const { code } = driverErrorOf(error);
  return typeof code === 'string' ? code : undefined;
}

export function isRetryableSqlState(error: unknown): boolean {
  return AGAIN.has(sqlStateOf(error) ?? '');
}

export function isConnectionLost(error: unknown): boolean {
  const { code, message } = driverErrorOf(error);
  if (typeof code === 'string' && (GONE_ERRNO.has(code) || GONE_SQLSTATE.test(code))) return true;
  return typeof message === 'string' && GONE_MESSAGE.test(message);
}

/** What a failure to get a connection means: whatever the reason, nothing was begun. */
export function classifyConnecting(error: unknown, label: string): ColloquyError {
  const { message } = driverErrorOf(error);
  const details = { fields: { commit: label }, cause: error };
  return typeof message === 'string' && POOL_MESSAGE.test(message)
    ? new PoolExhaustedError('no database connection became free in time', details)
    : new DatabaseUnavailableError('the database cannot be reached', details);
}

/** What a failure before COMMIT means to the caller; anything else passes through unchanged. */
export function classifyBeforeCommit(error: unknown, label: string): unknown {
  if (!isConnectionLost(error)) return error;
  return new DatabaseUnavailableError('the database cannot be reached', {
    fields: { commit: label },
    cause: error,
  });
}

/** The last failure of a commit that was tried in vain. */
export function classifyAfterRetries(error: unknown, label: string): unknown {
  if (!BUSY.has(sqlStateOf(error) ?? '')) return error;
  return new DatabaseBusyError('the database is too busy for this commit', {
    fields: { commit: label, sqlState: sqlStateOf(error) ?? null },
    cause: error,
  });
}
