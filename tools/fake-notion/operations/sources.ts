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
  { world }: CallContext,
  { database_id }: GetDatabaseParameters,
): DatabaseOnWire {
  return databaseOnWire(openDatabase(world, database_id));
}

export function getDataSource(
  { world }: CallContext,
  { data_source_id }: GetDataSourceParameters,
): SourceOnWire {
  return sourceOnWire(world, openSource(world, data_source_id));
}

export function updateDataSource(
  { world }: CallContext,
  { data_source_id, properties, title, in_trash }: UpdateDataSourceParameters,
): SourceOnWire {
  const source = openSource(world, data_source_id);
  if (properties !== undefined) {
    const changes = changeColumns(world, source, properties);
    if (changes.length > 0) world.schemaChanged(source, changes, world.bot);
  }
  if (title !== undefined) {
    source.title = title.map((item) => ('text' in item ? item.text.content : '')).join('');
  }
  world.trashSource(source, world.bot, in_trash ?? source.inTrash);
  return sourceOnWire(world, source);
}

type Listed = Omit<QueryDataSourceResponse, 'results'> & {
  readonly results: readonly PageOnWire[];
};

/**
 * Pages in the trash are left out by default; with `in_trash` only they are returned. A query that finds
 * more pages than the limit says so in each batch, and its last batch has `has_more: false`.
 */
export function queryDataSource(
  { world, cursors }: CallContext,
  params: QueryDataSourceParameters,
): Listed {
  const source = openSource(world, params.data_source_id);
  const { filter, sorts = [], filter_properties, result_type } = params;
  const inTrash = params.in_trash ?? false;
  const list = JSON.stringify([source.id, filter, sorts, inTrash, result_type]);
  const found = cursors.list(list, world.version, () => {
    const isAsked = filter === undefined ? () => true : testOf(source, filter);
    const pages = result_type === 'data_source' ? [] : world.pagesIn(source);
    const wanted = pages.filter((page) => page.inTrash === inTrash && isAsked(page));
    return ordered(source, wanted, sorts);
  });
  const given = found.slice(0, world.queryLimit);
  const { results, ...more } = cursors.page(list, given, params);
  return {
    object: 'list',
    type: 'page_or_data_source',
    page_or_data_source: {},
    request_status:
      given.length === found.length
        ? { type: 'complete' }
        : { type: 'incomplete', incomplete_reason: 'query_result_limit_reached' },
    results: results.map((page) => pageOnWire(world, page, filter_properties)),
    ...more,
  };
}
