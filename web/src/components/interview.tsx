/** The interview: header, transcript, and the field for the answer. */
import { useEffect, useState } from 'react';
import { isThinking, questionAbove } from '../state/answer-status';
import { timeline } from '../state/timeline';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { PreviewNote } from './brand';
import { Composer } from './composer';
import { EndingCard } from './ending-card';
import { Closing, ConnectionBanner } from './notices';
import { InterviewHeader } from './interview-header';
import { useLanguage } from './language';
import { SidePanel } from './side-panel';
import { SpokenSentences } from './spoken-sentences';
import { Transcript } from './transcript';
import { useAnswerField } from './use-answer-field';
import { useDroppedFiles } from './use-dropped-files';
import { useFollowedEnd } from './use-followed-end';
import { focusAnswer, focusInterviewTitle, hasNoFocus, useLostFocus } from './use-lost-focus';
import { useViewportHeight } from './use-viewport-height';

interface InterviewProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
}

export function Interview({ session, snapshot }: InterviewProps) {
  const { texts } = useLanguage();
  const [draft, setDraft] = useState(() => session.draft());
  const { scroller, content, isAtEnd, follow } = useFollowedEnd();
  useViewportHeight();
  const field = useAnswerField(snapshot, draft);
  useTitleFocus();
  useLostFocus(snapshot, focusAnswer);
  const { conversation, outbox } = snapshot;
  const { view } = conversation;
  const mayChange = view.takesMessages;
  const { isDropping, target } = useDroppedFiles(
    field.mayWrite ? (files) => field.attach(session, files) : null,
  );
  const changeDraft = (text: string) => {
    setDraft(text);
    session.noteDraft(text);
  };
  const editRefused = (id: string, text: string) => {
    session.discard(id);
    changeDraft(draft.trim() === '' ? text : `${text}\n\n${draft}`);
  };
  return (
    <div className={isDropping ? 'interview is-dropping' : 'interview'} {...target}>
      <title>{texts.documentTitle(view.company, view.vacancyTitle)}</title>
      <PreviewNote />
      <InterviewHeader session={session} view={view} canWrite={field.isShown} />
      <div className="interview-body">
        <main className="interview-main">
          <ConnectionBanner
            isLost={conversation.connection === 'lost'}
            onRetry={() => session.retryNow()}
          />
          <Transcript
            groups={timeline(conversation, outbox)}
            interviewer={view.interviewer}
            language={view.language}
            isThinking={isThinking(conversation)}
            question={questionAbove(conversation, outbox)}
            older={conversation.older}
            onOlder={() => void session.requests.showOlder()}
            ending={
              <EndingCard session={session} view={view} onAdd={field.isShown ? null : field.show} />
            }
            scroller={scroller}
            content={content}
            isAtEnd={isAtEnd}
            follow={follow}
            onRetry={() => session.retryNow()}
            onEdit={mayChange ? editRefused : null}
            onCorrect={mayChange ? (id, text) => session.requests.correct(id, text) : null}
            onCorrecting={() => session.noteTyping()}
            maxChars={view.limits.maxMessageChars}
            onRemove={(id) => session.discard(id)}
            onDownload={(id, name) => session.requests.downloadFile(id, name)}
          />
          <SpokenSentences announcer={snapshot.announcer} language={view.language} />
          <Closing view={view} onResume={() => session.requests.act('resume')} />
          {view.owner === 'person' && (
            <p className="typing" role="status">
              {conversation.typing > 0 && texts.personTypes}
            </p>
          )}
          {field.isShown && (
            <Composer {...{ session, snapshot, draft }} onDraft={changeDraft} onSent={follow} />
          )}
        </main>
        <SidePanel conversation={conversation} />
      </div>
    </div>
  );
}

/** Called after the hook of the field, which takes the focus where there is a mouse. */
function useTitleFocus(): void {
  useEffect(() => {
    if (hasNoFocus()) focusInterviewTitle();
  }, []);
}
