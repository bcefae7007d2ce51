/** Keeps the visible part in its place while a list grows at its beginning. */
import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';

/** `beginning` changes whenever something is put before the first item. */
export function useKeptPlace(
  scroller: RefObject<HTMLDivElement | null>,
  beginning: number | null,
): void {
  const before = useRef({ beginning, height: 0 });
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const { scrollHeight: height } = box;
    const grown = height - before.current.height;
    if (before.current.beginning !== beginning) box.scrollBy({ top: grown, behavior: 'instant' });
    before.current = { beginning, height };
  });
}
