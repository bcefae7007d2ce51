import type { DatabaseObjectResponse, DataSourceObjectResponse } from '@notionhq/client';
import type { Column, Source } from '../state/source';
import { plainText } from '../state/values';
import type { WorkspaceState } from '../state/workspace-state';
import { minute } from './minute';
import { partialUser } from './user';

/** The fields of 2026-03-11; the older version adds `archived`. */
export type SourceOnWire = Omit<DataSourceObjectResponse, 'archived'>;
export type DatabaseOnWire = Omit<DatabaseObjectResponse, 'archived'>;

type Property = DataSourceObjectResponse['properties'][string];

export function sourceOnWire(state: WorkspaceState, source: Source): SourceOnWire {
  const described = source.columns.map((column) => [column.name, columnOnWire(state, column)]);
  return {
    object: 'data_source',
    id: source.id,
    title: [plainText(source.title)],
    description: [],
    parent: { type: 'database_id', database_id: source.databaseId },
    database_parent: { type: 'workspace', workspace: true },
    is_inline: false,
    in_trash: source.inTrash,
    created_time: minute(source.createdAt),
    last_edited_time: minute(source.editedAt),
    created_by: partialUser(source.createdBy),
    last_edited_by: partialUser(source.editedBy),
    properties: Object.fromEntries(described) as Record<string, Property>,
    icon: null,
    cover: null,
    url: urlOf(source),
    public_url: null,
  };
}

export function databaseOnWire(source: Source): DatabaseOnWire {
  return {
    object: 'database',
    id: source.databaseId,
    title: [plainText(source.title)],
    description: [],
    parent: { type: 'workspace', workspace: true },
    is_inline: false,
    in_trash: source.inTrash,
    is_locked: false,
    created_time: minute(source.createdAt),
    last_edited_time: minute(source.editedAt),
    data_sources: [{ id: source.id, name: source.title }],
    icon: null,
    cover: null,
    url: urlOf(source),
    public_url: null,
  };
}

function urlOf({ databaseId }: Source): string {
  return `https://www.notion.so/${databaseId.replaceAll('-', '')}`;
}

function columnOnWire(state: WorkspaceState, column: Column): Property {
  const { name, description } = column;
  const common = { id: column.id, name, description };
  const options = [...column.options];
  switch (column.type) {
    case 'title':
      return { ...common, type: 'title', title: {} };
    case 'rich_text':
      return { ...common, type: 'rich_text', rich_text: {} };
    case 'number':
      return { ...common, type: 'number', number: { format: 'number' } };
    case 'status':
      return { ...common, type: 'status', status: { options, groups: [...column.groups] } };
    case 'select':
      return { ...common, type: 'select', select: { options } };
    case 'date':
      return { ...common, type: 'date', date: {} };
    case 'people':
      return { ...common, type: 'people', people: {} };
    case 'relation': {
      const id = column.relatedTo ?? '';
      const relation = {
        data_source_id: id,
        database_id: state.sources.get(id)?.databaseId ?? '',
        type: 'single_property' as const,
        single_property: {},
      };
      return { ...common, type: 'relation', relation };
    }
    case 'checkbox':
      return { ...common, type: 'checkbox', checkbox: {} };
    case 'url':
      return { ...common, type: 'url', url: {} };
  }
}
