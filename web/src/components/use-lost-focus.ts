/**
 * Gives the focus a new place when the element that had it was removed: the browser leaves it at <body>,
 * where a keyboard starts over and a screen reader loses its place. Focus that a person took away by a
 * click beside everything is left alone.
 *
 * Each component answers for what it removes itself. Effects run from the inside out, so when several
 * follow the same change, the innermost that can take the focus has it: after Done the state of the
 * answer, not the record button of the form around it, and not the field.
 */
import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';

/**
 * `step` changes when an element that may have the focus is removed. `place`: the element that gets it, or
 * a function that gives it and stays the same.
 */
export function useLostFocus(
  step: unknown,
  place: RefObject<HTMLElement | null> | (() => void),
): void {
  const lastFocused = useRef<EventTarget | null>(null);
  useEffect(() => {
    lastFocused.current = document.activeElement;
    const note = ({ target }: FocusEvent) => {
      lastFocused.current = target;
    };
    document.addEventListener('focusin', note);
    return () => document.removeEventListener('focusin', note);
  }, []);
  useEffect(() => {
    const last = lastFocused.current;
    const wasRemoved = last instanceof Node && !last.isConnected;
    if (!wasRemoved || !hasNoFocus()) return;
    if (typeof place === 'function') place();
    else place.current?.focus();
  }, [step, place]);
}

export function hasNoFocus(): boolean {
  return document.activeElement === document.body;
}

/** The field for the answer; on a touch screen its keyboard would open, so what the interview waits for. */
export function focusAnswer(): void {
  const hasMouse = matchMedia('(hover: hover) and (pointer: fine)').matches;
  focusFirst(...(hasMouse ? ['#answer'] : []), ...STATUS);
}

/** Where the page says what happens next. */
export function focusStatus(): void {
  focusFirst(...STATUS);
}

export function focusLog(): void {
  focusFirst('[role=log]');
}

/** Of an interview that has replaced another page. */
export function focusInterviewTitle(): void {
  focusFirst('.closing h2', '.interview-title');
}

const STATUS = ['.closing h2', '#answer-status[tabindex]', '[role=log]'];

/** The first of these that takes it: what is hidden does not. */
function focusFirst(...selectors: string[]): void {
  for (const selector of selectors) {
    const element = document.querySelector<HTMLElement>(selector);
    element?.focus({ preventScroll: true });
    if (element !== null && document.activeElement === element) return;
  }
}
