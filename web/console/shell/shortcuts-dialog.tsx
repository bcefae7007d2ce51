/** Every key of the console that means something to the person. */
import { Fragment } from 'react';
import { useTexts } from '../language';
import { Dialog } from './dialog';
import { useSession } from './session';
import { shortcutsOf } from './shortcuts';

export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const { shortcuts } = useTexts();
  const rows = shortcutsOf(useSession(), shortcuts.rows);
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
