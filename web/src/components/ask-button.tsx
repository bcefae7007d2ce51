/** A button that opens a question of the header on pages without a header, and gets the focus back. */
import { useRef, useState } from 'react';
import type { ConversationSession } from '../state/session';
import { type Asking, HeaderDialog } from './header-dialog';

interface AskButtonProps {
  asking: Asking;
  label: string;
  session: ConversationSession;
  company: string;
}

export function AskButton({ asking, label, session, company }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const closed = () => {
    setAsking(false);
    opener.current?.focus();
  };
  return (
    <>
      <button
        ref={opener}
        type="button"
        className="quiet-button"
        onClick={() => {
          setAsking(true);
        }}
      >
        {label}
      </button>
      {isAsking && (
        <HeaderDialog asking={asking} session={session} company={company} onClosed={closed} />
      )}
    </>
  );
}
