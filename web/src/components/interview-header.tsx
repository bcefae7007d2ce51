/** Who is asking, how far we are, and the ways out: a person, the other language, withdrawing. */
import { useRef, useState } from 'react';
import type { ConversationState } from '../state/conversation';
import type { ConversationSession } from '../state/session';
import { ConfirmDialog } from './confirm-dialog';
import { DataDialog } from './data-dialog';
import { Icon, Mark } from './icons';
import { useTexts } from './language';
import { Menu } from './menu';
import { Progress } from './progress';

interface InterviewHeaderProps {
  session: ConversationSession;
  view: ConversationState['view'];
}

export function InterviewHeader({ session, view }: InterviewHeaderProps) {
  const texts = useTexts();
  const [asking, setAsking] = useState<'human' | 'withdraw' | 'data' | 'erase' | null>(null);
  const opener = useRef<HTMLElement | null>(null);
  const menuButton = useRef<HTMLButtonElement>(null);
  const isRunning = view.status === 'active' || view.status === 'completed';
  const askFromMenu = (what: 'withdraw' | 'data' | 'erase') => () => {
    opener.current = menuButton.current;
    setAsking(what);
  };
  const closed = () => {
    setAsking(null);
    opener.current?.focus();
  };
  return (
    <header className="interview-header">
      {view.status !== 'withdrawn' && (
        <a className="skip-link" href="#answer">
          {texts.skipToAnswer}
        </a>
      )}
      <div className="interview-header-row">
        <Mark />
        <h1 className="interview-title">
          <span>{view.vacancyTitle}</span>
          <span className="interview-company">{view.company}</span>
        </h1>
        <Menu
          button={menuButton}
          onDownload={askFromMenu('data')}
          onErase={askFromMenu('erase')}
          onWithdraw={view.status === 'withdrawn' ? null : askFromMenu('withdraw')}
        />
        <Progress progress={view.progress} isComplete={view.status === 'completed'} />
        {isRunning && (
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
      {asking === 'human' && (
        <ConfirmDialog
          title={texts.human.title}
          text={texts.human.text(view.company)}
          confirm={texts.human.confirm}
          onConfirm={() => session.act('human')}
          onClosed={closed}
        />
      )}
      {asking === 'withdraw' && (
        <ConfirmDialog
          title={texts.withdraw.title}
          text={texts.withdraw.text}
          confirm={texts.withdraw.confirm}
          isGrave
          onConfirm={() => session.act('withdraw')}
          onClosed={closed}
        />
      )}
      {(asking === 'data' || asking === 'erase') && (
        <DataDialog what={asking} session={session} company={view.company} onClosed={closed} />
      )}
    </header>
  );
}
