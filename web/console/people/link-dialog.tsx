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
  const [copied, setCopied] = useState<string | null>(null);
  const [shown, setShown] = useState(link);
  if (link !== null && link !== shown) setShown(link);
  const copy = async (): Promise<void> => {
    if (shown === null) return;
    input.current?.select();
    try {
      // Browsers have no clipboard for a page that came over plain http.
      await navigator.clipboard.writeText(shown.link);
      setCopied(shown.link);
    } catch {
      setCopied(null);
    }
  };
  const words = people.link[shown?.kind ?? 'invitation'];
  const isCopied = shown !== null && copied === shown.link;
  return (
    <Dialog opened={link !== null} title={words.title} onClose={onClose}>
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
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {people.link.close}
        </Button>
        <Button data-autofocus onClick={() => void copy()}>
          {isCopied ? people.link.copied : people.link.copy}
        </Button>
      </div>
      <p className="for-readers" role="status">
        {isCopied ? people.link.copied : ''}
      </p>
    </Dialog>
  );
}
