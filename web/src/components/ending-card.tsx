/** The end of an interview: who replies and by when, one's answers to keep, and a way to add to them. */
import { useEffect, useRef, useState } from 'react';
import type { Language, Receipt } from '../api/wire';
import type { ConversationState } from '../state/conversation';
import type { ConversationSession } from '../state/session';
import { answersFile } from '../state/answers-file';
import { givenName, promisedDay } from '../promised-reply';
import { Icon } from './icons';
import { useLanguage } from './language';
import { BusyButton } from './busy-button';

interface EndingCardProps {
  session: ConversationSession;
  view: ConversationState['view'];
  /** Null: there is a field to write in already. */
  onAdd: (() => void) | null;
}

/** The interviewer has the last word, and no person has been asked for. */
export function hasEnded({ status, owner }: ConversationState['view']): boolean {
  return status === 'completed' && owner === 'model';
}

/** The live status is there before its words, so that a screen reader reads them. */
export function EndingCard({ session, view, onAdd }: EndingCardProps) {
  const { texts, language } = useLanguage();
  const title = useRef<HTMLHeadingElement>(null);
  const isOver = hasEnded(view);
  // The field for answers is gone, and the focus with it.
  useEffect(() => {
    if (isOver && document.activeElement === document.body) title.current?.focus();
  }, [isOver]);
  const { completed } = texts;
  const [name, from] = [givenName(view.profile.name), givenName(view.reply.from)];
  return (
    <section className={isOver ? 'ending' : 'ending-to-come'}>
      <div role="status">
        {isOver && (
          <>
            <span className="ending-mark">
              <Icon name="check" />
            </span>
            <h2 ref={title} tabIndex={-1}>
              {completed.title(name, from, promisedDay(view.reply, language))}
            </h2>
          </>
        )}
      </div>
      {isOver && (
        <div className="actions">
          <DownloadAnswers session={session} view={view} />
          {onAdd && (
            <button type="button" className="button button-plain" onClick={onAdd}>
              {completed.add}
            </button>
          )}
        </div>
      )}
      {isOver && view.receipt && <ReceiptDetails session={session} view={view} />}
    </section>
  );
}

/** Read each time it is opened, because an addition is read anew. */
function ReceiptDetails({ session, view }: Pick<EndingCardProps, 'session' | 'view'>) {
  const { texts } = useLanguage();
  const [receipt, setReceipt] = useState<Receipt | 'failed' | null>(null);
  const read = async () => {
    try {
      setReceipt(await session.requests.receipt());
    } catch {
      setReceipt('failed');
    }
  };
  return (
    <details
      className="receipt"
      onToggle={({ currentTarget }) => {
        if (currentTarget.open) void read();
      }}
    >
      <summary>{texts.receipt.title}</summary>
      {receipt === 'failed' && (
        <p className="form-error" role="alert">
          {texts.actionFailed}
        </p>
      )}
      {receipt !== null && receipt !== 'failed' && (
        <ReceiptText receipt={receipt} language={view.language} />
      )}
    </details>
  );
}

export function ReceiptText({ receipt, language }: { receipt: Receipt; language: Language }) {
  const { receipt: texts } = useLanguage().texts;
  const { state, questions } = receipt;
  return (
    <>
      {state !== 'ready' && <p>{texts[state]}</p>}
      {state === 'ready' && <p>{questions.length === 0 ? texts.none : texts.lead}</p>}
      {questions.map(({ question, quotes }) => (
        <section key={question} lang={language}>
          <h3>{question}</h3>
          {quotes.map((quote) => (
            <blockquote key={quote}>{quote}</blockquote>
          ))}
        </section>
      ))}
    </>
  );
}

function DownloadAnswers({ session, view }: Pick<EndingCardProps, 'session' | 'view'>) {
  const { texts } = useLanguage();
  const [step, setStep] = useState<'idle' | 'reading' | 'failed'>('idle');
  const download = async () => {
    setStep('reading');
    const title = texts.documentTitle(view.company, view.vacancyTitle);
    try {
      await session.requests.downloadAnswers(texts.completed.fileName, (messages, receipt) =>
        answersFile(title, { messages, receipt, interviewer: view.interviewer }, texts),
      );
      setStep('idle');
    } catch {
      setStep('failed');
    }
  };
  return (
    <>
      <BusyButton className="button" isBusy={step === 'reading'} onClick={() => void download()}>
        {texts.completed.download}
      </BusyButton>
      <p className="form-error" role="alert">
        {step === 'failed' && texts.actionFailed}
      </p>
    </>
  );
}
