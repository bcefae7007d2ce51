/** Notices of the page next to the transcript: no connection, and how the interview ended. */
import { useState } from 'react';
import type { ConversationState } from '../state/conversation';
import { useLanguage, useTexts } from './language';
import { focusLog, focusStatus, useLostFocus } from './use-lost-focus';
import { BusyButton } from './busy-button';

export function ConnectionBanner({ isLost, onRetry }: { isLost: boolean; onRetry: () => void }) {
  const { connection } = useTexts();
  useLostFocus(isLost, focusLog);
  return (
    <div role="status">
      {isLost && (
        <div className="banner">
          <span className="banner-dot" aria-hidden="true" />
          <span>{connection.lost}</span>
          <button type="button" className="quiet-button" onClick={onRetry}>
            {connection.retry}
          </button>
        </div>
      )}
    </div>
  );
}

interface ClosingProps {
  view: ConversationState['view'];
  /** Continues the interview after a person was asked for. */
  onResume: () => Promise<void>;
}

export function Closing({ view, onResume }: ClosingProps) {
  const { texts, language } = useLanguage();
  const closing = closingOf(view, texts);
  const more = view.afterWithdrawal?.[language].split('\n\n') ?? [];
  const isAsked = view.owner === 'asked' && view.status !== 'withdrawn';
  // The button that asks for a person, or the one that resumes, is gone.
  useLostFocus(`${view.status} ${view.owner}`, focusStatus);
  return (
    <>
      <div role="status">
        {closing && (
          <section className="closing">
            <h2 tabIndex={-1}>{closing.title}</h2>
            <p>{closing.text}</p>
            {more.map((paragraph) => (
              <p key={paragraph}>{paragraph}</p>
            ))}
          </section>
        )}
      </div>
      {isAsked && <Resume key={view.status} onResume={onResume} label={texts.resume} />}
    </>
  );
}

/** Outside the live status, so that a screen reader does not read the button with it. */
function Resume({ onResume, label }: Pick<ClosingProps, 'onResume'> & { label: string }) {
  const { actionFailed } = useTexts();
  const [step, setStep] = useState<'idle' | 'sending' | 'failed'>('idle');
  const resume = async () => {
    setStep('sending');
    try {
      await onResume();
      setStep('idle');
    } catch {
      setStep('failed');
    }
  };
  return (
    <div className="resume">
      <BusyButton
        className="button button-plain"
        isBusy={step === 'sending'}
        onClick={() => void resume()}
      >
        {label}
      </BusyButton>
      <p className="form-error" role="alert">
        {step === 'failed' && actionFailed}
      </p>
    </div>
  );
}

function closingOf(view: ConversationState['view'], texts: ReturnType<typeof useTexts>) {
  const { status, owner, company } = view;
  if (status === 'withdrawn') return texts.withdrawn;
  if (status === 'expired') return texts.endedBySilence;
  if (owner === 'person') return texts.withPerson;
  if (owner === 'asked') {
    const { title, paused, text } = texts.askedForPerson;
    const isPaused = status === 'handed_over';
    // Without consent the candidate cannot write.
    if (view.consent?.accepted !== true) return { title, text: paused };
    return { title, text: isPaused ? `${paused} ${text(company)}` : text(company) };
  }
  return null;
}
