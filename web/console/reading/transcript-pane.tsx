/** The whole transcript beside the answers, with the passages marked, as the page with the admin token shows it. */
import { memo, useCallback, useRef } from 'react';
import { Button } from '@mantine/core';
import { Lines } from '../../src/console/lines';
import type { WantedSound } from '../../src/console/recording';
import { consoleTexts } from '../../src/console/texts';
import type { TranscriptLine } from '../../src/console/wire';
import type { Language } from '../../src/api/wire';
import { useLanguage } from '../language';
import { fileAt, readRecording } from './calls';
import { segmentsOf } from './passages';
import type { NamedPassage } from './passages';
import { useReadingTexts } from './texts';
import '../../src/styles/console.css';

interface TranscriptPaneProps {
  interviewId: string;
  lines: readonly TranscriptLine[];
  spoken: Language;
  passages: ReadonlyMap<string, readonly NamedPassage[]>;
  /** By the name of a passage: the question that it belongs to. */
  questions: ReadonlyMap<string, string>;
  isBlind: boolean;
  wanted: (WantedSound & { messageId: string }) | null;
  /** Null: these are the first lines. */
  onOlder: (() => void) | null;
}

export const TranscriptPane = memo(function TranscriptPane(props: TranscriptPaneProps) {
  const { interviewId, lines, passages, questions, isBlind, onOlder } = props;
  const { language } = useLanguage();
  const texts = useReadingTexts();
  const words = consoleTexts[language];
  const pane = useRef<HTMLElement>(null);
  const recording = useCallback(
    (line: TranscriptLine) => readRecording(interviewId, line.id),
    [interviewId],
  );
  const file = (line: TranscriptLine, name: string) =>
    isBlind ? (
      <p className="reading-note">{texts.fileInBlind}</p>
    ) : (
      <p className="reading-play">
        <a className="quiet-button" href={fileAt(interviewId, line.id)} download={name}>
          {words.download}
          <span className="for-readers">: {name}</span>
        </a>
      </p>
    );
  const text = (line: TranscriptLine) =>
    segmentsOf(line.text, passages.get(line.id) ?? []).map(({ text: part, within, begins }, at) =>
      within.length === 0 ? (
        part
      ) : (
        <mark
          key={at}
          tabIndex={-1}
          data-begins={begins.length === 0 ? undefined : begins.join(' ')}
          data-question={questions.get(begins[0] ?? within[0] ?? '')}
        >
          {part}
        </mark>
      ),
    );
  return (
    <section ref={pane} className="judge-transcript" aria-label={texts.transcript} tabIndex={0}>
      <h2>{texts.transcript}</h2>
      {lines.length === 0 && <p className="soft">{words.empty}</p>}
      {onOlder !== null && (
        <Button variant="subtle" size="sm" onClick={onOlder}>
          {texts.older}
        </Button>
      )}
      <Lines
        lines={lines}
        spoken={props.spoken}
        texts={words}
        wanted={props.wanted}
        {...{ language, recording, file, text }}
      />
    </section>
  );
});
