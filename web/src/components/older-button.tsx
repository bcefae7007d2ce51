/** At the beginning of what is shown: asks for the messages before it. */
import type { RefObject } from 'react';
import type { OlderMessages } from '../state/conversation';
import { BusyButton } from './busy-button';
import { useTexts } from './language';
import { useLostFocus } from './use-lost-focus';

interface OlderButtonProps {
  older: OlderMessages;
  onOlder: () => void;
  scroller: RefObject<HTMLDivElement | null>;
}

export function OlderButton({ older, onOlder, scroller }: OlderButtonProps) {
  const texts = useTexts();
  const isLoading = older.state === 'loading';
  const isThere = older.cursor !== null;
  // The button disappears with the first message.
  useLostFocus(isThere, scroller);
  if (!isThere) return null;
  return (
    <div className="older">
      <BusyButton className="quiet-button" isBusy={isLoading} onClick={onOlder}>
        {isLoading ? texts.older.loading : texts.older.show}
      </BusyButton>
      <p role="status">{older.state === 'failed' && texts.older.failed}</p>
    </div>
  );
}
