/** The line above the field: whether an answer is being collected or a reply is being written. */
import type { SessionSnapshot } from '../state/session-snapshot';
import { useTexts } from './language';

interface AnswerStatusProps {
  snapshot: SessionSnapshot;
  onDone: () => void;
  onStop: () => void;
}

export function AnswerStatus({ snapshot, onDone, onStop }: AnswerStatusProps) {
  const { composer } = useTexts();
  const phase = phaseOf(snapshot);
  if (phase === 'over') return <p id="answer-status" className="for-readers" />;
  return (
    <div className={`answer-status answer-status-${phase}`}>
      <p id="answer-status">
        {phase === 'idle' && (
          <>
            <span className="hint-keys">{composer.hintKeys}</span>
            <span className="hint-touch">{composer.hintTouch}</span>
          </>
        )}
        {phase === 'listening' && composer.listening}
        {phase === 'finishing' && composer.finishing}
        {phase === 'searching' && composer.searching}
        {phase === 'replying' && composer.writing}
      </p>
      {phase === 'listening' && (
        <button type="button" className="small-button" onClick={onDone}>
          {composer.done}
        </button>
      )}
      {(phase === 'replying' || phase === 'searching') && (
        <button type="button" className="small-button" onClick={onStop}>
          {composer.stop}
        </button>
      )}
    </div>
  );
}

type Phase = 'idle' | 'listening' | 'finishing' | 'searching' | 'replying' | 'over';

function phaseOf({ conversation, outbox, isFinishing }: SessionSnapshot): Phase {
  const { status, replying, hasBuffer } = conversation.view;
  if (replying) return conversation.isLookingUp ? 'searching' : 'replying';
  if (status !== 'active') return 'over';
  if (isFinishing) return 'finishing';
  const isOnItsWay = outbox.some(({ state }) => state === 'sending');
  return hasBuffer || isOnItsWay ? 'listening' : 'idle';
}
