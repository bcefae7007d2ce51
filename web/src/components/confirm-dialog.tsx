/** Asks before something that cannot be undone or leaves the page. Escape and the first button cancel. */
import { useEffect, useRef, useState } from 'react';
import { useTexts } from './language';
import { BusyButton } from './busy-button';

interface ConfirmDialogProps {
  title: string;
  text: string;
  confirm: string;
  /** The text of the first button; by default, to keep going. */
  cancel?: string;
  isGrave?: boolean;
  onConfirm: () => Promise<void>;
  onClosed: () => void;
}

export function ConfirmDialog(props: ConfirmDialogProps) {
  const texts = useTexts();
  const { title, text, confirm, cancel = texts.keepGoing, isGrave = false } = props;
  const { onConfirm, onClosed } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [step, setStep] = useState<'asking' | 'sending' | 'failed'>('asking');
  useEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  const confirmed = async () => {
    setStep('sending');
    try {
      await onConfirm();
      dialog.current?.close();
    } catch {
      setStep('failed');
    }
  };
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby="dialog-title"
      onCancel={(event) => {
        // What is being sent can no longer be cancelled.
        if (step === 'sending') event.preventDefault();
      }}
      onClose={onClosed}
    >
      <h2 id="dialog-title">{title}</h2>
      <p>{text}</p>
      <p className="form-error" role="alert">
        {step === 'failed' && texts.actionFailed}
      </p>
      <div className="dialog-actions">
        <BusyButton
          className="button button-plain"
          isBusy={step === 'sending'}
          onClick={() => dialog.current?.close()}
        >
          {cancel}
        </BusyButton>
        <BusyButton
          className={isGrave ? 'button button-grave' : 'button'}
          isBusy={step === 'sending'}
          onClick={() => void confirmed()}
        >
          {confirm}
        </BusyButton>
      </div>
    </dialog>
  );
}
