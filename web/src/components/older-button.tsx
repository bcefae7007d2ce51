/** At the beginning of what is shown: asks for the messages before it. */
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { OlderMessages } from '../state/conversation';
import { useTexts } from './language';

interface OlderButtonProps {
  older: OlderMessages;
  onOlder: () => void;
  scroller: RefObject<HTMLDivElement | null>;
}

export function OlderButton({ older, onOlder, scroller }: OlderButtonProps) {
  const texts = useTexts();
  const isLoading = older.state === 'loading';
  const isThere = older.cursor !== null;
  const wasPressed = useRef(false);
  useEffect(() => {
    // The button disappears with the first message, so the focus moves to the transcript.
    if (!isThere && wasPressed.current) scroller.current?.focus({ preventScroll: true });
  }, [isThere, scroller]);
  const press = () => {
    wasPressed.current = true;
    onOlder();
  };
  if (!isThere) return null;
  return (
    <div className="older">
      <button
        type="button"
        className="quiet-button"
        aria-disabled={isLoading}
        onClick={isLoading ? undefined : press}
      >
        {isLoading ? texts.older.loading : texts.older.show}
      </button>
      <p role="status">{older.state === 'failed' && texts.older.failed}</p>
    </div>
  );
}
