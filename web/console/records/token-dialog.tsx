/** A new key, shown once: the server keeps no copy of it. */
import { useState } from 'react';
import { CopyDialog } from '../shell/copy-dialog';
import type { NewKey } from './calls';
import { useRecordsTexts } from './texts';

export function TokenDialog({ made, onClose }: { made: NewKey | null; onClose: () => void }) {
  const { token: words } = useRecordsTexts().keys;
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(made);
  if (made !== null && made !== shown) setShown(made);
  return (
    <CopyDialog
      isPinned
      opened={made !== null}
      title={words.title}
      about={words.text(shown?.name ?? '')}
      value={shown?.token ?? ''}
      words={words}
      onClose={onClose}
    />
  );
}
