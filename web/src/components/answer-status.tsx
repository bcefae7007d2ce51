/** The line above the field: what the conversation waits for, and the one thing to do about it. */
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { phaseOf } from '../state/answer-status';
import type { Phase } from '../state/answer-status';
import { useTexts } from './language';
import { QuietRing } from './quiet-ring';
import { useReturnedFocus } from './use-returned-focus';

interface AnswerStatusProps {
  session: ConversationSession;
  snapshot: SessionSnapshot;
  draft: string;
  onDone: () => void;
}

export function AnswerStatus({ session, snapshot, draft, onDone }: AnswerStatusProps) {
  const { composer } = useTexts();
  const phase = phaseOf(snapshot);
  // A button disappears when it was pressed. Not the field: a phone would open its keyboard.
  const hasButton = phase === 'listening' || phase === 'writing' || phase === 'stopped';
  const status = useReturnedFocus<HTMLParagraphElement>(hasButton ? phase : null);
  if (phase === 'over') return <p id="answer-status" className="for-readers" />;
  const tell = (what: 'stop' | 'continue') => void session.act(what).catch(() => undefined);
  return (
    <div className={`answer-status answer-status-${phase}`}>
      <p id="answer-status" ref={status} tabIndex={-1}>
        <StatusText phase={phase} />
      </p>
      {phase === 'listening' && (
        <button type="button" className="small-button done-button" onClick={onDone}>
          <QuietRing session={session} due={snapshot.due} draft={draft} />
          {composer.done}
        </button>
      )}
      {phase === 'writing' && (
        <button type="button" className="small-button" onClick={() => tell('stop')}>
          {composer.stop}
        </button>
      )}
      {phase === 'stopped' && (
        <button type="button" className="small-button" onClick={() => tell('continue')}>
          {composer.continue}
        </button>
      )}
    </div>
  );
}

function StatusText({ phase }: { phase: Exclude<Phase, 'over'> }) {
  const { composer } = useTexts();
  if (phase !== 'idle') return composer[phase];
  return (
    <>
      <span className="hint-keys">{composer.hintKeys}</span>
      <span className="hint-touch">{composer.hintTouch}</span>
    </>
  );
}
