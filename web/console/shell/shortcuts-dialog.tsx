/** Every key of the console. */
import { useTexts } from '../language';
import { Dialog } from './dialog';
import { mayManageUsers, useSession } from './session';

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { shortcuts } = useTexts();
  const isAdmin = mayManageUsers(useSession());
  const rows = shortcuts.rows.filter(({ keys }) => isAdmin || keys[1] !== 'p');
  return (
    <Dialog opened={opened} title={shortcuts.title} onClose={onClose}>
      <dl className="shortcuts">
        {rows.map(({ keys, text }) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key} className="key">
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
