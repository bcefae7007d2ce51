/** Which invitations the list shows. The address has it, so that a list can be kept as a bookmark and sent. */
import type { Invitation } from './calls';

export type InvitationState = Invitation['state'];

export const STATES = [
  'invited',
  'opened',
  'expired',
  'revoked',
] as const satisfies readonly InvitationState[];

export interface Filters {
  state: InvitationState | null;
  vacancy: string | null;
  text: string;
}

export const NO_FILTERS: Filters = { state: null, vacancy: null, text: '' };
const MAX_TEXT = 200;

/** What an address cannot mean is left out, as if nothing were chosen. */
export function filtersOf(search: string): Filters {
  const query = new URLSearchParams(search);
  const vacancy = query.get('vacancy') ?? '';
  return {
    state: STATES.find((one) => one === query.get('state')) ?? null,
    vacancy: vacancy === '' ? null : vacancy.slice(0, 100),
    text: (query.get('text') ?? '').slice(0, MAX_TEXT),
  };
}

/** The query of `GET /api/v1/invitations`. */
export function queryOf({ state, vacancy, text }: Filters): {
  state?: InvitationState;
  vacancy?: string;
  text?: string;
} {
  return {
    ...(state === null ? {} : { state }),
    ...(vacancy === null ? {} : { vacancy }),
    ...(text.trim() === '' ? {} : { text: text.trim() }),
  };
}

/** With its question mark; empty without filters. */
export function searchOf(filters: Filters): string {
  const search = new URLSearchParams(queryOf(filters)).toString();
  return search === '' ? '' : `?${search}`;
}

export function isFiltered(filters: Filters): boolean {
  return Object.keys(queryOf(filters)).length > 0;
}
