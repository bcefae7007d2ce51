/** A text to copy: a link, or a key. */
import { useRef } from 'react';
import type { ReactNode } from 'react';
import { Button, TextInput } from '@mantine/core';
import { Dialog } from './dialog';
import { useCopy } from './use-copy';

interface CopyDialogProps {
  opened: boolean;
  title: string;
  /** What it is, and what to do with it. */
  about: string;
  value: string;
  words: {
    label: string;
    copy: string;
    copied: string;
    /** The browser does not copy; the text is selected. */
    refused: string;
    close: string;
  };
  /** It is shown once: a click beside it does not close it. */
  isPinned?: boolean;
  onClose: () => void;
  /** Below the text. */
  children?: ReactNode;
}

export function CopyDialog(props: CopyDialogProps) {
  const { opened, title, about, value, words, isPinned = false, onClose, children } = props;
  const input = useRef<HTMLInputElement>(null);
  const { copy, outcomeOf } = useCopy();
  const copied = outcomeOf(value);
  const isCopied = copied === 'done';
  return (
    <Dialog opened={opened} title={title} isPinned={isPinned} onClose={onClose}>
      <p>{about}</p>
      <TextInput
        ref={input}
        readOnly
        label={words.label}
        value={value}
        onFocus={(event) => event.currentTarget.select()}
      />
      {children}
      <p className="form-error" role="alert">
        {copied === 'refused' ? words.refused : ''}
      </p>
      <div className="dialog-actions">
        <Button variant="default" onClick={onClose}>
          {words.close}
        </Button>
        <Button data-autofocus onClick={() => void copy(value, input.current)}>
          {isCopied ? words.copied : words.copy}
        </Button>
      </div>
      <p className="for-readers" role="status">
        {isCopied ? words.copied : ''}
      </p>
    </Dialog>
  );
}
