/** Which of the console's keys somebody is shown: those of what they may do. */
import type { Session } from '../api/calls';
import { hasRecords } from '../records/tabs';
import type { Shortcut } from '../texts/dictionary';

export function shortcutsOf(
  session: Pick<Session, 'scopes'>,
  rows: readonly Shortcut[],
): readonly Shortcut[] {
  return rows.filter(
    ({ isOfRecords, scope }) =>
      (isOfRecords !== true || hasRecords(session)) &&
      (scope === undefined || session.scopes.includes(scope)),
  );
}
