import { ColloquyError } from '../common/errors';

export class ConversationUnknownError extends ColloquyError {
  readonly code = 'conversation_unknown';
  readonly retryable = false;
}

/** The conversation takes no more messages: declined or withdrawn. */
export class ConversationClosedError extends ColloquyError {
  readonly code = 'conversation_closed';
  readonly retryable = false;
}

export class ConsentRequiredError extends ColloquyError {
  readonly code = 'consent_required';
  readonly retryable = false;
}

/** Name or contact are not known yet. */
export class ProfileRequiredError extends ColloquyError {
  readonly code = 'profile_required';
  readonly retryable = false;
}

/** Consent was given to a text that is no longer the one in force. */
export class DisclosureOutdatedError extends ColloquyError {
  readonly code = 'disclosure_outdated';
  readonly retryable = false;
}

/** There is nothing to return: the interview goes on. */
export class ConversationWithModelError extends ColloquyError {
  readonly code = 'conversation_with_model';
  readonly retryable = false;
}
