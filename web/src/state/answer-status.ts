/** What the conversation waits for, as the page shows it. Pure. */
import type { ConversationState } from './conversation';
import type { OutboxItem } from './outbox';

/**
 * - idle: nothing is expected; the candidate may write;
 * - listening: an answer is being collected;
 * - taking: the answer is complete, or its reply has not begun;
 * - searching: the interviewer searches the company's documents;
 * - away: the interviewer cannot reply now;
 * - writing: a reply streams, and can be stopped;
 * - stopped: the candidate has stopped a reply, and the question is still open;
 * - over: nothing is asked any more.
 */
export type Phase =
  'idle' | 'listening' | 'taking' | 'searching' | 'away' | 'writing' | 'stopped' | 'over';

interface PhaseInput {
  conversation: ConversationState;
  outbox: readonly OutboxItem[];
  isFinishing: boolean;
}

export function phaseOf({ conversation, outbox, isFinishing }: PhaseInput): Phase {
  const { view, reply, isLookingUp } = conversation;
  if (reply !== null && reply.text !== '') return 'writing';
  if (isAway(conversation)) return 'away';
  if (view.replying && isLookingUp) return 'searching';
  if (view.replying) return 'taking';
  if (view.status !== 'active') return 'over';
  if (isFinishing) return 'taking';
  const isOnItsWay = outbox.some(({ state }) => state === 'sending');
  if (view.hasBuffer || isOnItsWay) return 'listening';
  return isStopped(conversation, outbox) ? 'stopped' : 'idle';
}

/** A reply is on its way, and nothing of it is shown. */
export function isThinking(conversation: ConversationState): boolean {
  const { view, reply } = conversation;
  return view.replying && (reply === null || reply.text === '') && !isAway(conversation);
}

/** The notice of an outage came after the last reply, and an answer still waits. */
export function isAway({ view, messages, reply }: ConversationState): boolean {
  if (!view.replying && !view.hasBuffer) return false;
  if (reply !== null && reply.text !== '') return false;
  const lastReply = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages.slice(lastReply + 1).some(({ notice }) => notice === 'interviewer_away');
}

/** The last reply was stopped, and nothing was written since. */
export function isStopped(
  { view, messages }: ConversationState,
  outbox: readonly OutboxItem[],
): boolean {
  const isOpen = view.status === 'active' && view.owner === 'model';
  if (!isOpen || view.replying || view.hasBuffer || outbox.length > 0) return false;
  return messages.at(-1)?.partial === true;
}

/** The open question, unless the end of the transcript shows a reply or that question once more. */
export function questionAbove(
  conversation: ConversationState,
  outbox: readonly OutboxItem[],
): OpenQuestion | null {
  const { reply } = conversation;
  const isWriting = reply !== null && reply.text !== '';
  return isWriting || isStopped(conversation, outbox) ? null : openQuestion(conversation);
}

export interface OpenQuestion {
  /** The message that asks it. */
  messageId: string;
  text: string;
}

/** The message that leaves the open question out. The server knows it, and no model reads it. */
export const SKIP = '/skip';

/** The candidate may skip the open question: nothing is written, attached or expected. */
export function maySkip(
  { attachments, ...input }: PhaseInput & { attachments: readonly unknown[] },
  draft: string,
): boolean {
  const { conversation } = input;
  if (draft.trim() !== '' || attachments.length > 0) return false;
  const isAsked = conversation.view.owner === 'model' && openQuestion(conversation) !== null;
  return isAsked && phaseOf(input) === 'idle';
}

/** The question that waits for an answer; null when the interview asks nothing. */
export function openQuestion({ view, messages }: ConversationState): OpenQuestion | null {
  if (view.status !== 'active') return null;
  const asking = messages.findLast(({ question }) => question !== undefined);
  if (!asking?.question) return null;
  return { messageId: asking.id, text: asking.text.slice(asking.question.start) };
}
