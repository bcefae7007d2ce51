/** For lists of which only the rows near the window are in the document. */
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useKeys } from './keyboard';

/** Where the rows begin in the document; what stands above them can change its height. */
export function useTop(body: { readonly current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (body.current === null) return;
      setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}

/**
 * j, k and the arrows move the focus from row to row, to what `selector` finds in it. A row outside the document is
 * scrolled to first, and has the focus as soon as it is there.
 */
export function useRowKeys(
  body: { readonly current: HTMLElement | null },
  rows: {
    readonly count: number;
    readonly selector: string;
    readonly scrollTo: (index: number) => void;
  },
): void {
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    const row = `[data-index="${String(wanted.current)}"] ${rows.selector}`;
    const stop = body.current?.querySelector<HTMLElement>(row);
    if (stop == null) return;
    wanted.current = null;
    stop.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  const move = (step: number) => (): void => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    const at = wanted.current ?? (row == null ? null : Number(row.dataset['index']));
    const next = at === null ? 0 : Math.min(rows.count - 1, Math.max(0, at + step));
    wanted.current = next;
    rows.scrollTo(next);
    focusWanted();
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
}
