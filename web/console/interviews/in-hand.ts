/** Whether somebody has the list in hand: then no row may move under the pointer, the focus or the eye. */
import { useEffect, useEffectEvent } from 'react';

const LOOK_EVERY_MS = 1000;

function isInHand(list: HTMLElement | null): boolean {
  if (list === null) return false;
  // A finger gives no sign before it touches.
  if (matchMedia('(hover: none)').matches) return true;
  return window.scrollY > 0 || list.matches(':hover') || list.contains(document.activeElement);
}

/** Calls `release` as soon as nobody has the list in hand, while something is held back. */
export function useReleaseWhenFree(
  list: { readonly current: HTMLElement | null },
  isHolding: boolean,
  release: () => void,
): void {
  const look = useEffectEvent((): void => {
    if (!isInHand(list.current)) release();
  });
  useEffect(() => {
    if (!isHolding) return undefined;
    const timer = window.setInterval(() => look(), LOOK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, [isHolding]);
}
