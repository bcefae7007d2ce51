import type { Tx } from '../common/uow';

/**
 * Keeps something about people that the interview does not know of: a channel's accounts, its
 * waiting updates, voices. Its methods write or read in the caller's transaction and call nobody.
 */
export interface PersonalDataHolder {
  /** Names it in the export. */
  readonly name: string;
  /** What it keeps about the person, as JSON; undefined where that is nothing. */
  exportOf(tx: Tx, candidateId: string, conversationIds: readonly string[]): Promise<unknown>;
  /**
   * Locks what is locked before a conversation, as all that writes to it does: an account, for one.
   * The first statement of an erasure; without it there is nothing of the kind.
   */
  lock?(tx: Tx, candidateId: string): Promise<void>;
  /**
   * Deletes it under the locks of the conversations, before the conversations and the candidate themselves are deleted. Rows that refer
   * to them by `on delete cascade` need no word here.
   */
  erase(tx: Tx, candidateId: string, conversationIds: readonly string[]): Promise<void>;
}
