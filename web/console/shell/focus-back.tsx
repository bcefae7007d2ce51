/**
 * Inside of a dialog: gives the focus back when the dialog goes. Mantine remembers what had the focus when the dialog
 * opened, but that may be a button of the dialog before it, which is gone by then.
 */
import { useEffect, useLayoutEffect } from 'react';
import { hasNoFocus } from '../../src/components/use-lost-focus';

/** What had the focus outside of the dialogs that are open, or follow one another. */
let before: Element | null = null;

export function FocusBack() {
  useLayoutEffect(() => {
    const { activeElement } = document;
    if (activeElement !== null && activeElement.closest(DIALOG) === null) before = activeElement;
  }, []);
  useEffect(() => giveFocusBack, []);
  return null;
}

const DIALOG = '[aria-modal="true"]';

function giveFocusBack(): void {
  // Another dialog has it, or a person has moved it.
  if (document.querySelector(DIALOG) !== null || !hasNoFocus()) return;
  if (before instanceof HTMLElement && before !== document.body && before.isConnected) {
    before.focus({ preventScroll: true });
  } else {
    focusPageTitle();
  }
}

/** Where a screen reader goes on when what had the focus is gone. */
export function focusPageTitle(): void {
  document.querySelector<HTMLElement>('#content h1')?.focus({ preventScroll: true });
}
