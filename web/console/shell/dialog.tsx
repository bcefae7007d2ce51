/** The dialogs of the console. */
import { useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { Modal } from '@mantine/core';
import { gate } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { BusyButton } from './busy-button';
import { FocusBack } from './focus-back';

interface DialogProps {
  opened: boolean;
  title: string;
  onClose: () => void;
  /** Its request is under way: it stays open to show how that ends. */
  isBusy?: boolean;
  /** A click beside it does not close it. */
  isPinned?: boolean;
  /** Lies over the other dialogs, which Escape then leaves alone. */
  isGate?: boolean;
  children: ReactNode;
}

export function Dialog(props: DialogProps) {
  const { isGate = false, isBusy = false, isPinned = false, onClose, children, ...shown } = props;
  const { close } = useTexts();
  const isUnderGate = useSyncExternalStore(gate.subscribe, gate.snapshot) !== null && !isGate;
  return (
    <Modal
      {...shown}
      zIndex={isGate ? 310 : 300}
      closeOnEscape={!isUnderGate}
      closeOnClickOutside={!isPinned}
      trapFocus={!isUnderGate}
      returnFocus={false}
      closeButtonProps={{ 'aria-label': close, 'aria-disabled': isBusy }}
      onClose={() => {
        if (!isBusy) onClose();
      }}
    >
      <FocusBack />
      <div className="dialog">{children}</div>
    </Modal>
  );
}

export interface Question {
  title: string;
  text: string;
  /** What the button says that does it. */
  action: string;
  isGrave?: boolean;
  /** The dialog closes when it has succeeded, and shows why it failed. */
  run: () => Promise<unknown>;
}

/** Asks before something is done; null: nothing is asked. */
export function ConfirmDialog({
  question,
  onClose,
}: {
  question: Question | null;
  onClose: () => void;
}) {
  const texts = useTexts();
  const [problem, setProblem] = useState('');
  const [isBusy, setBusy] = useState(false);
  // Stays readable while the dialog fades out.
  const [shown, setShown] = useState(question);
  if (question !== null && question !== shown) {
    setShown(question);
    setProblem('');
  }
  const run = async (): Promise<void> => {
    if (question === null || isBusy) return;
    setBusy(true);
    setProblem('');
    try {
      await question.run();
      onClose();
    } catch (error) {
      setProblem(texts.problem(asProblem(error)));
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog opened={question !== null} title={shown?.title ?? ''} isBusy={isBusy} onClose={onClose}>
      <p>{shown?.text}</p>
      <p className="form-error" role="alert">
        {problem}
      </p>
      <DialogActions isBusy={isBusy} onCancel={onClose}>
        <BusyButton
          data-autofocus
          {...(shown?.isGrave === true ? { color: 'red' } : {})}
          isBusy={isBusy}
          onClick={() => void run()}
        >
          {shown?.action}
        </BusyButton>
      </DialogActions>
    </Dialog>
  );
}

interface DialogActionsProps {
  isBusy?: boolean;
  onCancel: () => void;
  children: ReactNode;
}

export function DialogActions({ isBusy = false, onCancel, children }: DialogActionsProps) {
  const { cancel } = useTexts();
  return (
    <div className="dialog-actions">
      <BusyButton variant="default" isBusy={isBusy} onClick={onCancel}>
        {cancel}
      </BusyButton>
      {children}
    </div>
  );
}
