/** The open link of a vacancy, to copy. */
import { useState } from 'react';
import { CopyDialog } from '../shell/copy-dialog';
import type { CountedVacancy } from './calls';
import { useVacanciesTexts } from './texts';

interface LinkDialogProps {
  /** Null: none is shown. */
  vacancy: CountedVacancy | null;
  onClose: () => void;
}

export function OpenLinkDialog({ vacancy, onClose }: LinkDialogProps) {
  const { link } = useVacanciesTexts();
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(vacancy);
  if (vacancy !== null && vacancy !== shown) setShown(vacancy);
  return (
    <CopyDialog
      opened={vacancy !== null}
      title={link.title(shown?.title ?? '')}
      about={shown?.state === 'closed' ? link.closed : link.text}
      value={shown?.openLink ?? ''}
      words={{ ...link, close: link.done }}
      onClose={onClose}
    />
  );
}
