/** Gives the focus to an element when the focused one was removed; any other focus is left alone. */
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

/**
 * `step`: whatever changes when an element that may have the focus is removed; null: there is none.
 */
export function useReturnedFocus<T extends HTMLElement = HTMLButtonElement>(
  step: string | null,
): RefObject<T | null> {
  const target = useRef<T>(null);
  const before = useRef(step);
  useEffect(() => {
    // Not at the first view, where nothing was removed.
    if (before.current === step) return;
    const wasThere = before.current !== null;
    before.current = step;
    if (wasThere && document.activeElement === document.body) target.current?.focus();
  }, [step]);
  return target;
}
