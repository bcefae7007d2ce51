/** How many items wait in the inbox. The team's stream keeps it up to date. */
import { useQuery } from '@tanstack/react-query';
import { mayUseInbox, useSession } from '../shell/session';
import { listItems } from './calls';

/** More are not counted. */
export const MOST_COUNTED = 99;

/** Up to one more than are counted; null: it is not known, or the person has no inbox. */
export function useWaitingCount(): number | null {
  const { data } = useQuery({
    queryKey: ['attention', 'count'],
    queryFn: async ({ signal }) => {
      const { items } = await listItems({ state: 'open', limit: MOST_COUNTED + 1 }, signal);
      return items.length;
    },
    enabled: mayUseInbox(useSession()),
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  return data ?? null;
}
