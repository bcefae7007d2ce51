/** Who has an item, as the signed-in person sees it. */
import { colleagueOf } from '../actor';
import { useSession } from '../shell/session';
import type { Item } from './calls';
import { useInboxTexts } from './texts';

type Holder =
  | { kind: 'nobody' }
  | { kind: 'you'; since: string }
  | { kind: 'other'; since: string; name: string; actor: string };

export function holderOf({ claim }: Pick<Item, 'claim'>, ownName: string): Holder {
  if (claim === null) return { kind: 'nobody' };
  const { heldBy, since } = claim;
  const colleague = colleagueOf(heldBy);
  if (colleague === ownName) return { kind: 'you', since };
  return { kind: 'other', since, name: colleague ?? heldBy.replace(/^key /, ''), actor: heldBy };
}

export function useHolder(item: Pick<Item, 'claim'>): Holder {
  const { user } = useSession();
  const { program } = useInboxTexts();
  const holder = holderOf(item, user.name);
  if (holder.kind !== 'other' || colleagueOf(holder.actor) !== null) return holder;
  return { ...holder, name: program(holder.name) };
}
