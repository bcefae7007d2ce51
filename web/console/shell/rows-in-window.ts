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

interface RowsInWindow {
  readonly count: number;
  /** What has the focus in a row; null: the row itself. */
  readonly selector: string | null;
  /** Rows between which the focus moves; others are headings. */
  readonly isStop?: (index: number) => boolean;
  readonly scrollTo: (index: number) => void;
}

/**
 * j, k and the arrows move the focus from row to row. A row outside the document is scrolled to first, and has the
 * focus as soon as it is there. Returns which row has it; null: none.
 */
export function useRowKeys(
  body: { readonly current: HTMLElement | null },
  { count, selector, isStop = () => true, scrollTo }: RowsInWindow,
): () => number | null {
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    const row = `[data-index="${String(wanted.current)}"] ${selector ?? ''}`;
    const stop = body.current?.querySelector<HTMLElement>(row);
    if (stop == null) return;
    wanted.current = null;
    stop.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  const focused = (): number | null => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    return wanted.current ?? (row == null ? null : Number(row.dataset['index']));
  };
  const move = (step: 1 | -1) => (): void => {
    const next = nextStop(focused(), step, { count, isStop });
    if (next === null) return;
    wanted.current = next;
    scrollTo(next);
    focusWanted();
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
  return focused;
}

/** The first one where none has the focus; null: there is no other. */
export function nextStop(
  from: number | null,
  step: 1 | -1,
  { count, isStop }: { readonly count: number; readonly isStop: (index: number) => boolean },
): number | null {
  let next = from === null ? 0 : from + step;
  while (next >= 0 && next < count && !isStop(next)) next += from === null ? 1 : step;
  return next >= 0 && next < count ? next : null;
}
