import type { NotOpen } from '../buffer';
import type { InterviewPlan } from '../vacancies';
import type { ColloquyError } from '../common/errors';
import type { ConversationRow } from '../persistence';
import {
  ConsentRequiredError,
  ConversationClosedError,
  ConversationUnknownError,
  ProfileRequiredError,
} from './errors';
import { readState } from './plan/state';

declare const held: unique symbol;

/** A conversation whose lock this commit has: only `Interviews.hold` makes one. */
export type LockedConversation = ConversationRow & { readonly [held]: true };

/** Nothing is answered in it any more. */
function isClosed({ status }: ConversationRow): boolean {
  return status === 'declined' || status === 'withdrawn';
}

/** Throws ConversationClosedError, ConsentRequiredError or ProfileRequiredError. */
export function assertOpen(conversation: ConversationRow): void {
  if (isClosed(conversation)) throw notOpen('closed');
  if (conversation.consent?.accepted !== true) throw notOpen('consent');
  if (conversation.status === 'new') throw notOpen('profile');
}

/** What the candidate is told of it. */
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
  return (plan as InterviewPlan).questions[readState(state).questionIndex]?.id ?? null;
}
