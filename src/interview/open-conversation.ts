import type { ConversationRow } from '../persistence';
import { ConsentRequiredError, ConversationClosedError, ProfileRequiredError } from './errors';

/** Nothing is answered in it any more. */
export function isClosed({ status }: ConversationRow): boolean {
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
