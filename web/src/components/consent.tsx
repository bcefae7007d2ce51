/** The disclosure, word for word from the server, and the candidate's yes or no to it. */
import { useState } from 'react';
import { ApiProblem } from '../api/client';
import type { ConversationSession } from '../state/session';
import type { ConversationState } from '../state/conversation';
import { DisclosureText } from './disclosure-text';
import { AskButton } from './ask-button';
import { Frame, PageTitle } from './frame';
import { useTexts } from './language';
import { LeaveFooter } from './leave-footer';
import { MessagePage } from './message-page';
import { BusyButton } from './busy-button';

interface ConsentProps {
  session: ConversationSession;
  view: ConversationState['view'];
  onAnswered: () => void;
}

type Step = 'reading' | 'sending' | 'failed' | 'outdated' | 'closed';

export function Consent({ session, view, onAnswered }: ConsentProps) {
  const texts = useTexts();
  const [step, setStep] = useState<Step>('reading');
  const answer = async (accepted: boolean) => {
    setStep('sending');
    try {
      await session.requests.consent(accepted);
      onAnswered();
      setStep('reading');
    } catch (error) {
      const code = error instanceof ApiProblem ? error.code : null;
      if (code === 'disclosure_outdated') setStep('outdated');
      else setStep(code === 'vacancy_closed' ? 'closed' : 'failed');
    }
  };
  // The vacancy was closed after this page was opened.
  if (step === 'closed') {
    const { title, text } = texts.closed;
    const footer = <LeaveFooter session={session} company={view.company} />;
    return <MessagePage text={() => ({ title, text: text(view.company) })} footer={footer} />;
  }
  const isSending = step === 'sending';
  return (
    <Frame footer={<LeaveFooter session={session} company={view.company} />}>
      <title>{texts.documentTitle(view.company, view.vacancyTitle)}</title>
      <p className="kicker">{view.vacancyTitle}</p>
      <PageTitle>{texts.consent.title}</PageTitle>
      <DisclosureText text={view.disclosure.text} language={view.language} />
      <p className="form-error" role="alert">
        {step === 'failed' && texts.consent.failed}
        {step === 'outdated' && texts.consent.outdated}
      </p>
      <div className="actions">
        <BusyButton className="button" isBusy={isSending} onClick={() => void answer(true)}>
          {texts.consent.agree}
        </BusyButton>
        <BusyButton
          className="button button-plain"
          isBusy={isSending}
          onClick={() => void answer(false)}
        >
          {texts.consent.refuse}
        </BusyButton>
      </div>
      <div className="beside-actions">
        <AskButton
          asking="human"
          label={texts.human.open}
          session={session}
          company={view.company}
        />
      </div>
    </Frame>
  );
}
