import type {
  GetDatabaseParameters,
  GetDataSourceParameters,
  QueryDataSourceParameters,
  QueryDataSourceResponse,
  UpdateDataSourceParameters,
} from '@notionhq/client';
import { testOf } from '../query/filter';
import { ordered } from '../query/order';
import { type PageOnWire, pageOnWire } from '../wire/page';
import {
  type DatabaseOnWire,
  databaseOnWire,
  type SourceOnWire,
  sourceOnWire,
} from '../wire/source';
import { type CallContext, openDatabase, openSource } from './context';
import { changeColumns } from './schema-change';

export function getDatabase(
  { state }: CallContext,
  { database_id }: GetDatabaseParameters,
): DatabaseOnWire {
  return databaseOnWire(openDatabase(state, database_id));
}

export function getDataSource(
  { state }: CallContext,
  { data_source_id }: GetDataSourceParameters,
): SourceOnWire {
  return sourceOnWire(state, openSource(state, data_source_id));
}

export function updateDataSource(
  { state }: CallContext,
  { data_source_id, properties, title, in_trash }: UpdateDataSourceParameters,
): SourceOnWire {
  const source = openSource(state, data_source_id);
  if (properties !== undefined) {
    const changes = changeColumns(state, source, properties);
    if (changes.length > 0) state.schemaChanged(source, changes, state.bot);
  }
  if (title !== undefined) {
    source.title = title.map((item) => ('text' in item ? item.text.content : '')).join('');
  }
  state.trashSource(source, state.bot, in_trash ?? source.inTrash);
  return sourceOnWire(state, source);
}

type Listed = Omit<QueryDataSourceResponse, 'results'> & {
  readonly results: readonly PageOnWire[];
};

/**
 * Pages in the trash are left out by default; with `in_trash` only they are returned. A query that finds
 * more pages than the limit says so in each batch, and its last batch has `has_more: false`.
 */
export function queryDataSource(
  { state, cursors }: CallContext,
  params: QueryDataSourceParameters,
): Listed {
  const source = openSource(state, params.data_source_id);
  const { filter, sorts = [], filter_properties, result_type } = params;
  const inTrash = params.in_trash ?? false;
  const list = JSON.stringify([source.id, filter, sorts, inTrash, result_type]);
  const found = cursors.list(list, state.queryVersion, () => {
    const isAsked = filter === undefined ? () => true : testOf(source, filter);
    const pages = result_type === 'data_source' ? [] : state.queriedPagesIn(source);
    const wanted = pages.filter((page) => page.inTrash === inTrash && isAsked(page));
    return ordered(source, wanted, sorts);
  });
  const given = found.slice(0, state.queryLimit);
  const { results, ...more } = cursors.page(list, given, params);
  return {
    object: 'list',
    type: 'page_or_data_source',
    page_or_data_source: {},
    request_status:
      given.length === found.length
        ? { type: 'complete' }
        : { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
    results: results.map((page) => pageOnWire(state, page, filter_properties)),
    ...more,
  };
}
