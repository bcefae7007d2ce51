/** Gives the focus to a button when the focused element was removed; any other focus is left alone. */
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** `step`: whatever changes when an element that may have the focus is removed. */
export function useReturnedFocus(step: string): RefObject<HTMLButtonElement | null> {
  const button = useRef<HTMLButtonElement>(null);
  const before = useRef(step);
  useEffect(() => {
    // Not at the first view, where nothing was removed.
    if (before.current === step) return;
    before.current = step;
    if (document.activeElement === document.body) button.current?.focus();
  }, [step]);
  return button;
}
