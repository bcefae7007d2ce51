/** Lets this browser forget the interview, on pages without a menu. */
import { useRef, useState } from 'react';
import type { ConversationSession } from '../state/session';
import { HeaderDialog } from './header-dialog';
import { useTexts } from './language';

interface LeaveFooterProps {
  session: ConversationSession;
  company: string;
}

export function LeaveFooter({ session, company }: LeaveFooterProps) {
  const { leave } = useTexts();
  const [isAsking, setAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const closed = () => {
    setAsking(false);
    opener.current?.focus();
  };
  return (
    <footer className="frame-footer">
      <button
        ref={opener}
        type="button"
        className="quiet-button"
        onClick={() => {
          setAsking(true);
        }}
      >
        {leave.open}
      </button>
      {isAsking && (
        <HeaderDialog asking="leave" session={session} company={company} onClosed={closed} />
      )}
    </footer>
  );
}
