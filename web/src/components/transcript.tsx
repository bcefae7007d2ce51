/**
 * The transcript. It is a log to a screen reader, but not a live one: a streamed reply would be
 * read in fragments. New sentences are announced by SpokenSentences.
 */
import type { ReactNode } from 'react';
import type { Language } from '../api/wire';
import type { OlderMessages } from '../state/conversation';
import type { TimelineGroup } from '../state/timeline';
import { Icon, Mark } from './icons';
import { useTexts } from './language';
import { OlderButton } from './older-button';
import { OwnMessages } from './own-messages';
import type { OwnMessageActions } from './own-messages';
import type { FollowedEnd } from './use-followed-end';
import { useKeptPlace } from './use-kept-place';

interface TranscriptProps extends OwnMessageActions, FollowedEnd {
  groups: TimelineGroup[];
  language: Language;
  isThinking: boolean;
  older: OlderMessages;
  onOlder: () => void;
  /** After the last message. */
  ending: ReactNode;
}

export function Transcript(props: TranscriptProps) {
  const { groups, language, isThinking, older, onOlder, ending, ...others } = props;
  const { scroller, content, isAtEnd, follow, ...actions } = others;
  const texts = useTexts();
  useKeptPlace(scroller, older.cursor);
  return (
    <div className="transcript-place">
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
            <Group key={group.key} group={group} language={language} actions={actions} />
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
  language: Language;
  actions: OwnMessageActions;
}

function Group({ group, language, actions }: GroupProps) {
  const texts = useTexts();
  switch (group.speaker) {
    case 'candidate':
      return <OwnMessages lines={group.lines} actions={actions} />;
    case 'system':
      return (
        <p className="note">
          <span className="for-readers">{texts.system}: </span>
          <span lang={language}>{group.text || texts.unknownMessage}</span>
        </p>
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
              <span className="for-readers">{texts.interviewer}:</span>
            )}
            {group.lines.map(({ key, text, isBeingWritten, wasStopped }) => (
              <div key={key} className={isBeingWritten ? 'saying being-written' : 'saying'}>
                <p lang={language}>{text}</p>
                {wasStopped && <p className="stopped">{texts.stopped}</p>}
              </div>
            ))}
          </div>
        </div>
      );
    }
  }
}
