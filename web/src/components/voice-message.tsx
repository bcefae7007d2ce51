/** The state of a candidate's own voice message: being transcribed, or transcribed and correctable. */
import { useId, useRef, useState } from 'react';
import type { OwnLine } from '../state/timeline';
import { BusyButton } from './busy-button';
import { Icon } from './icons';
import { useTexts } from './language';
import { Length } from './length';
import { useLostFocus } from './use-lost-focus';

export type Correct = (id: string, text: string) => Promise<void>;

interface VoiceMessageProps {
  line: OwnLine;
  onCorrect: Correct | null;
  /** A correction is being written. */
  onCorrecting: () => void;
  /** The longest text that the server takes. */
  maxChars: number;
}

export function VoiceMessage({ line, onCorrect, onCorrecting, maxChars }: VoiceMessageProps) {
  const { voice } = useTexts();
  const [isCorrecting, setCorrecting] = useState(false);
  const correctButton = useRef<HTMLButtonElement>(null);
  useLostFocus(isCorrecting, correctButton);
  if (line.voice === 'transcribing') {
    return (
      <p className="own-text own-voice">
        <Icon name="microphone" /> {voice.transcribing}
      </p>
    );
  }
  if (isCorrecting && onCorrect) {
    const done = () => setCorrecting(false);
    return <Correction {...{ line, onCorrect, onCorrecting, maxChars }} onDone={done} />;
  }
  return (
    <>
      <p className="own-text">{line.text}</p>
      <p className="own-state own-heard">
        <Icon name="microphone" /> {voice.heard}
        {onCorrect && (
          <button
            ref={correctButton}
            type="button"
            onClick={() => {
              onCorrecting();
              setCorrecting(true);
            }}
          >
            {voice.correct}
          </button>
        )}
      </p>
    </>
  );
}

interface CorrectionProps {
  line: OwnLine;
  onCorrect: Correct;
  onCorrecting: () => void;
  maxChars: number;
  onDone: () => void;
}

function Correction({ line, onCorrect, onCorrecting, maxChars, onDone }: CorrectionProps) {
  const { voice, actionFailed } = useTexts();
  const [text, setText] = useState(line.text);
  const [isSaving, setSaving] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const lengthId = useId();
  const isTooLong = text.length > maxChars;
  const save = async () => {
    setSaving(true);
    setFailed(false);
    try {
      await onCorrect(line.messageId, text.trim());
      onDone();
    } catch {
      setFailed(true);
      setSaving(false);
    }
  };
  return (
    <form
      className="correction"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isTooLong) void save();
      }}
    >
      <label>
        <span>{voice.correctLabel}</span>
        <textarea
          rows={4}
          value={text}
          autoFocus
          aria-describedby={isTooLong ? lengthId : undefined}
          aria-invalid={isTooLong}
          onChange={(event) => {
            setText(event.target.value);
            onCorrecting();
          }}
          onKeyDown={(event) => {
            // What was changed is given up only by the button.
            if (event.key === 'Escape' && text === line.text) onDone();
          }}
        />
      </label>
      <Length id={lengthId} length={text.length} limit={maxChars} />
      <div role="alert">{hasFailed && <p className="correction-failed">{actionFailed}</p>}</div>
      <p className="correction-buttons">
        <button type="button" className="quiet-button" onClick={onDone}>
          {voice.keep}
        </button>
        <BusyButton
          type="submit"
          className="small-button"
          isBusy={isSaving}
          disabled={isTooLong || text.trim() === ''}
        >
          {voice.save}
        </BusyButton>
      </p>
    </form>
  );
}
