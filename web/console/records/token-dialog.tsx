/** A new key, shown once: the server keeps no copy of it. */
import { useRef, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { Dialog } from '../shell/dialog';
import type { NewKey } from './calls';
import { useRecordsTexts } from './texts';

export function TokenDialog({ made, onClose }: { made: NewKey | null; onClose: () => void }) {
  const { token: words } = useRecordsTexts().keys;
  const input = useRef<HTMLInputElement>(null);
  const [copy, setCopy] = useState<'done' | 'refused' | null>(null);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(made);
  if (made !== null && made !== shown) {
    setShown(made);
    setCopy(null);
  }
  const copyToken = async (): Promise<void> => {
    if (shown === null) return;
    try {
      // Browsers have no clipboard for a page that came over plain http.
      await navigator.clipboard.writeText(shown.token);
      setCopy('done');
    } catch {
      // It selects its text.
      input.current?.focus();
      setCopy('refused');
    }
  };
  return (
    <Dialog opened={made !== null} title={words.title} isPinned onClose={onClose}>
      <p>{words.text(shown?.name ?? '')}</p>
      <TextInput
        ref={input}
        readOnly
        label={words.label}
        value={shown?.token ?? ''}
        onFocus={(event) => event.currentTarget.select()}
      />
      <p className="form-error" role="alert">
        {copy === 'refused' ? words.refused : ''}
      </p>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {words.close}
        </Button>
        <Button data-autofocus onClick={() => void copyToken()}>
          {copy === 'done' ? words.copied : words.copy}
        </Button>
      </div>
      <p className="for-readers" role="status">
        {copy === 'done' ? words.copied : ''}
      </p>
    </Dialog>
  );
}
