/**
 * What this tab keeps of candidates and of what its person writes about them, and the one place that forgets it: the
 * answers of the server, texts that are not sent, and where the list of interviews was left. What the browser keeps
 * for longer names no candidate: drafts of vacancies, keys of imports, and choices such as the colours.
 */
import type { Query, QueryClient } from '@tanstack/react-query';
import { forgetDrafts, forgetDraftsOf } from './inbox/drafts';
import { markDrafts, textDrafts } from './reading/drafts';
import { forgetInList, forgetList } from './reading/kept-list';
import { leaveGuard } from './shell/leave-guard';

/** The queries that have rows of many people, by the first part of their keys. */
const LISTS = new Set([
  ...['interviews', 'held rows', 'attention', 'invitations', 'imports'],
  ...['candidates', 'audit'],
]);

/** Of a candidate who was erased, and of these interviews of theirs. Lists that are shown are read again. */
export function forgetInterviews(queries: QueryClient, ids: readonly string[]): void {
  const isOfThem = ({ queryKey }: Query): boolean => ids.some((id) => queryKey[1] === id);
  queries.removeQueries({ predicate: isOfThem });
  const isList = ({ queryKey }: Query): boolean => LISTS.has(String(queryKey[0]));
  queries.removeQueries({ predicate: isList, type: 'inactive' });
  void queries.invalidateQueries({ predicate: isList });
  for (const id of ids) {
    markDrafts.dropOf(id);
    textDrafts.dropOf(id);
    forgetDraftsOf(id);
    forgetInList(id);
  }
}

/** Everything of whoever was signed in here. */
export function forgetPerson(queries: QueryClient): void {
  queries.clear();
  markDrafts.clear();
  textDrafts.clear();
  forgetDrafts();
  forgetList();
}

/** Opens the console anew by `go`, so that nothing of the person stays in memory. Nothing asks before it. */
export function openAnew(queries: QueryClient, go: () => void): void {
  leaveGuard.letGo();
  forgetPerson(queries);
  go();
}
