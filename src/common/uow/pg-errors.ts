import { DatabaseUnavailableError, PoolExhaustedError } from './errors';

/** 40001 serialization, 40P01 deadlock, 55P03 lock timeout: nothing is stored, do it again. */
const AGAIN = new Set(['40001', '40P01', '55P03']);

/** Classes of SQLSTATE and of socket errors that mean: the server is gone or going. */
const GONE_SQLSTATE = /^(08|57P0|53300)/;
const GONE_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
]);
const GONE_MESSAGE =
  /Connection terminated|Client has encountered a connection error|not queryable|Query read timeout/;
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

/** What a failure before COMMIT means to the caller; anything else passes through unchanged. */
export function classifyBeforeCommit(error: unknown, label: string): unknown {
  const { message } = driverErrorOf(error);
  if (typeof message === 'string' && POOL_MESSAGE.test(message)) {
    return new PoolExhaustedError('no database connection became free in time', {
      fields: { commit: label },
      cause: error,
    });
  }
  if (!isConnectionLost(error)) return error;
  return new DatabaseUnavailableError('the database cannot be reached', {
    fields: { commit: label },
    cause: error,
  });
}
