/** Reading again what the team's stream tells of. */
import type { Query, QueryClient } from '@tanstack/react-query';
import { isAffected } from './team-events';
import type { TeamChange } from './team-events';

/** A query whose rows are changed one by one where they are shown (`useLiveRows`); it is not read again for them there. */
export const IS_PATCHED = { isPatched: true } as const;

/** What an event concerns is read again, where it is shown; the rest when it is shown next. */
export function readAgain(queries: QueryClient, changes: readonly TeamChange[] | null): void {
  const isPatchedThere = (query: Query): boolean =>
    query.meta?.['isPatched'] === true && query.getObserversCount() > 0;
  const meant = queries.getQueryCache().findAll({
    predicate: (query) => isAffected(query.queryKey, changes) && !isPatchedThere(query),
  });
  for (const query of meant) {
    const { queryKey } = query;
    const again = (): void => {
      void queries.invalidateQueries({ queryKey, exact: true }, { cancelRefetch: false });
    };
    // A read that is under way goes on, and may be of before the change: in a busy hour none would end otherwise.
    if (query.state.fetchStatus === 'fetching') onceAfterRead(query, again);
    else again();
  }
}

/** The queries that are read once more after the read that is under way. */
const repeated = new WeakSet<Query>();

function onceAfterRead(query: Query, again: () => void): void {
  if (repeated.has(query)) return;
  repeated.add(query);
  const end = (): void => void repeated.delete(query);
  afterRead(
    query,
    () => {
      end();
      again();
    },
    end,
  );
}

/** Calls `then` when a query that is being read for the first time has been read; for others it does nothing. */
export function afterFirstRead(query: Query | undefined, then: () => void): void {
  if (query !== undefined && query.state.data === undefined) afterRead(query, then);
}

/** Calls `then` when the request of the query that is under way has succeeded and is stored, or else `failed`. */
export function afterRead(
  query: Query,
  then: () => void,
  failed: () => void = () => undefined,
): void {
  query.promise?.then(() => setTimeout(then, 0), failed);
}
