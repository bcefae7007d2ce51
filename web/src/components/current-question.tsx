/**
 * The open question as one line above the transcript, while its place there is out of sight: on a phone a
 * long answer pushes it away. Pressed, it shows the whole question.
 */
import { useEffect, useState } from 'react';
import type { RefObject } from 'react';
import type { Language } from '../api/wire';
import type { OpenQuestion } from '../state/answer-status';
import { Icon } from './icons';
import { useTexts } from './language';

/** Less of the question than this share is not readable. */
const READABLE_SHARE = 0.6;

interface CurrentQuestionProps {
  question: OpenQuestion;
  language: Language;
  scroller: RefObject<HTMLDivElement | null>;
}

export function CurrentQuestion({ question, language, scroller }: CurrentQuestionProps) {
  const { currentQuestion } = useTexts();
  const [isOpen, setOpen] = useState(false);
  const isOutOfSight = useIsAbove(scroller, question.messageId);
  if (!isOutOfSight) return null;
  return (
    <button
      type="button"
      className="current-question"
      aria-expanded={isOpen}
      onClick={() => setOpen(!isOpen)}
    >
      <span className="for-readers">{currentQuestion}: </span>
      <span className="current-question-text" lang={language}>
        {question.text}
      </span>
      <Icon name="chevron" />
    </button>
  );
}

/** Whether the message's question has been scrolled away upwards. */
function useIsAbove(scroller: RefObject<HTMLDivElement | null>, messageId: string): boolean {
  const [isAbove, setAbove] = useState(false);
  useEffect(() => {
    const root = scroller.current;
    const asked = root?.querySelector(`[data-asks="${CSS.escape(messageId)}"]`);
    if (!root || !asked) return undefined;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (!entry) return;
        const top = entry.rootBounds?.top ?? 0;
        const isHidden = entry.intersectionRatio < READABLE_SHARE;
        setAbove(isHidden && entry.boundingClientRect.top < top);
      },
      { root, threshold: [0, READABLE_SHARE, 1] },
    );
    observer.observe(asked);
    return () => observer.disconnect();
  }, [scroller, messageId]);
  return isAbove;
}
