import type {
  CreatePageParameters,
  GetPageParameters,
  GetPagePropertyParameters,
  UpdatePageParameters,
} from '@notionhq/client';
import { ApiError } from '../api-error';
import { columnFor } from '../query/filter';
import { type PageOnWire, pageOnWire } from '../wire/page';
import { userOrPartial } from '../wire/user';
import { valueIn } from '../state/page-record';
import { type CallContext, openDatabase, openPage, openSource } from './context';
import { readProperties } from './property-input';

export function createPage({ state }: CallContext, params: CreatePageParameters): PageOnWire {
  refuseUnbuilt(params, ['parent', 'properties', 'filter_properties']);
  const { parent } = params;
  if (parent === undefined || !('data_source_id' in parent || 'database_id' in parent)) {
    throw notBuilt('pages outside of a data source');
  }
  const source =
    'data_source_id' in parent
      ? openSource(state, parent.data_source_id)
      : openDatabase(state, parent.database_id);
  if (source.inTrash) throw ApiError.validation("Can't create a page in a trashed data source.");
  const values = readProperties(state, source, params.properties ?? {});
  return pageOnWire(state, state.addPage(source, values, state.bot), params.filter_properties);
}

export function getPage(
  { state }: CallContext,
  { page_id, filter_properties }: GetPageParameters,
): PageOnWire {
  return pageOnWire(state, openPage(state, page_id), filter_properties);
}

export function updatePage({ state }: CallContext, params: UpdatePageParameters): PageOnWire {
  refuseUnbuilt(params, ['page_id', 'properties', 'in_trash', 'filter_properties']);
  const page = openPage(state, params.page_id);
  const inTrash = params.in_trash ?? page.inTrash;
  if (page.inTrash && inTrash) {
    throw ApiError.validation(
      "Can't edit block that is archived. You must unarchive the block before editing.",
    );
  }
  const values = readProperties(state, state.sourceOf(page), params.properties ?? {});
  state.trashPage(page, state.bot, inTrash);
  state.editPage(page, values, state.bot);
  return pageOnWire(state, page, params.filter_properties);
}

/** The properties of which a page contains only the first 25 entries. */
export function getPageProperty(
  { state, cursors }: CallContext,
  params: GetPagePropertyParameters,
): object {
  const page = openPage(state, params.page_id);
  const column = columnFor(state.sourceOf(page), decodeURIComponent(params.property_id));
  const { id, type } = column;
  const value = valueIn(page, column);
  const one = { object: 'property_item', id, type } as const;
  if (value.type === 'people' || value.type === 'relation') {
    const item = (entry: string): object =>
      value.type === 'people' ? userOrPartial(state, entry) : { id: entry };
    const list = `${page.id} ${id}`;
    const { results, ...more } = cursors.page(list, value.value, params);
    return {
      object: 'list',
      type: 'property_item',
      property_item: { id, type, [type]: {}, next_url: null },
      results: results.map((entry) => ({ ...one, [type]: item(entry) })),
      ...more,
    };
  }
  const shown = pageOnWire(state, page).properties[column.name];
  return { ...shown, ...one };
}

function refuseUnbuilt(params: object, built: readonly string[]): void {
  const other = Object.keys(params).find((name) => !built.includes(name));
  if (other !== undefined) throw notBuilt(other);
}

function notBuilt(what: string): ApiError {
  return new ApiError(501, 'invalid_request', `this test server has no ${what}`);
}
