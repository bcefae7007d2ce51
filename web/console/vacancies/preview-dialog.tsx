/** Says what a preview is, and opens it in a new tab. */
import { useState } from 'react';
import { asProblem } from '../api/problem';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { useProblem } from '../shell/use-problem';
import { openPreview } from './calls';
import { useVacanciesTexts } from './texts';

interface PreviewDialogProps {
  /** Null: nothing is asked. */
  slug: string | null;
  isChanged?: boolean;
  onClose: () => void;
}

export function PreviewDialog({ slug, isChanged = false, onClose }: PreviewDialogProps) {
  const { preview } = useVacanciesTexts();
  const problemWords = useProblem(useVacanciesTexts().problems);
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const open = async (): Promise<void> => {
    if (slug === null || isBusy) return;
    // At once, because browsers block a tab that opens later.
    const tab = window.open('', '_blank');
    if (tab === null) {
      setProblem(preview.blocked);
      return;
    }
    tab.opener = null;
    setBusy(true);
    setProblem('');
    try {
      const { link } = await openPreview(slug);
      tab.location.replace(link);
      onClose();
    } catch (error) {
      tab.close();
      setProblem(problemWords(asProblem(error)));
    } finally {
      setBusy(false);
    }
  };
  const close = (): void => {
    setProblem('');
    onClose();
  };
  return (
    <Dialog opened={slug !== null} title={preview.title} isBusy={isBusy} onClose={close}>
      <p>{preview.text}</p>
      {isChanged && <p>{preview.unsaved}</p>}
      <p className="form-error" role="alert">
        {problem}
      </p>
      <DialogActions isBusy={isBusy} onCancel={close}>
        <BusyButton data-autofocus isBusy={isBusy} onClick={() => void open()}>
          {preview.action}
        </BusyButton>
      </DialogActions>
    </Dialog>
  );
}
