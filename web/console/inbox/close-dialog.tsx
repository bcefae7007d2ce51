/** Closes an item with a reason, which stays with it. */
import { useState } from 'react';
import { Textarea } from '@mantine/core';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { told } from '../shell/notice';
import { useProblem } from '../shell/use-problem';
import { closeItem } from './calls';
import type { Item } from './calls';
import { useInboxTexts } from './texts';

interface CloseDialogProps {
  item: Item;
  opened: boolean;
  onClose: () => void;
  onClosed: () => void;
  /** It was not closed, because somebody has done something with it. */
  onChanged: () => void;
}

export function CloseDialog({ item, opened, onClose, onClosed, onChanged }: CloseDialogProps) {
  const texts = useInboxTexts();
  const problemOf = useProblem(texts.problems);
  const [reason, setReason] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  const close = async (): Promise<void> => {
    if (isBusy) return;
    if (reason.trim() === '') {
      setProblem(texts.closing.missing);
      return;
    }
    setBusy(true);
    setProblem('');
    try {
      await closeItem(item.id, reason.trim());
      told(texts.told.closed);
      onClosed();
    } catch (error) {
      setProblem(problemOf(error));
      onChanged();
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={opened} title={texts.closing.title} isBusy={isBusy} isPinned onClose={onClose}>
      <form
        className="dialog"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void close();
        }}
      >
        <p>{texts.closing.text}</p>
        {item.about?.owner === 'person' && <p>{texts.closing.stays}</p>}
        <Textarea
          data-autofocus
          label={texts.closing.reason}
          value={reason}
          maxLength={1000}
          rows={3}
          size="md"
          radius="md"
          error={problem === '' ? undefined : problem}
          onChange={(event) => setReason(event.currentTarget.value)}
        />
        <DialogActions isBusy={isBusy} onCancel={onClose}>
          <BusyButton type="submit" isBusy={isBusy}>
            {texts.closing.action}
          </BusyButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
