/** Which interviews the list shows. The address has it, so that a list can be kept as a bookmark and sent. */
import type { Interview } from '../api/calls';

export type InterviewState = Interview['state'];

/** First what waits for a person, then what runs, then what has ended. */
export const STATES = [
  'needs_person',
  'waiting_for_us',
  'started',
  'opened',
  'finished',
  'scored',
  'decided',
  'withdrawn',
  'expired',
] as const satisfies readonly InterviewState[];

export interface Filters {
  state: InterviewState | null;
  vacancy: string | null;
  text: string;
}

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

/** With its question mark; empty without filters. */
export function searchOf({ state, vacancy, text }: Filters): string {
  const query = new URLSearchParams();
  if (state !== null) query.set('state', state);
  if (vacancy !== null) query.set('vacancy', vacancy);
  if (text.trim() !== '') query.set('text', text.trim());
  const search = query.toString();
  return search === '' ? '' : `?${search}`;
}

/** The query of `GET /api/v1/interviews`. */
export function queryOf({ state, vacancy, text }: Filters): {
  state?: InterviewState;
  vacancy?: string;
  text?: string;
} {
  return {
    ...(state === null ? {} : { state }),
    ...(vacancy === null ? {} : { vacancy }),
    ...(text.trim() === '' ? {} : { text: text.trim() }),
  };
}

export function isFiltered({ state, vacancy, text }: Filters): boolean {
  return state !== null || vacancy !== null || text.trim() !== '';
}
