/** The open link of a vacancy, to copy. */
import { useRef, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { Dialog } from '../shell/dialog';
import type { CountedVacancy } from './calls';
import { useVacanciesTexts } from './texts';

interface LinkDialogProps {
  /** Null: none is shown. */
  vacancy: CountedVacancy | null;
  onClose: () => void;
}

export function OpenLinkDialog({ vacancy, onClose }: LinkDialogProps) {
  const { link } = useVacanciesTexts();
  const input = useRef<HTMLInputElement>(null);
  const [copy, setCopy] = useState<'done' | 'refused' | null>(null);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(vacancy);
  if (vacancy !== null && vacancy !== shown) {
    setShown(vacancy);
    setCopy(null);
  }
  const copyLink = async (): Promise<void> => {
    if (shown === null) return;
    try {
      // Browsers have no clipboard for a page that came over plain http.
      await navigator.clipboard.writeText(shown.openLink);
      setCopy('done');
    } catch {
      // It selects its text.
      input.current?.focus();
      setCopy('refused');
    }
  };
  return (
    <Dialog opened={vacancy !== null} title={link.title(shown?.title ?? '')} onClose={onClose}>
      <p>{shown?.state === 'closed' ? link.closed : link.text}</p>
      <TextInput
        ref={input}
        readOnly
        label={link.label}
        value={shown?.openLink ?? ''}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p className="form-error" role="alert">
        {copy === 'refused' ? link.refused : ''}
      </p>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {link.done}
        </Button>
        <Button data-autofocus onClick={() => void copyLink()}>
          {copy === 'done' ? link.copied : link.copy}
        </Button>
      </div>
      <p className="for-readers" role="status">
        {copy === 'done' ? link.copied : ''}
      </p>
    </Dialog>
  );
}
