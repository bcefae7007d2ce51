import type { OutsideFacts, StoredFacts, Violation } from './facts';

/** One Idempotency-Key makes one invitation, and every response to it is about that one. */
export function keysInviteOnce(
  { invitations }: Pick<StoredFacts, 'invitations'>,
  { invited, erased }: Pick<OutsideFacts, 'invited' | 'erased'>,
): Violation[] {
  return invited.flatMap(({ key, candidate, ids, links }) => {
    if (candidate !== null && erased.has(candidate)) return [];
    const stored = invitations.filter((one) => one.key === key).map(({ id }) => id);
    const whats = [
      ...(stored.length > 1 ? [`invited ${String(stored.length)} times`] : []),
      ...(ids.size > 1 || links.size > 1 ? ['got responses about several invitations'] : []),
      ...([...ids].some((id) => !stored.includes(id)) ? ['invited, and that is lost'] : []),
    ];
    return whats.map((what) => ({ rule: 'invitations', what: `key ${key} ${what}` }));
  });
}
