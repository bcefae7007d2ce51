import { ApiError } from '../api-error';
import { idOf } from '../state/ids';

/** The longest page of a list. */
const LONGEST = 100;

export interface Paging {
  readonly start_cursor?: string | null;
  readonly page_size?: number;
}

export interface ListPage<Item> {
  readonly results: readonly Item[];
  readonly has_more: boolean;
  readonly next_cursor: string | null;
}

/** Issued cursors, each with its list and its place there. */
export class Cursors {
  private last: { list: string; version: string; items: readonly unknown[] } | null = null;
  private readonly known = new Map<string, { readonly list: string; readonly place: number }>();

  /** Caches the last list, so that the batches of a large one are not computed each time. */
  list<Item>(list: string, version: string, make: () => readonly Item[]): readonly Item[] {
    if (this.last?.list !== list || this.last.version !== version) {
      this.last = { list, version, items: make() };
    }
    return this.last.items as readonly Item[];
  }

  /**
   * One part of a list in its current state: rows that were added or removed since the last part shift it,
   * so that one may be missed or returned twice. `list` identifies the query: a cursor of another query is
   * refused.
   */
  page<Item>(
    list: string,
    items: readonly Item[],
    { start_cursor, page_size }: Paging,
  ): ListPage<Item> {
    const size = page_size ?? LONGEST;
    if (!Number.isInteger(size) || size < 1 || size > LONGEST) {
      throw ApiError.validation(
        `body failed validation: body.page_size should be from 1 to ${LONGEST}, instead was \`${size}\`.`,
      );
    }
    const place = this.placeOf(list, start_cursor ?? null);
    const end = place + size;
    const has_more = items.length > end;
    return {
      results: items.slice(place, end),
      has_more,
      next_cursor: has_more ? this.cursorTo(list, end) : null,
    };
  }

  private placeOf(list: string, cursor: string | null): number {
    if (cursor === null) return 0;
    const known = this.known.get(cursor);
    if (known?.list === list) return known.place;
    throw ApiError.validation(`The start_cursor provided is invalid: ${cursor}`);
  }

  private cursorTo(list: string, place: number): string {
    const cursor = idOf(`cursor ${String(place)} ${list}`);
    this.known.set(cursor, { list, place });
    return cursor;
  }
}
