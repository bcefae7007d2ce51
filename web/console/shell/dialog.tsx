/** The dialogs of the console. */
import { useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { Button, Modal } from '@mantine/core';
import { gate } from '../api/calls';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';

interface DialogProps {
  opened: boolean;
  title: string;
  onClose: () => void;
  /** Lies over the other dialogs, which Escape then leaves alone. */
  isGate?: boolean;
  children: ReactNode;
}

export function Dialog({ isGate = false, children, ...props }: DialogProps) {
  const { close } = useTexts();
  const isUnderGate = useSyncExternalStore(gate.subscribe, gate.snapshot) !== null && !isGate;
  return (
    <Modal
      {...props}
      zIndex={isGate ? 310 : 300}
      closeOnEscape={!isUnderGate}
      trapFocus={!isUnderGate}
      closeButtonProps={{ 'aria-label': close }}
    >
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
    <Dialog opened={question !== null} title={shown?.title ?? ''} onClose={onClose}>
      <p>{shown?.text}</p>
      <p className="form-error" role="alert">
        {problem}
      </p>
      <DialogActions onCancel={onClose}>
        <Button
          data-autofocus
          {...(shown?.isGrave === true ? { color: 'red' } : {})}
          loading={isBusy}
          onClick={() => void run()}
        >
          {shown?.action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

export function DialogActions({
  onCancel,
  children,
}: {
  onCancel: () => void;
  children: ReactNode;
}) {
  const { cancel } = useTexts();
  return (
    <div className="dialog-actions">
      <Button variant="default" onClick={onCancel}>
        {cancel}
      </Button>
      {children}
    </div>
  );
}
