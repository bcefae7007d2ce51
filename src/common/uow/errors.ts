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

/** The unit's QueryRunner was used outside a commit, when it holds none: a bug. */
export class NoCommitRunningError extends ColloquyError {
  readonly code = 'no_commit_running';
  readonly retryable = false;
}

/** The client of this request has left, and nothing of it was begun. */
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

/** A lock wait or a deadlock at every try, or a slow statement: nothing is stored. */
export class DatabaseBusyError extends ColloquyError {
  readonly code = 'database_busy';
  readonly retryable = true;
}

/** Another transaction stored the same row first: nothing is stored, so the commit runs again and finds it. */
export class WriteConflictError extends DatabaseBusyError {}

/** The database cannot be reached, or went away before COMMIT was sent: nothing is stored. */
export class DatabaseUnavailableError extends ColloquyError {
  readonly code = 'database_unavailable';
  readonly retryable = true;
}

/** The database takes no writes: a standby after a switch-over, or read-only by a setting. Nothing is stored. */
export class DatabaseReadOnlyError extends DatabaseUnavailableError {
  constructor(details: { fields?: { commit: string }; cause?: unknown } = {}) {
    super('the database takes no writes: it is a standby, or read-only', details);
  }
}

/** The connection broke while COMMIT was running: it may be stored, so read before doing it again. */
export class CommitOutcomeUnknownError extends ColloquyError {
  readonly code = 'commit_outcome_unknown';
  readonly retryable = true;
}

/** 40001 serialization, 40P01 deadlock, 55P03 lock timeout: nothing is stored, so it runs again. */
const AGAIN = new Set(['40001', '40P01', '55P03']);

/** `transaction_timeout` of PostgreSQL 17: the transaction took too long, and the server ended its session. */
const TRANSACTION_TIMEOUT = '25P04';
/** 57014, a statement that took too long, and 25P04 are not run again: they would take as long. */
const BUSY = new Set([...AGAIN, '57014', TRANSACTION_TIMEOUT]);

const READ_ONLY = '25006';
/** With these the server says itself that it stored nothing. */
const NOTHING_STORED = /^(25006|25P03|53)/;

/**
 * SQLSTATEs and socket errors of a server that is gone, is shutting down (57P0), is out of resources
 * (53, 58), may no longer write (25006, after a failover), or has ended a session that was idle in
 * its transaction (25P03).
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
/** The last text is TypeORM's, for a connection that broke between two statements. */
const GONE_MESSAGE =
  /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout|Query runner already released/;
const POOL_MESSAGE = /timeout exceeded when trying to connect/;

interface DriverError {
  readonly code?: unknown;
  readonly constraint?: unknown;
  /** The function of PostgreSQL that reports the error. */
  readonly routine?: unknown;
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

/** Another row has these values of a unique index: of any index, or of the one named. */
export function isUniqueViolation(error: unknown, index?: string): boolean {
  if (sqlStateOf(error) !== '23505') return false;
  return index === undefined || driverErrorOf(error).constraint === index;
}

export function isConnectionLost(error: unknown): boolean {
  const { code, message } = driverErrorOf(error);
  if (typeof code === 'string' && (GONE_ERRNO.has(code) || GONE_SQLSTATE.test(code))) return true;
  return typeof message === 'string' && GONE_MESSAGE.test(message);
}

/**
 * A column has another type than when this connection prepared the statement ("cached plan must not
 * change result type", in the server's language). The statement fails on this connection for ever.
 */
export function isStalePlan(error: unknown): boolean {
  return sqlStateOf(error) === '0A000' && driverErrorOf(error).routine === 'RevalidateCachedQuery';
}

/** Whether the connection of a statement with this error is of no more use. */
export function endsConnection(error: unknown): boolean {
  if (error instanceof DatabaseReadOnlyError || isStalePlan(error)) return true;
  return isConnectionLost(error) || sqlStateOf(error) === TRANSACTION_TIMEOUT;
}

/** Whether an error during COMMIT, or of a statement without a transaction, leaves open what is stored. */
export function leavesOutcomeOpen(error: unknown): boolean {
  return isConnectionLost(error) && !NOTHING_STORED.test(sqlStateOf(error) ?? '');
}

/** The error of a commit that got no connection; nothing was begun. */
export function classifyConnecting(error: unknown, label: string): ColloquyError {
  const { message } = driverErrorOf(error);
  const details = { fields: { commit: label }, cause: error };
  return typeof message === 'string' && POOL_MESSAGE.test(message)
    ? new PoolExhaustedError('no database connection became free in time', details)
    : new DatabaseUnavailableError('the database cannot be reached', details);
}

/** The error of a connection that was lost before COMMIT; other errors pass unchanged. */
export function classifyBeforeCommit(error: unknown, label: string): unknown {
  const details = { fields: { commit: label }, cause: error };
  if (sqlStateOf(error) === READ_ONLY) return new DatabaseReadOnlyError(details);
  if (!isConnectionLost(error)) return error;
  return new DatabaseUnavailableError('the database cannot be reached', details);
}

/** The error of a commit whose last try failed. */
export function classifyAfterRetries(error: unknown, label: string): unknown {
  if (!BUSY.has(sqlStateOf(error) ?? '') && !isStalePlan(error)) return error;
  return new DatabaseBusyError('the database is too busy for this commit', {
    fields: { commit: label, sqlState: sqlStateOf(error) ?? null },
    cause: error,
  });
}
