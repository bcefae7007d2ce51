import { ColloquyError } from '../common/errors';

/** There is no item with this id. */
export class AttentionUnknownError extends ColloquyError {
  readonly code = 'attention_unknown';
  readonly retryable = false;
}

/** Somebody closed the item before. */
export class AttentionClosedError extends ColloquyError {
  readonly code = 'attention_closed';
  readonly retryable = false;
}

/** Nothing can be done again for an item of this kind: it can only be closed. */
export class AttentionNotReplayableError extends ColloquyError {
  readonly code = 'attention_not_replayable';
  readonly retryable = false;
}

/** The item is about no conversation: there is nobody to write to, and nothing to return. */
export class AttentionWithoutConversationError extends ColloquyError {
  readonly code = 'attention_without_conversation';
  readonly retryable = false;
}
