/** What the pages say of an invitation. */
import type { Invitation } from './calls';

/** How far it is: its interview says more than `opened`. */
export function stageOf({ state, interviewState, isLatest }: Invitation): Stage {
  if (state === 'revoked') return isLatest ? 'revoked' : 'replaced';
  return state === 'opened' ? (interviewState ?? 'opened') : state;
}

export type Stage = Invitation['state'] | NonNullable<Invitation['interviewState']> | 'replaced';

/** What it is called where it has no name; null: it has nothing. */
export function nameOf({ candidate, externalId }: Invitation): string | null {
  return candidate.name ?? candidate.contact ?? externalId;
}

/** What can be done with it. */
export interface RowActions {
  reissue: (invitation: Invitation) => void;
  revoke: (invitation: Invitation) => void;
}

/** A sentence of the server that names a column, with the name that the person knows. */
export function renamed(
  sentence: string,
  nameOf: (column: string) => string | undefined = () => undefined,
): string {
  return sentence.replace(
    /(["«])([^"«»]{1,80})(["»])/g,
    (_, open: string, name: string, close: string) => `${open}${nameOf(name) ?? name}${close}`,
  );
}
