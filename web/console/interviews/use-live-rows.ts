/** Keeps the loaded pages of the list up to date, row by row: a list of ten thousand rows is never loaded anew. */
import { useEffect, useRef } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { InfiniteData, QueryClient, QueryKey } from '@tanstack/react-query';
import { listInterviews } from '../api/calls';
import type { Interview } from '../api/calls';
import { useLiveChanges } from '../live/live';
import { afterFirstRead, afterRead } from '../live/read-again';
import { interviewsIn } from '../live/team-events';
import { queryOf } from './filters';
import type { Filters } from './filters';
import { NOTHING_HELD, patched, placedIn, released, shortened } from './rows';
import type { Held, Page } from './rows';

/** As many as one request takes. */
const AT_ONCE = 100;
/** So much of a list is loaded anew when somebody comes back to it; the rest when it is scrolled to. */
const PAGES_KEPT = 3;

type Pages = InfiniteData<Page, string | null>;

/** `queryKey`: of the pages. `release` shows what is held back. */
export function useLiveRows(
  filters: Filters,
  queryKey: QueryKey,
): { held: Held; release: () => void } {
  const queries = useQueryClient();
  const last = useRef(Promise.resolve());
  const heldKey = heldKeyOf(queryKey);
  // Beside the pages, because both change together.
  const { data: held } = useQuery<Held>({
    queryKey: heldKey,
    enabled: false,
    initialData: NOTHING_HELD,
    structuralSharing: false,
  });
  const heldNow = (): Held => queries.getQueryData<Held>(heldKey) ?? NOTHING_HELD;
  /** Now, and once more behind a page that is being loaded: it comes with the rows as they were before. */
  const change = (work: () => void): void => {
    work();
    const query = queries.getQueryCache().find({ queryKey });
    if (query?.state.fetchStatus === 'fetching') afterRead(query, work);
  };
  const apply = (asked: readonly string[], fresh: readonly Interview[]): void => {
    change(() => {
      const data = queries.getQueryData<Pages>(queryKey);
      if (data === undefined) return;
      const after = patched(data.pages, heldNow(), { asked, fresh });
      queries.setQueryData<Pages>(queryKey, { ...data, pages: after.pages });
      queries.setQueryData<Held>(heldKey, after.held);
    });
  };
  const read = async (ids: readonly string[]): Promise<void> => {
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const asked = ids.slice(from, from + AT_ONCE);
      const query = { ...queryOf(filters), ids: asked.join(','), limit: AT_ONCE };
      const { items } = await listInterviews(query, new AbortController().signal);
      apply(asked, items);
    }
  };
  /** Something may have been missed: who is new, and the rows that are seen. */
  const readAgain = async (): Promise<void> => {
    const query = { ...queryOf(filters), limit: AT_ONCE };
    const { items } = await listInterviews(query, new AbortController().signal);
    const ids = items.map(({ id }) => id);
    apply(ids, items);
    await read(idsNear().filter((id) => !ids.includes(id)));
  };
  useLiveChanges((changes) => {
    const data = queries.getQueryData<Pages>(queryKey);
    if (data === undefined) {
      // What is being read may be of before.
      const query = queries.getQueryCache().find({ queryKey });
      afterFirstRead(query, () => void readAgain().catch(() => undefined));
      return;
    }
    const ids = changes === null ? null : placedIn(data.pages, interviewsIn(changes));
    // One after the other, so that an older response never comes last. After a failure rows stay as they were; the
    // next change, or the next visit, reads them again.
    last.current = last.current
      .then(() => (ids === null ? readAgain() : read(ids)))
      .catch(() => undefined);
  });
  const key = JSON.stringify(queryKey);
  useEffect(() => () => shorten(queries, JSON.parse(key) as QueryKey), [queries, key]);
  const release = (): void => {
    const before = heldNow();
    change(() => {
      queries.setQueryData<Pages>(queryKey, (data) => {
        return data && { ...data, pages: released(data.pages, before) };
      });
    });
    queries.setQueryData<Held>(heldKey, NOTHING_HELD);
  };
  return { held, release };
}

function heldKeyOf(queryKey: QueryKey): QueryKey {
  return ['held rows', ...queryKey];
}

/** Of a list that somebody has left. Nobody changes its rows then, so that it is read again (`read-again.ts`). */
function shorten(queries: QueryClient, queryKey: QueryKey): void {
  const state = queries.getQueryState<Pages>(queryKey);
  if (state?.data === undefined) return;
  const { pages, pageParams } = state.data;
  const held = queries.getQueryData<Held>(heldKeyOf(queryKey)) ?? NOTHING_HELD;
  const left = {
    pages: shortened(pages, held, PAGES_KEPT),
    pageParams: pageParams.slice(0, PAGES_KEPT),
  };
  queries.setQueryData<Pages>(queryKey, left, { updatedAt: state.dataUpdatedAt });
  queries.setQueryData<Held>(heldKeyOf(queryKey), NOTHING_HELD);
}

/** Of the rows near the window. */
function idsNear(): string[] {
  const shown = [...document.querySelectorAll<HTMLElement>('[data-interview]')];
  return shown.flatMap(({ dataset }) => dataset['interview'] ?? []);
}
