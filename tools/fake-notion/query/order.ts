import type { QueryDataSourceParameters } from '@notionhq/client';
import { minute } from '../wire/minute';
import { type PageRecord, valueIn } from '../state/page-record';
import type { Column, Source } from '../state/source';
import { textOf } from '../state/values';
import { columnFor } from './filter';

type Sorts = NonNullable<QueryDataSourceParameters['sorts']>;
type Key = string | number | null;
type KeyOf = (page: PageRecord) => Key;

/**
 * Sorts by the given sorts in order; empty values come last. No further order is guaranteed, so equal
 * pages come newest first, which no code may rely on.
 */
export function ordered(
  source: Source,
  pages: readonly PageRecord[],
  sorts: Sorts,
): readonly PageRecord[] {
  const criteria = sorts.map((sort) => ({
    keyOf: 'property' in sort ? propertyKey(source, sort.property) : timeKey(sort.timestamp),
    sign: sort.direction === 'ascending' ? 1 : -1,
  }));
  const keyed = pages.map((page) => ({ page, keys: criteria.map(({ keyOf }) => keyOf(page)) }));
  keyed.sort((one, other) => {
    for (const [n, { sign }] of criteria.entries()) {
      const order = compared(one.keys[n] ?? null, other.keys[n] ?? null, sign);
      if (order !== 0) return order;
    }
    return other.page.ordinal - one.page.ordinal;
  });
  return keyed.map(({ page }) => page);
}

function compared(one: Key, other: Key, sign: number): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  return one < other ? -sign : sign;
}

function timeKey(timestamp: 'created_time' | 'last_edited_time'): KeyOf {
  return timestamp === 'created_time'
    ? ({ createdAt }) => minute(createdAt)
    : ({ editedAt }) => minute(editedAt);
}

function propertyKey(source: Source, name: string): KeyOf {
  const column = columnFor(source, name);
  return (page) => keyIn(page, column);
}

function keyIn(page: PageRecord, column: Column): Key {
  const value = valueIn(page, column);
  switch (value.type) {
    case 'title':
    case 'rich_text':
      return textOf(value.value).toLowerCase() || null;
    case 'number':
    case 'url':
      return value.value;
    case 'status':
    case 'select': {
      const place = column.options.findIndex(({ id }) => id === value.value);
      return place === -1 ? null : place;
    }
    case 'date':
      return value.value?.start ?? null;
    case 'people':
    case 'relation':
      return value.value[0] ?? null;
    case 'checkbox':
      return value.value ? 1 : 0;
  }
}
