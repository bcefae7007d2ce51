/** A new link, shown once: the server keeps no copy of it. */
import { useState } from 'react';
import { useTexts } from '../language';
import { Moment } from '../moments';
import { CopyDialog } from '../shell/copy-dialog';
import type { FreshLink } from './people-page';

export function LinkDialog({ link, onClose }: { link: FreshLink | null; onClose: () => void }) {
  const { people } = useTexts();
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(link);
  if (link !== null && link !== shown) setShown(link);
  const words = people.link[shown?.kind ?? 'invitation'];
  return (
    <CopyDialog
      isPinned
      opened={link !== null}
      title={words.title}
      about={words.text(shown?.name ?? null)}
      value={shown?.link ?? ''}
      words={people.link}
      onClose={onClose}
    >
      {shown !== null && (
        <p className="soft">
          {people.link.once} {people.until} <Moment at={shown.expiresAt} />.
        </p>
      )}
    </CopyDialog>
  );
}
