/** How far the interview is: as text, and as a divided line. */
import type { ConversationState } from '../state/conversation';
import { useTexts } from './language';

type View = ConversationState['view'];

/** After a hand-over or a withdrawal no further question is counted. */
export function hasProgress({ status, progress }: View): boolean {
  if (progress.of === 0) return false;
  return status === 'completed' || (status === 'active' && progress.question > 0);
}

export function Progress({ view }: { view: View }) {
  const texts = useTexts();
  if (!hasProgress(view)) return null;
  const { question, of, unanswered = [] } = view.progress;
  const isComplete = view.status === 'completed';
  const shareOf = (index: number) => {
    if (unanswered.includes(index + 1)) return 'open';
    if (isComplete || index + 1 < question) return 'past';
    return index + 1 === question ? 'present' : 'future';
  };
  return (
    <>
      <p className="progress">
        {isComplete ? texts.progressDone(of - unanswered.length, of) : texts.progress(question, of)}
      </p>
      <div className="progress-line" aria-hidden="true">
        {Array.from({ length: of }, (_, index) => (
          <i key={index} className={shareOf(index)} />
        ))}
      </div>
    </>
  );
}
