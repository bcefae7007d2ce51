import { ApiError } from '../api-error';
import type { Cursors } from '../query/paging';
import { readId } from '../state/ids';
import type { PageRecord } from '../state/page-record';
import type { Source } from '../state/source';
import type { WorkspaceState } from '../state/workspace-state';

/** The server's parts that an operation uses. */
export interface CallContext {
  readonly state: WorkspaceState;
  readonly cursors: Cursors;
}

/** A page that the connection may see, trashed or not. */
export function openPage(state: WorkspaceState, given: string): PageRecord {
  const id = readId('path.page_id', given);
  const page = state.pages.get(id);
  if (page === undefined || !state.sourceOf(page).isShared) throw ApiError.notFound('page', id);
  return page;
}

export function openSource(state: WorkspaceState, given: string): Source {
  const id = readId('path.data_source_id', given);
  const source = state.sources.get(id);
  if (source === undefined || !source.isShared) throw ApiError.notFound('data_source', id);
  return source;
}

export function openDatabase(state: WorkspaceState, given: string): Source {
  const id = readId('path.database_id', given);
  const source = [...state.sources.values()].find(({ databaseId }) => databaseId === id);
  if (source === undefined || !source.isShared) throw ApiError.notFound('database', id);
  return source;
}
