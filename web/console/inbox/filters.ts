/** Which items the inbox shows; the address has it. */
import type { ItemKind } from './calls';

/** First what candidates wait for, then what is about one of them, then what runs by itself. */
export const KINDS = [
  ...['handed_over', 'question', 'expired', 'unanalysed', 'objection', 'disputed', 'letter'],
  ...['silent', 'blocked', 'unknown', 'full', 'dead', 'waiting', 'stalled', 'model', 'braked'],
] as readonly ItemKind[];

export interface InboxFilters {
  kind: ItemKind | null;
  vacancy: string | null;
}

/** What an address cannot mean is left out, as if nothing were chosen. */
export function inboxFiltersOf(search: string): InboxFilters {
  const query = new URLSearchParams(search);
  const vacancy = query.get('vacancy') ?? '';
  return {
    kind: KINDS.find((one) => one === query.get('kind')) ?? null,
    vacancy: vacancy === '' ? null : vacancy.slice(0, 100),
  };
}

/** With its question mark; empty without filters. */
export function inboxSearchOf({ kind, vacancy }: InboxFilters): string {
  const query = new URLSearchParams();
  if (kind !== null) query.set('kind', kind);
  if (vacancy !== null) query.set('vacancy', vacancy);
  const search = query.toString();
  return search === '' ? '' : `?${search}`;
}
