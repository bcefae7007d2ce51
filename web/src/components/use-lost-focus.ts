/**
 * Gives the focus a new place when the element that had it was removed: the browser leaves it at <body>,
 * where a keyboard starts over and a screen reader loses its place. Focus that a person took away by a
 * click beside everything is left alone.
 */
import { useEffect, useRef } from 'react';

/**
 * `step`: changes when an element that may have the focus is removed. `giveFocus`: a function that stays
 * the same. Of two that follow the same change, the inner component's gives the focus.
 */
export function useLostFocus(step: unknown, giveFocus: () => void): void {
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
    if (last instanceof Node && !last.isConnected && hasNoFocus()) giveFocus();
  }, [step, giveFocus]);
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
