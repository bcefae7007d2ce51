/**
 * The transcript. It is a log to a screen reader, but not a live one: a streamed reply would be
 * read in fragments. New sentences are announced by SpokenSentences.
 */
import type { ReactNode } from 'react';
import type { Interviewer, Language } from '../api/wire';
import type { OlderMessages } from '../state/conversation';
import type { OpenQuestion } from '../state/answer-status';
import type { InterviewerLine, TimelineGroup } from '../state/timeline';
import { CurrentQuestion } from './current-question';
import { Icon, Mark } from './icons';
import { useTexts } from './language';
import { OlderButton } from './older-button';
import { OwnMessages } from './own-messages';
import type { OwnMessageActions } from './own-messages';
import type { FollowedEnd } from './use-followed-end';
import { useKeptPlace } from './use-kept-place';
import { focusLog, useLostFocus } from './use-lost-focus';

interface TranscriptProps extends OwnMessageActions, FollowedEnd {
  groups: TimelineGroup[];
  interviewer: Interviewer;
  language: Language;
  isThinking: boolean;
  question: OpenQuestion | null;
  older: OlderMessages;
  onOlder: () => void;
  /** After the last message. */
  ending: ReactNode;
}

export function Transcript(props: TranscriptProps) {
  const { groups, interviewer, language, isThinking, question, older, onOlder, ending, ...others } =
    props;
  const { scroller, content, isAtEnd, follow, ...actions } = others;
  const texts = useTexts();
  useKeptPlace(scroller, older.cursor);
  // The button "To latest" is gone.
  useLostFocus(isAtEnd, focusLog);
  return (
    <div className="transcript-place">
      {question && (
        <CurrentQuestion key={question.messageId} {...{ question, language, scroller }} />
      )}
      <div
        ref={scroller}
        className="transcript"
        role="log"
        aria-live="off"
        aria-label={texts.transcript}
        tabIndex={0}
      >
        <div ref={content} className="transcript-content">
          <OlderButton older={older} onOlder={onOlder} scroller={scroller} />
          {groups.map((group) => (
            <Group key={group.key} {...{ group, interviewer, language, actions }} />
          ))}
          {isThinking && (
            <div className="group group-interviewer">
              <Mark />
              <p className="thinking">
                <span className="for-readers">{texts.thinking}</span>
                <i aria-hidden="true" />
                <i aria-hidden="true" />
                <i aria-hidden="true" />
              </p>
            </div>
          )}
          {ending}
        </div>
      </div>
      {!isAtEnd && (
        <button
          type="button"
          className="icon-button to-latest"
          aria-label={texts.toLatest}
          onClick={follow}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

interface GroupProps {
  group: TimelineGroup;
  interviewer: Interviewer;
  language: Language;
  actions: OwnMessageActions;
}

function Group({ group, interviewer, language, actions }: GroupProps) {
  const texts = useTexts();
  switch (group.speaker) {
    case 'candidate':
      return <OwnMessages lines={group.lines} actions={actions} />;
    case 'system':
      return (
        <p className={group.isAway ? 'note note-away' : 'note'}>
          {group.isAway && <Icon name="clock" />}
          <span className="for-readers">{texts.system}: </span>
          <span lang={language}>{group.text || texts.unknownMessage}</span>
        </p>
      );
    case 'question':
      return (
        <div className="group group-interviewer open-question">
          <Mark />
          <div className="said">
            <Question text={group.text} language={language} />
          </div>
        </div>
      );
    case 'interviewer':
    case 'person': {
      const isPerson = group.speaker === 'person';
      return (
        <div
          className={isPerson ? 'group group-interviewer group-person' : 'group group-interviewer'}
        >
          {isPerson ? <Icon name="person" /> : <Mark />}
          <div className="said">
            {isPerson ? (
              <p className="said-by">{texts.person}</p>
            ) : (
              <span className="for-readers">{texts.interviewer[interviewer]}:</span>
            )}
            {group.lines.map((line) => (
              <div
                key={line.key}
                className={line.isBeingWritten ? 'saying being-written' : 'saying'}
                data-asks={line.questionAt === null ? undefined : line.key}
              >
                <Words line={line} language={language} />
                {line.wasStopped && <p className="stopped">{texts.stopped}</p>}
              </div>
            ))}
          </div>
        </div>
      );
    }
  }
}

/** What is said before a question is softer than the question. */
function Words({ line, language }: { line: InterviewerLine; language: Language }) {
  const { text, questionAt } = line;
  const before = text.slice(0, questionAt ?? text.length).trim();
  const question = questionAt === null ? '' : text.slice(questionAt);
  return (
    <div className="words" lang={language}>
      {before !== '' && (
        <Paragraphs text={before} className={questionAt === null ? undefined : 'lead-in'} />
      )}
      {question !== '' && <Question text={question} language={language} />}
    </div>
  );
}

function Question({ text, language }: { text: string; language: Language }) {
  return (
    <div className="question" lang={language}>
      <Paragraphs text={text} />
    </div>
  );
}

/** One gap between paragraphs, however many blank lines the text has. */
function Paragraphs({ text, className }: { text: string; className?: string | undefined }) {
  return text.split(/\n\s*\n/).map((paragraph, index) => (
    <p key={index} className={className}>
      {paragraph}
    </p>
  ));
}
