import {
  ModelAbortedError,
  ModelFailure,
  type ModelFailureKind,
  ModelUnavailableError,
} from './errors';

/**
 * How an attempt ended, in the ledger's words. `stopped`: by the candidate. `aborted`: by a drain
 * or a lost lease. `error`: ours. Until it is settled a row says `sent`: the process may have died.
 */
export type AttemptOutcome =
  'ok' | 'stopped' | 'aborted' | 'unavailable' | 'error' | ModelFailureKind;

/** What a thrown error means for the attempt. */
export function outcomeOf(error: unknown): AttemptOutcome {
  if (error instanceof ModelFailure) return error.kind;
  if (error instanceof ModelUnavailableError) return 'unavailable';
  return error instanceof ModelAbortedError ? 'aborted' : 'error';
}
