/** The lines of a transcript in order, with all that is known of each. */
import { Fragment } from 'react';
import type { ReactNode } from 'react';
import type { Language } from '../api/wire';
import type { ApiResult } from './admin-api';
import { Recording } from './recording';
import type { WantedSound } from './recording';
import type { ConsoleTexts } from './texts';
import type { TranscriptLine } from './wire';

interface LinesProps {
  lines: readonly TranscriptLine[];
  /** In which language the interview is held. */
  spoken: Language;
  texts: ConsoleTexts;
  language: Language;
  recording: (line: TranscriptLine) => Promise<ApiResult<Blob>>;
  /** How a file is fetched. */
  file: (line: TranscriptLine, name: string) => ReactNode;
  /** What is shown of a line's text; without it, all. */
  text?: (line: TranscriptLine) => ReactNode;
  /** What is to be heard now. */
  wanted?: (WantedSound & { messageId: string }) | null;
}

export function Lines(props: LinesProps) {
  const { lines, language } = props;
  return (
    <ol className="reading-lines">
      {lines.map((line, index) => (
        <Fragment key={line.id}>
          {dayOf(line, language) !== dayOf(lines[index - 1], language) && (
            <li className="reading-day">{dayOf(line, language)}</li>
          )}
          <Line line={line} {...props} />
        </Fragment>
      ))}
    </ol>
  );
}

interface LineProps extends LinesProps {
  line: TranscriptLine;
}

function Line(props: LineProps) {
  const { line, spoken, texts, language, recording, wanted } = props;
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
        <ReplyNote {...props} />
        <LabelNotes {...props} />
      </p>
      {line.text !== '' && (
        <p className="reading-text" lang={spoken}>
          {props.text === undefined ? line.text : props.text(line)}
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
          load={() => recording(line)}
          wanted={wanted?.messageId === line.id ? wanted : null}
        />
      )}
      {line.file?.state === 'kept' && props.file(line, line.file.name)}
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
function ReplyNote({ line, lines, spoken, texts }: LineProps) {
  if (line.repliesTo == null) return null;
  const { number, quote } = line.repliesTo;
  return (
    <span>
      {texts.repliesTo}
      {number !== null && (
        <>
          {' '}
          <LineLink {...{ number, lines, texts }} />
        </>
      )}
      {quote !== null && ' '}
      {quote !== null && <q lang={spoken}>{quote}</q>}
    </span>
  );
}

/** What the message was read as, and which lines belong together by it. */
function LabelNotes({ line, lines, texts }: LineProps) {
  const { label, touchedIn } = line;
  const link = (number: number) => <LineLink {...{ number, lines, texts }} />;
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
  lines,
  texts,
}: Pick<LineProps, 'lines' | 'texts'> & { number: number }) {
  const isShown = lines.some((line) => line.number === number);
  const name = texts.number(number);
  return isShown ? <a href={`#${placeOf(number)}`}>{name}</a> : name;
}

function placeOf(number: number): string {
  return `line-${number}`;
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
