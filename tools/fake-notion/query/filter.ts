import type { QueryDataSourceParameters } from '@notionhq/client';
import { ApiError } from '../api-error';
import { minute } from '../wire/minute';
import { readId } from '../state/ids';
import { type PageRecord, valueIn } from '../state/page-record';
import { type Column, findColumn, optionNamed, optionWithId, type Source } from '../state/source';
import { textOf } from '../state/values';
import {
  checkboxFulfils,
  type Condition,
  dateFulfils,
  listFulfils,
  numberFulfils,
  optionFulfils,
  textFulfils,
} from './conditions';

export type Filter = NonNullable<QueryDataSourceParameters['filter']>;
export type Test = (page: PageRecord) => boolean;

/** Reads a filter by a data source's columns; throws 400 if it does not fit them. */
export function testOf(source: Source, filter: Filter): Test {
  if ('or' in filter) {
    const tests = filter.or.map((part) => testOf(source, part as Filter));
    return (page) => tests.some((test) => test(page));
  }
  if ('and' in filter) {
    const tests = filter.and.map((part) => testOf(source, part as Filter));
    return (page) => tests.every((test) => test(page));
  }
  if ('timestamp' in filter) {
    return 'created_time' in filter
      ? (page) => dateFulfils(minute(page.createdAt), filter.created_time)
      : (page) => dateFulfils(minute(page.editedAt), filter.last_edited_time);
  }
  return propertyTest(source, filter);
}

function propertyTest(source: Source, filter: Extract<Filter, { property: string }>): Test {
  const column = columnFor(source, filter.property);
  const type = Object.keys(filter).find((key) => key !== 'property' && key !== 'type') ?? '';
  if (type !== column.type) {
    throw ApiError.validation(`database property ${column.type} does not match filter ${type}`);
  }
  const condition = checked(column, (filter as unknown as Record<string, Condition>)[type] ?? {});
  return (page) => fulfils(page, column, condition);
}

/** By its name or its id; throws 400 when there is none. */
export function columnFor(source: Source, key: string): Column {
  const column = findColumn(source, key);
  if (column !== null) return column;
  throw ApiError.validation(`Could not find property with name or id: ${key}`);
}

/** Options have to exist; ids may come without their dashes. */
function checked(column: Column, condition: Condition): Condition {
  if (column.type === 'status' || column.type === 'select') {
    const { equals = [], does_not_equal = [] } = condition;
    for (const name of [equals, does_not_equal].flat() as readonly string[]) {
      if (optionNamed(column, name) !== null) continue;
      const what = `${column.type} option "${name}"`;
      throw ApiError.validation(`${what} not found for property "${column.name}".`);
    }
  }
  if (column.type !== 'people' && column.type !== 'relation') return condition;
  const read = ([name, wanted]: [string, unknown]): [string, unknown] =>
    typeof wanted === 'string'
      ? [name, readId(`filter.${column.type}.${name}`, wanted)]
      : [name, wanted];
  return Object.fromEntries(Object.entries(condition).map(read));
}

function fulfils(page: PageRecord, column: Column, condition: Condition): boolean {
  const value = valueIn(page, column);
  switch (value.type) {
    case 'title':
    case 'rich_text':
      return textFulfils(textOf(value.value), condition);
    case 'url':
      return textFulfils(value.value ?? '', condition);
    case 'number':
      return numberFulfils(value.value, condition);
    case 'checkbox':
      return checkboxFulfils(value.value, condition);
    case 'status':
    case 'select':
      return optionFulfils(optionWithId(column, value.value)?.name ?? null, condition);
    case 'date':
      return dateFulfils(value.value?.start ?? null, condition);
    case 'people':
    case 'relation':
      return listFulfils(value.value, condition);
  }
}
