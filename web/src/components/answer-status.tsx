/** The line above the field: what the conversation waits for, and the one thing to do about it. */
import { type ReactNode, useState } from 'react';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { phaseOf } from '../state/answer-status';
import type { Phase } from '../state/answer-status';
import { useTexts } from './language';
import { QuietRing } from './quiet-ring';
import { useReturnedFocus } from './use-returned-focus';

interface AnswerStatusProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
  draft: string;
  onDone: () => void;
}

export function AnswerStatus({ session, snapshot, draft, onDone }: AnswerStatusProps) {
  const { composer, actionFailed } = useTexts();
  const phase = phaseOf(snapshot);
  // A button disappears when it was pressed. Not the field: a phone would open its keyboard.
  const hasButton = phase === 'listening' || phase === 'writing' || phase === 'stopped';
  const status = useReturnedFocus<HTMLParagraphElement>(hasButton ? phase : null);
  if (phase === 'over') return <p id="answer-status" className="for-readers" />;
  return (
    <div className={`answer-status answer-status-${phase}`}>
      <p id="answer-status" ref={status} tabIndex={-1}>
        <StatusText phase={phase} />
      </p>
      {phase === 'listening' && (
        <>
          <button type="button" className="small-button done-button" onClick={onDone}>
            <QuietRing session={session} due={snapshot.due} draft={draft} />
            {composer.done}
          </button>
          <Failure>{snapshot.hasDoneFailed && actionFailed}</Failure>
        </>
      )}
      {phase === 'writing' && (
        <ReplyButton label={composer.stop} onPress={() => session.act('stop')} />
      )}
      {phase === 'stopped' && (
        <ReplyButton label={composer.continue} onPress={() => session.act('continue')} />
      )}
    </div>
  );
}

/** Stops or continues the reply, once at a time. */
function ReplyButton({ label, onPress }: { label: string; onPress: () => Promise<void> }) {
  const { actionFailed } = useTexts();
  const [step, setStep] = useState<'idle' | 'sending' | 'failed'>('idle');
  const press = async () => {
    if (step === 'sending') return;
    setStep('sending');
    try {
      await onPress();
      setStep('idle');
    } catch {
      setStep('failed');
    }
  };
  return (
    <>
      <button
        type="button"
        className="small-button"
        // Not disabled: it would lose the focus, and a failed action is tried again.
        aria-disabled={step === 'sending'}
        onClick={() => void press()}
      >
        {label}
      </button>
      <Failure>{step === 'failed' && actionFailed}</Failure>
    </>
  );
}

function Failure({ children }: { children: ReactNode }) {
  return (
    <p className="form-error" role="alert">
      {children}
    </p>
  );
}

function StatusText({ phase }: { phase: Exclude<Phase, 'over'> }) {
  const { composer } = useTexts();
  if (phase !== 'idle') return composer[phase];
  return (
    <>
      <span className="hint-keys">{composer.hintKeys}</span>
      <span className="hint-touch">{composer.hintTouch}</span>
    </>
  );
}
