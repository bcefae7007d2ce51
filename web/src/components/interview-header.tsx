/** The header: the vacancy and its company, the progress, the button that asks for a person, and the menu. */
import { useRef, useState } from 'react';
import type { ConversationState } from '../state/conversation';
import type { ConversationSession } from '../state/session';
import { type Asking, HeaderDialog } from './header-dialog';
import { Logo } from './brand';
import { Icon } from './icons';
import { useTexts } from './language';
import { Menu } from './menu';
import { Progress } from './progress';
import { focusStatus } from './use-lost-focus';

interface InterviewHeaderProps {
  session: ConversationSession;
  view: ConversationState['view'];
  /** There is a field to write in. */
  canWrite: boolean;
}

export function InterviewHeader({ session, view, canWrite }: InterviewHeaderProps) {
  const texts = useTexts();
  const [asking, setAsking] = useState<Asking | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const isOpen = view.status !== 'withdrawn';
  const { status, owner } = view;
  const isAnswered = owner === 'model' && ['active', 'completed', 'expired'].includes(status);
  const askFromMenu = (what: Asking) => {
    opener.current = menuButton.current;
    setAsking(what);
  };
  const closed = () => {
    setAsking(null);
    opener.current?.focus();
    // The opener may be gone: a person is asked for only once.
    if (document.activeElement !== opener.current) focusStatus();
  };
  return (
    <header className="interview-header">
      {canWrite && (
        <a className="skip-link" href="#answer">
          {texts.skipToAnswer}
        </a>
      )}
      <div className="interview-header-row">
        <Logo company={view.company} logo={view.brand.logo} />
        <h1 className="interview-title" tabIndex={-1}>
          <span>{view.vacancyTitle}</span>
          <span className="interview-company">{view.company}</span>
        </h1>
        <Menu
          button={menuButton}
          onTelegram={view.telegram && isOpen ? () => askFromMenu('telegram') : null}
          onDownload={() => askFromMenu('data')}
          onLeave={() => askFromMenu('leave')}
          onWithdraw={isOpen ? () => askFromMenu('withdraw') : null}
          onErase={() => askFromMenu('erase')}
        />
        <Progress view={view} />
        {isAnswered && (
          <button
            type="button"
            className="person-button"
            onClick={(event) => {
              opener.current = event.currentTarget;
              setAsking('human');
            }}
          >
            <Icon name="person" />
            {texts.human.open}
          </button>
        )}
      </div>
      {asking && (
        <HeaderDialog asking={asking} session={session} company={view.company} onClosed={closed} />
      )}
    </header>
  );
}
