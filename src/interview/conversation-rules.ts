import { ColloquyError } from '../common/errors';
import type { NotOpen } from '../buffer';
import type { ConversationRow } from './conversation.repository';
import { readState } from './plan/state';

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

/** Its messages get no reply. */
function isClosed({ status }: ConversationRow): boolean {
  return status === 'declined' || status === 'withdrawn';
}

/** Why it takes no message of its candidate; null: it takes them. */
export function whyNotOpen(conversation: ConversationRow): NotOpen | null {
  if (isClosed(conversation)) return 'closed';
  if (conversation.consent?.accepted !== true) return 'consent';
  return conversation.status === 'new' ? 'profile' : null;
}

/** Throws ConversationClosedError, ConsentRequiredError or ProfileRequiredError. */
export function assertOpen(conversation: ConversationRow): void {
  const why = whyNotOpen(conversation);
  if (why !== null) throw notOpen(why);
}

/** Throws ConsentGivenError, unless nobody has agreed or the interview is withdrawn already. */
export function assertNotGiven({ consent, status }: ConversationRow): void {
  if (consent?.accepted !== true || status === 'withdrawn') return;
  throw new ConsentGivenError(
    'you have agreed, and the interview has begun; to end it, withdraw; to erase everything, ask to be forgotten',
  );
}

/** The error that the candidate sees. */
export function notOpen(why: NotOpen): ColloquyError {
  switch (why) {
    case 'unknown':
      return new ConversationUnknownError('there is no such conversation');
    case 'closed':
      return new ConversationClosedError('this conversation is closed');
    case 'consent':
      return new ConsentRequiredError('please read and accept the disclosure first');
    case 'profile':
      return new ProfileRequiredError('please say who you are first');
  }
}

/** The question that waits for an answer. */
export function questionOf({ plan, state }: ConversationRow): string | null {
  return plan.questions[readState(state).questionIndex]?.id ?? null;
}
