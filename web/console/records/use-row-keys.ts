/**
 * j, k and the arrows move through the rows of a list, of which only some are in the document: a row that is not is
 * scrolled to first, and has the focus as soon as it is there. Enter follows its link.
 */
import { useEffect, useRef } from 'react';
import { useKeys } from '../shell/keyboard';

export function useRowKeys(
  body: { readonly current: HTMLElement | null },
  count: number,
  scrollTo: (index: number) => void,
): void {
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    const row = body.current?.querySelector(`[data-index="${String(wanted.current)}"]`);
    if (!(row instanceof HTMLElement)) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  const move = (step: number) => (): void => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    const at = wanted.current ?? (row == null ? null : Number(row.dataset['index']));
    const next = at === null ? 0 : Math.min(count - 1, Math.max(0, at + step));
    wanted.current = next;
    scrollTo(next);
    focusWanted();
  };
  useKeys({
    j: move(1),
    ArrowDown: move(1),
    k: move(-1),
    ArrowUp: move(-1),
    Enter: () => {
      const link = document.activeElement?.matches('[data-index]')
        ? document.activeElement.querySelector('a')
        : null;
      if (link == null) return false;
      link.click();
      return true;
    },
  });
}
