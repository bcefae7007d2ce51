/** How far the interview is: as text, and as a divided line. */
import type { Progress as ProgressFacts } from '../api/wire';
import { useTexts } from './language';

interface ProgressProps {
  progress: ProgressFacts;
  isComplete: boolean;
}

export function Progress({ progress, isComplete }: ProgressProps) {
  const texts = useTexts();
  const { question, of } = progress;
  if (of === 0 || (question === 0 && !isComplete)) return null;
  const shareOf = (index: number) => {
    if (isComplete || index + 1 < question) return 'past';
    return index + 1 === question ? 'present' : 'future';
  };
  return (
    <>
      <p className="progress">
        {isComplete ? texts.progressDone(of) : texts.progress(question, of)}
      </p>
      <div className="progress-line" aria-hidden="true">
        {Array.from({ length: of }, (_, index) => (
          <i key={index} className={shareOf(index)} />
        ))}
      </div>
    </>
  );
}
