import type { UpdateDataSourceParameters } from '@notionhq/client';
import { ApiError } from '../api-error';
import { newColumn } from '../state/new-column';
import type { SchemaChange } from '../state/workspace-change';
import { readId } from '../state/ids';
import { type Column, findColumn, type Source } from '../state/source';
import { isColumnType } from '../state/values';
import type { WorkspaceState } from '../state/workspace-state';

type Changes = NonNullable<UpdateDataSourceParameters['properties']>;
type Change = NonNullable<Changes[string]>;

/** Adds, renames, retypes and drops columns, each by its name or id; returns what it did. */
export function changeColumns(
  state: WorkspaceState,
  source: Source,
  changes: Changes,
): SchemaChange[] {
  return Object.entries(changes).map(([key, change]) => {
    const column = findColumn(source, key);
    if (change === null) return drop(source, key, column);
    if (column === null) return add(state, source, key, change);
    return alter(source, column, change);
  });
}

function drop(source: Source, key: string, column: Column | null): SchemaChange {
  if (column === null) throw ApiError.validation(`${key} is not a property that exists.`);
  if (column.type === 'title') throw ApiError.validation('Cannot delete the title property.');
  source.columns = source.columns.filter((one) => one !== column);
  return { id: column.id, name: column.name, action: 'deleted' };
}

function add(state: WorkspaceState, source: Source, name: string, change: Change): SchemaChange {
  const type = Object.keys(change).find(isColumnType);
  if (type === undefined) throw ApiError.validation(`${name} has no type that this server knows.`);
  if (type === 'title') throw ApiError.validation('There is one title property already.');
  const described = (change as Readonly<Record<string, unknown>>)[type] as {
    readonly options?: readonly { readonly name: string }[];
    readonly data_source_id?: string;
  };
  const related = described.data_source_id;
  const options = (described.options ?? []).map((option) => option.name);
  const column = newColumn(state, name, {
    type,
    options,
    ...(options.length === 0
      ? {}
      : { groups: { 'To-do': options, 'In progress': [], Complete: [] } }),
    relatedTo: related === undefined ? null : readId('relation.data_source_id', related),
  });
  source.columns.push(column);
  return { id: column.id, name, action: 'created' };
}

function alter(source: Source, column: Column, change: Change): SchemaChange {
  const { name = column.name } = change as { readonly name?: string };
  const other = source.columns.find((one) => one.name === name);
  if (other !== undefined && other !== column) {
    throw ApiError.validation(`There is already a property "${name}".`);
  }
  const type = Object.keys(change).find(isColumnType) ?? column.type;
  if ((type === 'title') !== (column.type === 'title')) {
    throw ApiError.validation('Cannot change the type of the title property.');
  }
  column.name = name;
  column.type = type;
  return { id: column.id, name, action: 'updated' };
}
