/** The parts of the records, and who has which. */
import type { Session } from '../api/calls';

export const RECORDS = '/console/records';

/** Each with the scope that it needs. */
const TABS = {
  audit: 'keys:write',
  candidates: 'candidates:export',
  exports: 'candidates:export',
  retention: 'candidates:erase',
  keys: 'keys:write',
} as const;

export type Tab = keyof typeof TABS;

export function tabsOf({ scopes }: Pick<Session, 'scopes'>): Tab[] {
  return (Object.keys(TABS) as Tab[]).filter((tab) => scopes.includes(TABS[tab]));
}

/** The exports with these filters of the list of interviews. */
export function exportsOf(search: string): string {
  return `${RECORDS}/exports${search}`;
}

export function hasRecords(session: Pick<Session, 'scopes'>): boolean {
  return tabsOf(session).length > 0;
}
