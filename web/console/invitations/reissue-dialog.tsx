/** Replaces the link and the PIN of an invitation. */
import { useState } from 'react';
import type { SubmitEvent } from 'react';
import { TextInput } from '@mantine/core';
import { useLanguage } from '../language';
import { BusyButton } from '../shell/busy-button';
import { Dialog, DialogActions } from '../shell/dialog';
import { reissue } from './calls';
import type { Invitation, NewInvitation } from './calls';
import { firstDay, lastDay } from './days';
import { nameOf } from './row';
import { useInvitationTexts, useProblemInWords } from './texts';

interface ReissueDialogProps {
  /** Null: none is issued again. */
  invitation: Invitation | null;
  onClose: () => void;
  onIssued: (made: NewInvitation) => void;
}

export function ReissueDialog({ invitation, onClose, onIssued }: ReissueDialogProps) {
  const texts = useInvitationTexts();
  const { language } = useLanguage();
  const inWords = useProblemInWords();
  const [until, setUntil] = useState('');
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(invitation);
  if (invitation !== null && invitation !== shown) {
    setShown(invitation);
    setProblem('');
    setUntil('');
  }
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (invitation === null || isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      onIssued(await reissue(invitation.id, until, language));
    } catch (error) {
      setProblem(inWords(error, () => texts.reissue.until));
    } finally {
      setBusy(false);
    }
  };
  const name = (shown === null ? null : nameOf(shown)) ?? texts.nameless;
  return (
    <Dialog
      opened={invitation !== null}
      title={texts.reissue.title(name)}
      isBusy={isBusy}
      onClose={onClose}
    >
      <form className="dialog" noValidate onSubmit={(event) => void send(event)}>
        <p>{texts.reissue.text}</p>
        <TextInput
          type="date"
          label={texts.reissue.until}
          description={texts.reissue.untilNote}
          min={firstDay()}
          max={lastDay()}
          value={until}
          onChange={(event) => setUntil(event.currentTarget.value)}
        />
        <p className="form-error" role="alert">
          {problem}
        </p>
        <DialogActions isBusy={isBusy} onCancel={onClose}>
          <BusyButton data-autofocus type="submit" isBusy={isBusy}>
            {texts.reissue.action}
          </BusyButton>
        </DialogActions>
      </form>
    </Dialog>
  );
}
