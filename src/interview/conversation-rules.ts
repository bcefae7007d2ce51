import { ColloquyError } from '../common/errors';
import type { ConversationRow } from './conversation.repository';

/** Throws ConsentGivenError, unless nobody has agreed or the interview is withdrawn already. */
export function assertNotGiven({ consent, status }: ConversationRow): void {
  if (consent?.accepted !== true || status === 'withdrawn') return;
  throw new ConsentGivenError(
    'you have agreed, and the interview has begun; to end it, withdraw; to erase everything, ask to be forgotten',
  );
}

/** Consent was given to a text that is no longer the one in force. */
export class DisclosureOutdatedError extends ColloquyError {
  readonly code = 'disclosure_outdated';
  readonly retryable = false;
}

/** The candidate has agreed and the interview has begun: it ends by withdrawing, which they confirm. */
export class ConsentGivenError extends ColloquyError {
  readonly code = 'consent_given';
  readonly retryable = false;
}

/** The interview is with the model already, so it cannot be returned. */
export class ConversationWithModelError extends ColloquyError {
  readonly code = 'conversation_with_model';
  readonly retryable = false;
}

declare const held: unique symbol;

/** A conversation that this commit has locked; only `InterviewService.lock` returns one. */
export type LockedConversation = ConversationRow & { readonly [held]: true };
