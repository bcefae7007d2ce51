/** The interview for reading: candidate and vacancy, then the whole transcript in order. */
import { Fragment, useRef } from 'react';
import type { ReactNode } from 'react';
import { PageTitle } from '../components/frame';
import { Mark } from '../components/icons';
import { LanguageSwitch, useLanguage } from '../components/language';
import { OlderButton } from '../components/older-button';
import type { Language } from '../api/wire';
import type { OlderMessages } from '../state/conversation';
import type { AdminApi } from './admin-api';
import { Download } from './download';
import { keptList } from './kept-list';
import { Recording } from './recording';
import { consoleTexts } from './texts';
import type { ConsoleTexts } from './texts';
import type { Transcript, TranscriptLine } from './wire';

interface ReadingProps {
  transcript: Transcript;
  older: OlderMessages;
  api: AdminApi;
  onOlder: () => void;
  onLock: () => void;
}

export function Reading({ transcript, older, api, onOlder, onLock }: ReadingProps) {
  const lines = useRef<HTMLDivElement>(null);
  const { language } = useLanguage();
  const texts = consoleTexts[language];
  const name = transcript.candidate.name ?? texts.nameless;
  return (
    <div className="reading">
      <title>{texts.documentTitle(name, transcript.vacancy)}</title>
      <header className="frame-header">
        <span className="wordmark">
          <Mark />
          Colloquy
        </span>
        <span>
          {api.hasSession ? (
            <a className="quiet-button" href={keptList()}>
              {texts.back}
            </a>
          ) : (
            <button type="button" className="quiet-button" onClick={onLock}>
              {texts.lock}
            </button>
          )}
          <LanguageSwitch />
        </span>
      </header>
      <main className="reading-main">
        <PageTitle>{name}</PageTitle>
        <Facts transcript={transcript} texts={texts} language={language} />
        <h2 className="reading-heading">{texts.transcript}</h2>
        {transcript.lines.length === 0 && <p className="lead">{texts.empty}</p>}
        <OlderButton older={older} onOlder={onOlder} scroller={lines} />
        <div ref={lines} tabIndex={-1}>
          <ol className="reading-lines">
            {transcript.lines.map((line, index) => (
              <Fragment key={line.id}>
                {dayOf(line, language) !== dayOf(transcript.lines[index - 1], language) && (
                  <li className="reading-day">{dayOf(line, language)}</li>
                )}
                <Line line={line} {...{ transcript, texts, language, api }} />
              </Fragment>
            ))}
          </ol>
        </div>
      </main>
    </div>
  );
}

interface Shared {
  transcript: Transcript;
  texts: ConsoleTexts;
  language: Language;
}

