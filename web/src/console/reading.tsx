/** The interview for reading: candidate and vacancy, then the whole transcript in order. */
import { useCallback, useRef } from 'react';
import type { ReactNode } from 'react';
import { PageTitle } from '../components/frame';
import { Mark } from '../components/icons';
import { LanguageSwitch, useLanguage } from '../components/language';
import { OlderButton } from '../components/older-button';
import type { Language } from '../api/wire';
import type { OlderMessages } from '../state/conversation';
import type { AdminApi } from './admin-api';
import { Download } from './download';
import { Lines } from './lines';
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
  const scroller = useRef<HTMLDivElement>(null);
  const { language } = useLanguage();
  const texts = consoleTexts[language];
  const name = transcript.candidate.name ?? texts.nameless;
  const { conversationId } = transcript;
  const recording = useCallback(
    (line: TranscriptLine) => api.recording(conversationId, line.id),
    [api, conversationId],
  );
  const file = useCallback(
    (line: TranscriptLine, called: string) => (
      <Download texts={texts} name={called} load={() => api.file(conversationId, line.id)} />
    ),
    [api, conversationId, texts],
  );
  return (
    <div className="reading">
      <title>{texts.documentTitle(name, transcript.vacancy)}</title>
      <header className="frame-header">
        <span className="wordmark">
          <Mark />
          Colloquy
        </span>
        <span>
          <button type="button" className="quiet-button" onClick={onLock}>
            {texts.lock}
          </button>
          <LanguageSwitch />
        </span>
      </header>
      <main className="reading-main">
        <PageTitle>{name}</PageTitle>
        <Facts transcript={transcript} texts={texts} language={language} />
        <h2 className="reading-heading">{texts.transcript}</h2>
        {transcript.lines.length === 0 && <p className="lead">{texts.empty}</p>}
        <OlderButton older={older} onOlder={onOlder} scroller={scroller} />
        <div ref={scroller} tabIndex={-1}>
          <Lines
            lines={transcript.lines}
            spoken={transcript.language}
            {...{ texts, language, recording, file }}
          />
        </div>
      </main>
    </div>
  );
}

interface FactsProps {
  transcript: Transcript;
  texts: ConsoleTexts;
  language: Language;
}

function Facts({ transcript, texts, language }: FactsProps) {
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

function momentOf(iso: string | null, language: Language): ReactNode {
  if (iso === null) return null;
  const format = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short' });
  return <time dateTime={iso}>{format.format(new Date(iso))}</time>;
}
