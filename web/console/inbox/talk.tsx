/** A running interview as its candidate sees it, with a reply as it is written. */
import { useLayoutEffect, useRef } from 'react';
import { Button } from '@mantine/core';
import type { Language } from '../../src/api/wire';
import { useLanguage } from '../language';
import { NotLoaded, Waiting } from '../shell/sentence';
import type { WatchState } from './interview-watch';
import type { Line } from './live-lines';
import { useInboxTexts } from './texts';

interface TalkProps {
  state: WatchState;
  /** Of the candidate. */
  name: string;
  /** In which they talk. */
  language: Language;
  /** The signed-in person has it, so nobody else of the team types. */
  isOwn: boolean;
  onOlder: () => void;
  onAgain: () => void;
}

export function Talk({ state, onAgain, ...props }: TalkProps) {
  switch (state.kind) {
    case 'loading':
      return <Waiting rows={4} />;
    case 'failed':
      return <NotLoaded error={state.error} onAgain={onAgain} />;
    case 'erased':
      return null;
    case 'live':
      return <Lines state={state} {...props} />;
  }
}

type LinesProps = Omit<TalkProps, 'state' | 'onAgain'> & {
  state: Extract<WatchState, { kind: 'live' }>;
};

function Lines({ state, name, language, isOwn, onOlder }: LinesProps) {
  const { talk } = useInboxTexts();
  const { live, isLost, typing, older } = state;
  const { lines, reply, olderCursor } = live;
  const scroller = useFollowedEnd(`${lines.at(-1)?.id ?? ''} ${String(reply?.text.length ?? 0)}`);
  const isTeamTyping = typing === 'team' && !isOwn;
  return (
    <div className="talk">
      <p className="talk-lost" role="status">
        {isLost && talk.lost}
      </p>
      {/* It scrolls by itself in a wide window, so it can have the focus. */}
      <div ref={scroller} className="talk-lines" tabIndex={0} role="log" aria-label={talk.title}>
        {olderCursor !== null && (
          <Button variant="default" className="talk-older" onClick={onOlder}>
            {older === 'failed' ? talk.olderFailed : talk.older}
          </Button>
        )}
        {lines.length === 0 && reply === null && <p className="soft">{talk.empty}</p>}
        <ol>
          {lines.map((line) => (
            <TalkLine key={line.id} line={line} language={language} />
          ))}
        </ol>
        {/* A screen reader reads it when it is complete. */}
        {reply !== null && (
          <div className="talk-line talk-assistant talk-reply" aria-hidden="true">
            <p className="talk-head">
              <b>{talk.speakers.assistant}</b> <span>{talk.writing}</span>
            </p>
            <p className="talk-text" lang={language}>
              {reply.text}
            </p>
          </div>
        )}
      </div>
      <p className="talk-typing" role="status">
        {typing === 'candidate' && talk.candidateTypes(name)}
        {isTeamTyping && talk.teamTypes}
        {typing === null && live.hasBuffer && talk.collecting}
      </p>
    </div>
  );
}

function TalkLine({ line, language }: { line: Line; language: Language }) {
  const { talk } = useInboxTexts();
  const { language: ofPage } = useLanguage();
  const { role, isFromPerson, kind, isPartial, at, text } = line;
  const speaker = isFromPerson ? 'person' : role;
  const locale = ofPage === 'en' ? 'en-GB' : ofPage;
  const time = new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(new Date(at));
  return (
    <li className={`talk-line talk-${speaker}`}>
      <p className="talk-head">
        <b>{talk.speakers[speaker]}</b> <time dateTime={at}>{time}</time>
        {kind !== 'text' && <span> {talk.kinds[kind]}</span>}
        {isPartial && <span> {talk.partial}</span>}
      </p>
      <p className="talk-text" lang={language}>
        {text}
      </p>
    </li>
  );
}

/** Keeps the end in view, unless the reader has scrolled up. */
function useFollowedEnd(end: string) {
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const { current: box } = scroller;
    if (box === null) return undefined;
    const note = (): void => {
      isAtEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 48;
    };
    box.addEventListener('scroll', note, { passive: true });
    return () => box.removeEventListener('scroll', note);
  }, []);
  useLayoutEffect(() => {
    const { current: box } = scroller;
    if (box !== null && isAtEnd.current) box.scrollTop = box.scrollHeight;
  }, [end]);
  return scroller;
}
