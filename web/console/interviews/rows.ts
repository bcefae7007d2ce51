/**
 * The rows that the list shows while interviews change under it. A row that is shown changes in its place; what would
 * move rows (another one that comes or goes) is held back until somebody asks for it or nobody has the list in hand.
 */
import type { Interview } from '../api/calls';

export interface Page {
  items: Interview[];
  cursor: string | null;
}

export interface Held {
  /** Match the filters now and are not shown. */
  readonly arrived: readonly Interview[];
  /** Are shown and match no more. */
  readonly gone: ReadonlySet<string>;
}

export const NOTHING_HELD: Held = { arrived: [], gone: new Set() };

/** How many rows come or go when they may; some may have come with a page meanwhile. */
export function heldCount({ arrived, gone }: Held, rows: readonly Interview[]): number {
  if (arrived.length === 0) return gone.size;
  const shown = new Set(rows.map(({ id }) => id));
  return arrived.filter(({ id }) => !shown.has(id)).length + gone.size;
}

/**
 * What becomes of the pages when the interviews of `asked` have been read again and `fresh` are those of them that
 * match the filters. Ids begin with their time, so an unknown one that is older than the last row comes with a later
 * page.
 */
export function patched(
  pages: readonly Page[],
  held: Held,
  { asked, fresh }: { readonly asked: readonly string[]; readonly fresh: readonly Interview[] },
): { pages: Page[]; held: Held } {
  const news = new Map(fresh.map((one) => [one.id, one]));
  const shown = new Set<string>();
  const after = pages.map((page) => {
    const isTouched = page.items.some(({ id }) => news.has(id));
    for (const { id } of page.items) shown.add(id);
    return isTouched ? { ...page, items: page.items.map((one) => news.get(one.id) ?? one) } : page;
  });
  const oldest = oldestOf(pages);
  const isNew = ({ id }: Interview): boolean => !shown.has(id) && id > oldest;
  const others = held.arrived.filter(({ id }) => !asked.includes(id));
  const gone = new Set(held.gone);
  for (const id of asked) {
    if (news.has(id)) gone.delete(id);
    else if (shown.has(id)) gone.add(id);
  }
  return { pages: after, held: { arrived: [...others, ...fresh.filter(isNew)], gone } };
}

/** Those whose rows are there, or would be: the others come with a later page. */
export function placedIn(pages: readonly Page[], ids: readonly string[]): string[] {
  const shown = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const oldest = oldestOf(pages);
  return ids.filter((id) => id > oldest || shown.has(id));
}

/** The id of the last row; empty: there are no later pages. */
function oldestOf(pages: readonly Page[]): string {
  const last = pages.at(-1);
  return last?.cursor == null ? '' : (last.items.at(-1)?.id ?? '');
}

/** With what was held back: the newest first. */
export function released(pages: readonly Page[], { arrived, gone }: Held): Page[] {
  const shown = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)));
  const [first, ...others] = pages.map((page) => ({
    ...page,
    items: page.items.filter(({ id }) => !gone.has(id)),
  }));
  if (first === undefined) return [];
  const come = arrived.filter(({ id }) => !shown.has(id));
  const items = [...come, ...first.items].sort((a, b) => (a.id < b.id ? 1 : -1));
  return [{ ...first, items }, ...others];
}

/** The first pages of a list that nobody has in hand; what was held back is in its place. */
export function shortened(pages: readonly Page[], held: Held, count: number): Page[] {
  return released(pages, held).slice(0, count);
}

export interface ShownRow {
  readonly interview: Interview;
  /** It is here only until the list may move. */
  readonly isGone: boolean;
}

/** Rows in the order in which they are shown, with what is known of them now; `moved`: how many come or go. */
export function keptInPlace(
  shown: readonly Interview[],
  fresh: readonly Interview[],
): { rows: ShownRow[]; moved: number } {
  const news = new Map(fresh.map((one) => [one.id, one]));
  const rows = shown.map((one) => {
    return { interview: news.get(one.id) ?? one, isGone: !news.has(one.id) };
  });
  const known = new Set(shown.map(({ id }) => id));
  const come = fresh.filter(({ id }) => !known.has(id)).length;
  return { rows, moved: come + rows.filter(({ isGone }) => isGone).length };
}
