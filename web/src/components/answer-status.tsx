/** The line above the field: what the conversation waits for, and the one thing to do about it. */
import { type ReactNode, useRef, useState } from 'react';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { maySkip, phaseOf } from '../state/answer-status';
import type { Phase } from '../state/answer-status';
import { BusyButton } from './busy-button';
import { useTexts } from './language';
import { QuietRing } from './quiet-ring';
import { useLostFocus } from './use-lost-focus';

interface AnswerStatusProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
  draft: string;
  onDone: () => void;
  onSkip: () => void;
}

export function AnswerStatus({ session, snapshot, draft, onDone, onSkip }: AnswerStatusProps) {
  const { composer, actionFailed } = useTexts();
  const phase = phaseOf(snapshot);
  // A button disappears when it was pressed. Not the field: a phone would open its keyboard.
  const status = useRef<HTMLParagraphElement>(null);
  useLostFocus(phase, status);
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
      {maySkip(snapshot, draft) && (
        <button type="button" className="small-button" onClick={onSkip}>
          {composer.skip}
        </button>
      )}
      {phase === 'writing' && (
        <ReplyButton label={composer.stop} onPress={() => session.requests.act('stop')} />
      )}
      {phase === 'stopped' && (
        <ReplyButton label={composer.continue} onPress={() => session.requests.act('continue')} />
      )}
    </div>
  );
}

/** Stops or continues the reply, once at a time. */
function ReplyButton({ label, onPress }: { label: string; onPress: () => Promise<void> }) {
  const { actionFailed } = useTexts();
  const [step, setStep] = useState<'idle' | 'sending' | 'failed'>('idle');
  const press = async () => {
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
      <BusyButton className="small-button" isBusy={step === 'sending'} onClick={() => void press()}>
        {label}
      </BusyButton>
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
