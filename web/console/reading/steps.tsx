/** The way to the neighbours of an interview in the list from which it was opened. */
import { useMemo } from 'react';
import { Link, useLocation } from 'wouter';
import { interviewAt } from '../places';
import { keptList, stepsAround } from './kept-list';
import { useReadingTexts } from './texts';

/** `links`: with a counter, and back to the list. Null: there is no such neighbour. */
export function useSteps(id: string) {
  const texts = useReadingTexts();
  const [, navigate] = useLocation();
  const { address, steps } = useMemo(() => {
    const list = keptList();
    return { address: list.address, steps: stepsAround(id, list) };
  }, [id]);
  const to = (next: string | null | undefined): (() => void) | null =>
    next == null ? null : () => navigate(interviewAt(next));
  const links = (
    <nav className="steps" aria-label={texts.backToList}>
      {steps?.previous != null && (
        <Link href={interviewAt(steps.previous)} aria-label={texts.previous}>
          ‹
        </Link>
      )}
      <Link href={address}>
        {steps === null ? texts.backToList : texts.place(steps.at, steps.of)}
      </Link>
      {steps?.next != null && (
        <Link href={interviewAt(steps.next)} aria-label={texts.next}>
          ›
        </Link>
      )}
    </nav>
  );
  return { previous: to(steps?.previous), next: to(steps?.next), links };
}
