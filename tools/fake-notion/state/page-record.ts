import type { Person } from './person';
import { type Column, optionWithId, type Source } from './source';
import { emptyValue, textOf, type Value, type Values } from './values';

export interface PageRecord {
  readonly id: string;
  sourceId: string;
  /** Its number among all pages, from 1. */
  readonly ordinal: number;
  readonly createdAt: Date;
  editedAt: Date;
  readonly createdBy: Person;
  editedBy: Person;
  inTrash: boolean;
  /** By the column's id. */
  readonly values: Map<string, Value>;
}

/** A value whose type is not its column's, because the column was retyped, counts as empty. */
export function valueIn(page: PageRecord, column: Column): Value {
  const value = page.values.get(column.id);
  return value?.type === column.type ? value : emptyValue(column.type);
}

export function titleOf(page: PageRecord, source: Source): string {
  const column = source.columns.find(({ type }) => type === 'title');
  const value = column === undefined ? null : valueIn(page, column);
  return value?.type === 'title' ? textOf(value.value) : '';
}

/** As people read it: text as text, an option by its name, people and pages by their ids. */
export function readable(column: Column, value: Value): ReadableValue {
  switch (value.type) {
    case 'title':
    case 'rich_text':
      return textOf(value.value);
    case 'status':
    case 'select':
      return optionWithId(column, value.value)?.name ?? null;
    case 'date':
      return value.value?.start ?? null;
    case 'number':
    case 'checkbox':
    case 'url':
    case 'people':
    case 'relation':
      return value.value;
  }
}

export type ReadableValue = string | null | Values['number' | 'checkbox' | 'people'];
