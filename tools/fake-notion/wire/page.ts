import type { PageObjectResponse } from '@notionhq/client';
import { type PageRecord, titleOf, valueIn } from '../state/page-record';
import { type Column, findColumn, optionWithId } from '../state/source';
import type { WorkspaceState } from '../state/workspace-state';
import { minute } from './minute';
import { partialUser, userOrPartial } from './user';

/** The fields of 2026-03-11; the older version adds `archived`. */
export type PageOnWire = Omit<PageObjectResponse, 'archived'>;

type Property = PageObjectResponse['properties'][string];

/** How many people or related pages a page contains; further ones are only in its property's own list. */
const MOST_SHOWN = 25;

/** `only`: names or ids of properties; all of them if none are given. */
export function pageOnWire(
  state: WorkspaceState,
  page: PageRecord,
  only: readonly string[] = [],
): PageOnWire {
  const source = state.sourceOf(page);
  const wanted = only.map((key) => findColumn(source, key));
  const columns = source.columns.filter(
    (column) => only.length === 0 || wanted.includes(column) || column.type === 'title',
  );
  const slug = titleOf(page, source).replaceAll(/[^A-Za-z\d]+/g, '-');
  return {
    object: 'page',
    id: page.id,
    created_time: minute(page.createdAt),
    last_edited_time: minute(page.editedAt),
    created_by: partialUser(page.createdBy),
    last_edited_by: partialUser(page.editedBy),
    cover: null,
    icon: null,
    parent: {
      type: 'data_source_id',
      data_source_id: source.id,
      database_id: source.databaseId,
    },
    in_trash: page.inTrash,
    is_archived: false,
    is_locked: false,
    properties: Object.fromEntries(
      columns.map((column) => [column.name, propertyOnWire(state, page, column)]),
    ),
    url: `https://www.notion.so/${slug}-${page.id.replaceAll('-', '')}`,
    public_url: null,
  };
}

function propertyOnWire(state: WorkspaceState, page: PageRecord, column: Column): Property {
  const { id } = column;
  const value = valueIn(page, column);
  switch (value.type) {
    case 'title':
      return { id, type: 'title', title: [...value.value] };
    case 'rich_text':
      return { id, type: 'rich_text', rich_text: [...value.value] };
    case 'number':
      return { id, type: 'number', number: value.value };
    case 'status':
      return { id, type: 'status', status: chosen(column, value.value) };
    case 'select':
      return { id, type: 'select', select: chosen(column, value.value) };
    case 'date':
      return { id, type: 'date', date: value.value };
    case 'people': {
      // Nothing says that there are more.
      const shown = value.value.slice(0, MOST_SHOWN);
      return { id, type: 'people', people: shown.map((one) => userOrPartial(state, one)) };
    }
    case 'relation': {
      const shown = value.value.slice(0, MOST_SHOWN).map((related) => ({ id: related }));
      // The API returns has_more, although the SDK's type lacks it.
      const more = { has_more: value.value.length > MOST_SHOWN };
      return { id, type: 'relation', relation: shown, ...more };
    }
    case 'checkbox':
      return { id, type: 'checkbox', checkbox: value.value };
    case 'url':
      return { id, type: 'url', url: value.value };
  }
}

function chosen(column: Column, id: string | null) {
  const option = optionWithId(column, id);
  return option === null ? null : { id: option.id, name: option.name, color: option.color };
}
