import type { ColloquyError } from '../errors';
import { DatabaseBusyError, DatabaseUnavailableError, PoolExhaustedError } from './errors';

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
