/**
 * The place to write. It never blocks: not while a message is being sent, not while a reply runs,
 * not without a connection. Only an empty or too long text cannot be sent.
 */
import { useRef } from 'react';
import type { KeyboardEvent } from 'react';
import type { ConversationSession, SessionSnapshot } from '../state/session';
import { AnswerStatus } from './answer-status';
import { Icon } from './icons';
import { useLanguage } from './language';

const COUNTED_FROM = 0.9;

interface ComposerProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
  draft: string;
  onDraft: (text: string) => void;
  onSent: () => void;
}

export function Composer({ session, snapshot, draft, onDraft, onSent }: ComposerProps) {
  const { texts } = useLanguage();
  const { view } = snapshot.conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const isTooLong = draft.length > view.limits.maxMessageChars;
  const canSend = draft.trim() !== '' && !isTooLong;

  const send = () => {
    if (!canSend) return false;
    session.write(draft);
    onDraft('');
    onSent();
    field.current?.focus();
    return true;
  };
  const pressed = (event: KeyboardEvent) => {
    const isPlainEnter = event.key === 'Enter' && !event.shiftKey && !event.altKey;
    if (!isPlainEnter || event.nativeEvent.isComposing || !hasRealKeyboard()) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <AnswerStatus
        snapshot={snapshot}
        onDone={() => {
          if (draft.trim() === '' || send()) session.finishAnswer();
        }}
        onStop={() => void session.act('stop').catch(() => undefined)}
      />
      <div className="composer-card">
        <label htmlFor="answer" className="for-readers">
          {texts.composer.label}
        </label>
        <div className="growing" data-text={`${draft} `}>
          <textarea
            ref={field}
            id="answer"
            rows={1}
            value={draft}
            placeholder={placeholderOf(view.status, texts.composer)}
            aria-describedby="answer-status answer-length"
            aria-invalid={isTooLong}
            enterKeyHint="enter"
            onChange={(event) => onDraft(event.target.value)}
            onKeyDown={pressed}
          />
        </div>
        <button
          type="submit"
          className="send-button"
          aria-label={texts.composer.send}
          disabled={!canSend}
          // Keeps the field focused, so that a phone's keyboard stays open between two messages.
          onMouseDown={(event) => event.preventDefault()}
        >
          <Icon name="send" />
        </button>
      </div>
      <Length length={draft.length} limit={view.limits.maxMessageChars} />
    </form>
  );
}

function Length({ length, limit }: { length: number; limit: number }) {
  const { texts, language } = useLanguage();
  const count = new Intl.NumberFormat(language);
  const isTooLong = length > limit;
  return (
    <p id="answer-length" className={isTooLong ? 'length length-over' : 'length'}>
      {isTooLong && texts.composer.tooLong(count.format(length - limit))}
      {!isTooLong &&
        length > limit * COUNTED_FROM &&
        texts.composer.left(count.format(limit - length))}
    </p>
  );
}

function placeholderOf(
  status: SessionSnapshot['conversation']['view']['status'],
  texts: ReturnType<typeof useLanguage>['texts']['composer'],
): string {
  if (status === 'completed') return texts.placeholderMore;
  return status === 'handed_over' ? texts.placeholderPerson : texts.placeholder;
}

/** On a touch screen Enter starts a new line: there the button sends. */
function hasRealKeyboard(): boolean {
  return matchMedia('(hover: hover) and (pointer: fine)').matches;
}
