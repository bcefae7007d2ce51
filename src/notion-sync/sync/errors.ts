import { ColloquyError } from '../../common/errors';

/** Nobody does the work of the queue `notion-sync`: the composition is wrong. */
export class BoardRunMissingError extends ColloquyError {
  readonly code = 'board_run_missing';
  readonly retryable = false;
}