function Facts({ transcript, texts, language }: Shared) {
  const { facts } = texts;
  const { candidate, vacancy, company, status, coverage, beganAt, completedAt } = transcript;
  const rows: [string, ReactNode][] = [
    [facts.vacancy, `${vacancy}, ${company}`],
    [facts.contact, candidate.contact],
    [facts.coverage, texts.coverage(coverage)],
    [facts.status, texts.statuses[status]],
    [facts.began, momentOf(beganAt, language)],
    [facts.completed, momentOf(completedAt, language)],
  ];
  return (
    <dl className="reading-facts">
      {rows
        .filter(([, value]) => value !== null)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

interface LineProps extends Shared {
  line: TranscriptLine;
  api: AdminApi;
}

function Line({ line, transcript, texts, language, api }: LineProps) {
  const { role, voice, number, origin } = line;
  const speaker = origin === null ? role : 'model';
  const notes: (string | null)[] = [
    line.channel === 'code' ? null : (texts.channels[line.channel] ?? line.channel),
    voice === null ? null : texts.voice(lengthOf(voice.durationS)),
    voice !== null && !voice.hasAudio ? texts.noAudio : null,
    line.amendsNumber === null ? null : texts.amends(line.amendsNumber),
    line.editedAt === null ? null : texts.edited,
    line.author === null ? null : texts.author(line.author),
    hasMore(line) ? texts.attachment : null,
    line.file?.state === 'announced' ? texts.fileArriving : null,
    line.file?.state === 'refused' ? texts.fileNotKept : null,
    line.file?.state === 'kept' && line.file.needsPassword ? texts.fileLocked : null,
    line.file?.state === 'deleted' ? texts.fileDeleted : null,
  ];
  return (
    <li id={placeOf(number)} className={`reading-line reading-line-${role}`}>
      <p className="reading-head">
        <b>{texts.speakers[line.isFromPerson ? 'person' : speaker]}</b>
        <time dateTime={line.at}>{timeOf(line.at, language)}</time>
        <span>{texts.number(number)}</span>
        {notes
          .filter((note) => note !== null)
          .map((note) => (
            <span key={note}>{note}</span>
          ))}
        <ReplyNote {...{ line, transcript, texts }} />
        <LabelNotes {...{ line, transcript, texts }} />
      </p>
      {line.text !== '' && (
        <p className="reading-text" lang={transcript.language}>
          {line.text}
        </p>
      )}
      {origin !== null && (
        <details className="reading-details">
          <summary>{texts.details}</summary>
          <p>{texts.model(origin.model)}</p>
          {origin.isFallback === true && <p>{texts.secondModel}</p>}
          <p>{texts.prompt(origin.prompt)}</p>
        </details>
      )}
      {line.isPartial && <p className="reading-note">{texts.stopped}</p>}
      {voice?.hasAudio === true && (
        <Recording
          texts={texts}
          number={number}
          load={() => api.recording(transcript.conversationId, line.id)}
        />
      )}
      {line.file?.state === 'kept' && (
        <Download
          texts={texts}
          name={line.file.name}
          load={() => api.file(transcript.conversationId, line.id)}
        />
      )}
    </li>
  );
}

/** Kinds whose line says all that there is. */
const TOLD = new Set([
  ...['contact', 'location', 'venue', 'poll', 'checklist', 'dice', 'story', 'game'],
]);

function hasMore({ attachment, file }: TranscriptLine): boolean {
  return attachment !== null && file === null && !TOLD.has(attachment);
}

/** What the message refers to: an earlier line, or words from another chat. */
function ReplyNote({ line, transcript, texts }: Pick<LineProps, 'line' | 'transcript' | 'texts'>) {
  if (line.repliesTo == null) return null;
  const { number, quote } = line.repliesTo;
  return (
    <span>
      {texts.repliesTo}
      {number !== null && (
        <>
          {' '}
          <LineLink {...{ number, transcript, texts }} />
        </>
      )}
      {quote !== null && ' '}
      {quote !== null && <q lang={transcript.language}>{quote}</q>}
    </span>
  );
}

/** What the message was read as, and which lines belong together by it. */
function LabelNotes({ line, transcript, texts }: Pick<LineProps, 'line' | 'transcript' | 'texts'>) {
  const { label, touchedIn } = line;
  const link = (number: number) => <LineLink {...{ number, transcript, texts }} />;
  // An edit says already which line it corrects.
  const isEdit = line.amendsNumber !== null;
  return (
    <>
      {label !== null && !isEdit && (
        <span>
          {label.corrects === null ? (
            texts.label(label)
          ) : (
            <>
              {texts.corrects} {link(label.corrects)}
            </>
          )}
        </span>
      )}
      {label?.touches.map(({ question, askedIn }) => (
        <span key={question}>
          {texts.touches(question)}
          {askedIn !== null && <> ({link(askedIn)})</>}
        </span>
      ))}
      {touchedIn !== null && (
        <span>
          {texts.touchedIn} {link(touchedIn)}
        </span>
      )}
    </>
  );
}

/** The number of a line, which leads to it if it is on the page. */
function LineLink({
  number,
  transcript,
  texts,
}: Pick<LineProps, 'transcript' | 'texts'> & { number: number }) {
  const isShown = transcript.lines.some((line) => line.number === number);
  const name = texts.number(number);
  return isShown ? <a href={`#${placeOf(number)}`}>{name}</a> : name;
}

function placeOf(number: number): string {
  return `line-${number}`;
}

function momentOf(iso: string | null, language: Language): ReactNode {
  if (iso === null) return null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' });
  return <time dateTime={iso}>{format.format(new Date(iso))}</time>;
}

function dayOf(line: TranscriptLine | undefined, language: Language): string | null {
  if (line === undefined) return null;
  return new Intl.DateTimeFormat(language, { dateStyle: 'full' }).format(new Date(line.at));
}

function timeOf(iso: string, language: Language): string {
  return new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(new Date(iso));
}

function lengthOf(seconds: number | null): string | null {
  if (seconds === null) return null;
  const whole = Math.round(seconds);
  return `${String(Math.floor(whole / 60))}:${String(whole % 60).padStart(2, '0')}`;
}
