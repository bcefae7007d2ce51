import type { InterviewPlan } from '../hiring';
import type { ConversationRow } from '../persistence';
import { ConsentRequiredError, ConversationClosedError, ProfileRequiredError } from './errors';
import { readState } from './plan';

declare const held: unique symbol;

/** A conversation whose lock this commit has: only `Interviews.hold` makes one. */
export type HeldConversation = ConversationRow & { readonly [held]: true };

/** Nothing is answered in it any more. */
function isClosed({ status }: ConversationRow): boolean {
  return status === 'declined' || status === 'withdrawn';
}

/** Throws ConversationClosedError, ConsentRequiredError or ProfileRequiredError. */
export function assertOpen(conversation: ConversationRow): void {
  if (isClosed(conversation)) {
    throw new ConversationClosedError('this conversation is closed');
  }
  if (conversation.consent?.accepted !== true) {
    throw new ConsentRequiredError('please read and accept the disclosure first');
  }
  if (conversation.status === 'new') {
    throw new ProfileRequiredError('please say who you are first');
  }
}

/** The question that waits for an answer. */
export function questionOf({ plan, state }: ConversationRow): string | null {
  return (plan as InterviewPlan).questions[readState(state).questionIndex]?.id ?? null;
}
