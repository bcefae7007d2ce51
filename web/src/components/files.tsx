/** Files: the button that attaches them, those being sent, and one in the transcript. */
import { useRef, useState } from 'react';
import type { Language, WireFile } from '../api/wire';
import type { AttachmentItem } from '../state/attachments';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { Icon } from './icons';
import { useLanguage } from './language';
import { BusyButton } from './busy-button';

/** By ending as well, because not every system knows the types. */
const ACCEPTED = '.pdf,.docx,.jpg,.jpeg,.png,.webp,.gif,.heic,.heif,application/pdf,image/*';

export function AttachButton({ onFiles }: { onFiles: (files: Iterable<File>) => void }) {
  const { texts } = useLanguage();
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        className="attach-input"
        type="file"
        multiple
        hidden
        accept={ACCEPTED}
        aria-label={texts.files.attach}
        onChange={(event) => {
          onFiles([...(event.target.files ?? [])]);
          // So that the same file can be chosen again.
          event.target.value = '';
        }}
      />
      <button
        type="button"
        className="icon-button"
        aria-label={texts.files.attach}
        title={texts.files.attach}
        onClick={() => input.current?.click()}
      >
        <Icon name="clip" />
      </button>
    </>
  );
}

interface AttachedFilesProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
}

/** Above the field: each file with its state. */
export function AttachedFiles({ session, snapshot }: AttachedFilesProps) {
  const { texts, language } = useLanguage();
  const { files } = texts;
  const { attachments } = session;
  const { view, messages } = snapshot.conversation;
  const maxBytes = view.limits.maxFileBytes;
  // The transcript may show a file before its upload has been acknowledged.
  const isShown = (id: string) => messages.some(({ clientId }) => clientId === id);
  const items = snapshot.attachments.filter(({ id }) => !isShown(id));
  const statusOf = ({ state, percent, problem }: AttachmentItem): string => {
    if (problem !== null) return files.problems[problem](sizeInWords(maxBytes, language));
    if (state === 'sending') return files.sending(percent);
    return state === 'unsent' ? files.unsent : files.waiting;
  };
  return (
    <ul className="attached" aria-label={files.list} hidden={items.length === 0}>
      {items.map((item) => (
        <li key={item.id} className="attached-file" data-state={item.state}>
          <Icon name="document" />
          <div className="attached-facts">
            <p className="attached-name">
              <bdi>{item.name}</bdi> <span>{sizeInWords(item.sizeBytes, language)}</span>
            </p>
            <p className="attached-status" role={item.state === 'sending' ? undefined : 'status'}>
              {statusOf(item)}
            </p>
            {item.state === 'sending' && (
              <progress max={100} value={item.percent} aria-label={item.name} />
            )}
          </div>
          {item.state === 'unsent' && (
            <button type="button" className="small-button" onClick={() => attachments.retry()}>
              {files.retry}
            </button>
          )}
          <button
            type="button"
            className="icon-button"
            aria-label={files.remove(item.name)}
            onClick={() => attachments.remove(item.id)}
          >
            <Icon name="cross" />
          </button>
        </li>
      ))}
    </ul>
  );
}

interface FileMessageProps {
  file: WireFile;
  onDownload: () => Promise<void>;
}

export function FileMessage({ file, onDownload }: FileMessageProps) {
  const { texts, language } = useLanguage();
  const [state, setState] = useState<'idle' | 'loading' | 'failed'>('idle');
  const { files } = texts;
  const download = () => {
    setState('loading');
    onDownload().then(
      () => setState('idle'),
      () => setState('failed'),
    );
  };
  return (
    <div className="own-text own-file">
      <Icon name="document" />
      <div className="own-file-facts">
        <p className="own-file-name">
          <bdi>{file.name}</bdi>
        </p>
        <p className="own-file-size">
          {sizeInWords(file.sizeBytes, language)}
          {file.state === 'kept' && file.needsPassword && ` · ${files.locked}`}
          {file.state === 'announced' && ` · ${files.arriving}`}
          {file.state === 'refused' && ` · ${files.notKept}`}
          {file.state === 'deleted' && ` · ${files.deleted}`}
        </p>
        <p role="alert" className="own-file-failed">
          {state === 'failed' && texts.actionFailed}
        </p>
      </div>
      {file.state === 'kept' && (
        <BusyButton
          className="icon-button"
          aria-label={files.download(file.name)}
          isBusy={state === 'loading'}
          onClick={download}
        >
          <Icon name="download" />
        </BusyButton>
      )}
    </div>
  );
}

const KB = 1024;
const UNITS: Record<Language, [string, string, string]> = {
  en: ['B', 'KB', 'MB'],
  ru: ['Б', 'КБ', 'МБ'],
};

/** A size for people: `240 KB`, `1,5 МБ`. */
function sizeInWords(bytes: number, language: Language): string {
  const [small, middle, large] = UNITS[language];
  if (bytes < KB) return `${String(bytes)} ${small}`;
  const inKb = Math.round(bytes / KB);
  if (inKb < KB) return `${String(inKb)} ${middle}`;
  const inMb = new Intl.NumberFormat(language, { maximumFractionDigits: 1 });
  return `${inMb.format(bytes / KB / KB)} ${large}`;
}
