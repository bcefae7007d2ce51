import { ApiError } from '../api-error';
import type { Cursors } from '../query/paging';
import { readId } from '../world/ids';
import type { PageRecord } from '../world/page-record';
import type { Source } from '../world/source';
import type { World } from '../world/world';

/** The server's parts that an operation uses. */
export interface CallContext {
  readonly world: World;
  readonly cursors: Cursors;
}

/** A page that the connection may see, trashed or not. */
export function openPage(world: World, given: string): PageRecord {
  const id = readId('path.page_id', given);
  const page = world.pages.get(id);
  if (page === undefined || !world.sourceOf(page).isShared) throw ApiError.notFound('page', id);
  return page;
}

export function openSource(world: World, given: string): Source {
  const id = readId('path.data_source_id', given);
  const source = world.sources.get(id);
  if (source === undefined || !source.isShared) throw ApiError.notFound('data_source', id);
  return source;
}

export function openDatabase(world: World, given: string): Source {
  const id = readId('path.database_id', given);
  const source = [...world.sources.values()].find(({ databaseId }) => databaseId === id);
  if (source === undefined || !source.isShared) throw ApiError.notFound('database', id);
  return source;
}
