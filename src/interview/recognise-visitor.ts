import type { Candidates } from '../accounts';
import type { Tx } from '../common/uow';
import type { FoundInvite } from '../hiring';
import type { Conversations } from '../persistence';

/**
 * Somebody who came by an open link opens an invitation: what they have begun without one is the
 * invited candidate's from now on. Of whoever was invited themselves nothing changes.
 */
export async function recogniseVisitor(
  tx: Tx,
  {
    visitor,
    invite,
  }: { visitor: string | null; invite: Exclude<FoundInvite, { state: 'unknown' }> },
  conversations: Conversations,
  candidates: Candidates,
): Promise<void> {
  if (visitor === null || invite.kind === 'open') return;
  if (invite.invitation.candidateId === visitor) return;
  if (!(await candidates.isVisitor(tx, visitor))) return;
  await conversations.moveToCandidate(tx, visitor, invite.invitation.candidateId);
  await candidates.delete(tx, visitor);
}
