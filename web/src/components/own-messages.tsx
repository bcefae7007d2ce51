/** The candidate's own messages of one answer, each with its state. */
import { SKIP } from '../state/answer-status';
import type { OwnLine } from '../state/timeline';
import { FileMessage } from './files';
import { Icon } from './icons';
import { useLanguage } from './language';
import { VoiceMessage } from './voice-message';
import type { Correct } from './voice-message';

export interface OwnMessageActions {
  onRetry: () => void;
  /** Puts the text back into the draft; null when the interview has ended. */
  onEdit: ((id: string, text: string) => void) | null;
  onRemove: (id: string) => void;
  /** Null when the interview has ended. */
  onCorrect: Correct | null;
  onCorrecting: () => void;
  /** The longest text that the server takes. */
  maxChars: number;
  onDownload: (messageId: string, name: string) => Promise<void>;
}

export function OwnMessages({ lines, actions }: { lines: OwnLine[]; actions: OwnMessageActions }) {
  const { texts } = useLanguage();
  const lastSent = lines.findLast(({ state }) => state === 'sent');
  const lastUnsent = lines.findLast(({ state }) => state !== 'sent' && state !== 'refused');
  return (
    <div className="group group-own">
      <span className="for-readers">{texts.you}:</span>
      {lines.map((line) => (
        <div key={line.key} className={`own own-${line.state}`} data-state={line.state}>
          <OwnContent line={line} actions={actions} />
          {(line.state === 'refused' || line === lastSent || line === lastUnsent) && (
            <OwnState line={line} actions={actions} />
          )}
        </div>
      ))}
    </div>
  );
}

function OwnContent({ line, actions }: { line: OwnLine; actions: OwnMessageActions }) {
  const { texts } = useLanguage();
  const { file } = line;
  if (file !== null) {
    const download = () => actions.onDownload(line.messageId, file.name);
    return <FileMessage file={file} onDownload={download} />;
  }
  if (line.voice === null) {
    const text = line.text === SKIP ? texts.composer.skipped : line.text;
    return <p className="own-text">{text || texts.unknownMessage}</p>;
  }
  const { onCorrect, onCorrecting, maxChars } = actions;
  return <VoiceMessage {...{ line, onCorrect, onCorrecting, maxChars }} />;
}

function OwnState({ line, actions }: { line: OwnLine; actions: OwnMessageActions }) {
  const { texts, language } = useLanguage();
  const { delivery } = texts;
  switch (line.state) {
    case 'sending':
      return (
        <p className="own-state">
          <Icon name="clock" /> {delivery.sending}
        </p>
      );
    case 'sent':
      return (
        <p className="own-state">
          <Icon name="check" /> {delivery.sent} ·{' '}
          <time dateTime={line.at}>{timeOfDay(line.at, language)}</time>
        </p>
      );
    case 'waiting':
      return (
        <p className="own-state own-state-waiting">
          <Icon name="clock" /> {delivery.waiting}
          <button type="button" onClick={actions.onRetry}>
            {delivery.retry}
          </button>
        </p>
      );
    case 'refused':
      return (
        <p className="own-state own-state-refused">
          <span role="alert">{delivery.refused(line.code)}</span>
          {actions.onEdit && (
            <button type="button" onClick={() => actions.onEdit?.(line.key, line.text)}>
              {delivery.edit}
            </button>
          )}
          <button type="button" onClick={() => actions.onRemove(line.key)}>
            {delivery.remove}
          </button>
        </p>
      );
  }
}

/** The person's own variety of the page's language: English has two ways to write a time. */
function localeOf(language: string): string {
  return navigator.languages.find((locale) => locale.startsWith(language)) ?? language;
}

function timeOfDay(at: string, language: string): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return '';
  return new Intl.DateTimeFormat(localeOf(language), { timeStyle: 'short' }).format(time);
}
