import type { Tx } from '../common/uow';
import { type ConversationRow, type ConversationRepository, coversRating } from '../interview';

/**
 * Why no model may rate an interview, or not any more:
 *   gone        erased, or never there, or a preview
 *   objection   the candidate objected to automated processing
 *   consent     withdrawn, refused, or given to a disclosure that did not speak of a rating
 *   unfinished  not completed
 */
export type NotScorable = 'gone' | 'objection' | 'consent' | 'unfinished';

/**
 * The interview, if a model may rate it now. It stays so until the commit, because its row is locked: what is
 * stored in the commit is there before an erasure, which deletes it, or not at all.
 */
export async function lockScorable(
  tx: Tx,
  conversations: ConversationRepository,
  id: string,
): Promise<ConversationRow | NotScorable> {
  const conversation = await conversations.lock(tx, id);
  if (conversation === undefined || conversation.isPreview) return 'gone';
  if ((await conversations.objectedAt(tx, id)) !== null) return 'objection';
  const { status, consent } = conversation;
  if (status === 'withdrawn' || consent?.accepted !== true) return 'consent';
  if (!coversRating(consent.version)) return 'consent';
  return status === 'completed' ? conversation : 'unfinished';
}
