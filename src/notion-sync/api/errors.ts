import { ColloquyError, type ErrorFields } from '../../common/errors';
import { PeerUnavailableError } from '../../jobs';

/** Notion did not answer, or not as Notion does: try again, then give the task back. */
export class NotionUnavailableError extends PeerUnavailableError {
  override readonly code = 'notion_unavailable';
  /** False: the call was never made. */
  readonly mayHaveArrived: boolean;

  constructor(
    message: string,
    options: { mayHaveArrived: boolean; fields?: ErrorFields; cause?: unknown },
  ) {
    super(message, { ...options, mayConcernTaskOnly: options.mayHaveArrived });
    this.mayHaveArrived = options.mayHaveArrived;
  }
}

/** The token is not (or no longer) an integration's: nothing will work until an operator acts. */
export class NotionUnauthorizedError extends PeerUnavailableError {
  override readonly code = 'notion_unauthorized';
}

/** Somebody else changed the same thing at the same time: try again. */
export class NotionConflictError extends ColloquyError {
  readonly code = 'notion_conflict';
  readonly retryable = true;
}

/** The page or data source is gone, or not shared with the integration. */
export class NotionNotFoundError extends ColloquyError {
  readonly code = 'notion_not_found';
  readonly retryable = false;
}

/**
 * This very call will never be taken: a property that is missing or of another type, a right that
 * the integration has not. `fields` name the page or data source and, where known, the property.
 */
export class NotionRefusedError extends ColloquyError {
  readonly code = 'notion_refused';
  readonly retryable = false;
}
