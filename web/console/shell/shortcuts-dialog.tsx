/** Every key of the console. */
import { Fragment } from 'react';
import { useTexts } from '../language';
import { Dialog } from './dialog';
import { hasRecords } from '../records/tabs';
import { mayManageUsers, useSession } from './session';

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { shortcuts } = useTexts();
  const session = useSession();
  const isAdmin = mayManageUsers(session);
  const rows = shortcuts.rows.filter(
    ({ isOfAdmins, isOfRecords, scope }) =>
      (isAdmin || isOfAdmins !== true) &&
      (hasRecords(session) || isOfRecords !== true) &&
      (scope === undefined || session.scopes.some((own) => own === scope)),
  );
  return (
    <Dialog opened={opened} title={shortcuts.title} onClose={onClose}>
      <dl className="shortcuts">
        {rows.map(({ keys, inOrder, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key, index) => (
                <Fragment key={key}>
                  {index > 0 && (
                    <span className="soft">{inOrder ? shortcuts.then : shortcuts.or}</span>
                  )}
                  <kbd className="key">{key}</kbd>
                </Fragment>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
