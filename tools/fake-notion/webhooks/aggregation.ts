import type { Happening } from '../world/happening';

export type Gathered = [Happening, ...Happening[]];

/** Kinds of happenings that become one event when they come close together. */
export function sameEvent(one: Happening): string {
  return `${one.type} ${'page' in one ? one.page.id : one.source.id}`;
}

/** Kinds that undo each other: a page that is deleted and restored at once causes no event. */
export function undoneBy(one: Happening): string | null {
  const opposite: Partial<Record<Happening['type'], string>> = {
    'page.deleted': 'page.undeleted',
    'page.undeleted': 'page.deleted',
  };
  const type = opposite[one.type];
  return type === undefined || !('page' in one) ? null : `${type} ${one.page.id}`;
}
