/** A new link, shown once: the server keeps no copy of it. */
import { useRef, useState } from 'react';
import { Button, TextInput } from '@mantine/core';
import { useTexts } from '../language';
import { Moment } from '../moments';
import { Dialog } from '../shell/dialog';
import type { FreshLink } from './people-page';

export function LinkDialog({ link, onClose }: { link: FreshLink | null; onClose: () => void }) {
  const { people } = useTexts();
  const input = useRef<HTMLInputElement>(null);
  const [copy, setCopy] = useState<'done' | 'refused' | null>(null);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(link);
  if (link !== null && link !== shown) {
    setShown(link);
    setCopy(null);
  }
  const copyLink = async (): Promise<void> => {
    if (shown === null) return;
    try {
      // Browsers have no clipboard for a page that came over plain http.
      await navigator.clipboard.writeText(shown.link);
      setCopy('done');
    } catch {
      // It selects its text.
      input.current?.focus();
      setCopy('refused');
    }
  };
  const words = people.link[shown?.kind ?? 'invitation'];
  const isCopied = copy === 'done';
  return (
    <Dialog opened={link !== null} title={words.title} isPinned onClose={onClose}>
      <p>{words.text(shown?.name ?? null)}</p>
      <TextInput
        ref={input}
        readOnly
        label={people.link.label}
        value={shown?.link ?? ''}
        onFocus={(event) => event.currentTarget.select()}
      />
      {shown !== null && (
        <p className="soft">
          {people.link.once} {people.until} <Moment at={shown.expiresAt} />.
        </p>
      )}
      <p className="form-error" role="alert">
        {copy === 'refused' ? people.link.refused : ''}
      </p>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {people.link.close}
        </Button>
        <Button data-autofocus onClick={() => void copyLink()}>
          {isCopied ? people.link.copied : people.link.copy}
        </Button>
      </div>
      <p className="for-readers" role="status">
        {isCopied ? people.link.copied : ''}
      </p>
    </Dialog>
  );
}
