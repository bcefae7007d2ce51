/** Who waits for a person, in the order in which they were shown first: a row stays until it may move. */
import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { Interview } from '../api/calls';
import { listWaiting } from './calls';
import { keptInPlace } from './rows';
import type { ShownRow } from './rows';

const NONE: readonly Interview[] = [];
const NO_ROWS: readonly ShownRow[] = [];

interface Waiting {
  /** Nothing is known yet. */
  isPending: boolean;
  rows: readonly ShownRow[];
  /** In all. */
  count: number;
  /** Rows that come or go when they may. */
  moved: number;
  release: () => void;
}

/** `isShown` false: the filters are about something else. */
export function useWaiting(vacancy: string | null, isShown: boolean): Waiting {
  const { data, isPending } = useQuery({
    queryKey: ['interviews', 'waiting', vacancy],
    queryFn: ({ signal }) => listWaiting(vacancy, signal),
    enabled: isShown,
    refetchOnReconnect: false,
  });
  const fresh = data?.items ?? NONE;
  const [kept, setKept] = useState<{ of: string | null; items: readonly Interview[] } | null>(null);
  const isKnown = kept !== null && kept.of === vacancy;
  if (data !== undefined && !isKnown) setKept({ of: vacancy, items: data.items });
  const { rows, moved } = keptInPlace(isKnown ? kept.items : fresh, fresh);
  const release = (): void => setKept({ of: vacancy, items: fresh });
  if (!isShown) return { isPending: false, rows: NO_ROWS, count: 0, moved: 0, release };
  return { isPending, rows, count: data?.count ?? 0, moved, release };
}
