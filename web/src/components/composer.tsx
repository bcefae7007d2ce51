/**
 * The field for the answer. It is never disabled: not while a message is being sent, not while a reply
 * runs, not without a connection. Only an empty or too long text cannot be sent.
 */
import { useRef } from 'react';
import type { KeyboardEvent, RefObject } from 'react';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { SKIP } from '../state/answer-status';
import { AnswerStatus } from './answer-status';
import { AttachButton, AttachedFiles } from './files';
import { Icon } from './icons';
import { useLanguage } from './language';
import { Length } from './length';
import { useLostFocus } from './use-lost-focus';
import { VoiceProblem, VoiceRecorder } from './voice-recorder';

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
  const { recorder } = snapshot;
  // Not the field: a phone would open its keyboard.
  const recordButton = useRef<HTMLButtonElement>(null);
  useLostFocus(recorder.kind, recordButton);
  const isSpeaking = recorder.kind !== 'idle' && recorder.kind !== 'problem';
  const canSend = draft.trim() !== '' && !isTooLong;

  const send = () => {
    if (!canSend) return false;
    session.write(draft);
    onDraft('');
    onSent();
    field.current?.focus();
    return true;
  };

  const done = () => {
    if (draft.trim() === '' || send()) session.finishAnswer();
    // Too long to be sent: the candidate shortens it.
    else field.current?.focus();
  };

  const skip = () => {
    session.write(SKIP);
    session.finishAnswer();
    onSent();
  };

  const attach = (files: Iterable<File>) => {
    session.attachments.add(files);
    onSent();
    field.current?.focus();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <AnswerStatus {...{ session, snapshot, draft }} onDone={done} onSkip={skip} />
      <AttachedFiles session={session} snapshot={snapshot} />
      <VoiceProblem state={recorder} onClose={() => session.recorder.cancel()} />
      {isSpeaking && (
        <VoiceRecorder
          state={recorder}
          onSend={() => void session.recorder.send().then(onSent)}
          onCancel={() => session.recorder.cancel()}
        />
      )}
      <div className="composer-card" hidden={isSpeaking}>
        <AttachButton onFiles={attach} />
        <Field
          ref={field}
          draft={draft}
          placeholder={placeholderOf(view, texts.composer)}
          isTooLong={isTooLong}
          onDraft={onDraft}
          onEnter={send}
          onFiles={attach}
        />
        {snapshot.canRecord && <RecordButton ref={recordButton} session={session} />}
        <SendButton canSend={canSend} />
      </div>
      <Length id="answer-length" length={draft.length} limit={view.limits.maxMessageChars} />
    </form>
  );
}

interface FieldProps {
  ref: RefObject<HTMLTextAreaElement | null>;
  draft: string;
  placeholder: string;
  isTooLong: boolean;
  onDraft: (text: string) => void;
  onEnter: () => void;
  onFiles: (files: Iterable<File>) => void;
}

function Field({ ref, draft, placeholder, isTooLong, onDraft, onEnter, onFiles }: FieldProps) {
  const { texts } = useLanguage();
  const pressed = (event: KeyboardEvent) => {
    const isPlainEnter = event.key === 'Enter' && !event.shiftKey && !event.altKey;
    if (!isPlainEnter || isOfInputMethod(event.nativeEvent) || !hasRealKeyboard()) return;
    event.preventDefault();
    onEnter();
  };
  return (
    <>
      <label htmlFor="answer" className="for-readers">
        {texts.composer.label}
      </label>
      <div className="growing" data-text={`${draft} `}>
        <textarea
          ref={ref}
          id="answer"
          rows={1}
          value={draft}
          placeholder={placeholder}
          aria-describedby={isTooLong ? 'answer-status answer-length' : 'answer-status'}
          aria-invalid={isTooLong}
          enterKeyHint="enter"
          onChange={(event) => onDraft(event.target.value)}
          onKeyDown={pressed}
          onPaste={(event) => {
            const { files, types } = event.clipboardData;
            // An office program copies a text together with a picture of it.
            if (files.length === 0 || types.includes('text/plain')) return;
            event.preventDefault();
            onFiles(files);
          }}
        />
      </div>
    </>
  );
}

interface RecordButtonProps {
  ref: RefObject<HTMLButtonElement | null>;
  session: ConversationSession;
}

function RecordButton({ ref, session }: RecordButtonProps) {
  const { texts } = useLanguage();
  return (
    <button
      ref={ref}
      type="button"
      className="icon-button"
      aria-label={texts.voice.record}
      onClick={() => void session.recorder.start()}
    >
      <Icon name="microphone" />
    </button>
  );
}

function SendButton({ canSend }: { canSend: boolean }) {
  const { texts } = useLanguage();
  return (
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
  );
}

function placeholderOf(
  { status, owner }: SessionSnapshot['conversation']['view'],
  texts: ReturnType<typeof useLanguage>['texts']['composer'],
): string {
  if (owner !== 'model') return texts.placeholderPerson;
  const isOver = status === 'completed' || status === 'expired';
  return isOver ? texts.placeholderMore : texts.placeholder;
}

/**
 * The key chooses a word of an input method, such as for Japanese. Safari ends the composition
 * before the event of that Enter, and tells it only by the key code 229.
 */
function isOfInputMethod(event: globalThis.KeyboardEvent): boolean {
  // oxlint-disable-next-line typescript/no-deprecated -- Safari shows it by no other property
  return event.isComposing || event.keyCode === 229;
}

/** On a touch screen Enter starts a new line: there the button sends. */
function hasRealKeyboard(): boolean {
  return matchMedia('(hover: hover) and (pointer: fine)').matches;
}
