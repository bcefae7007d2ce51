/**
 * Keeps the end of a growing list in view while the reader is at the end, and does not scroll when the
 * reader has scrolled up.
 */
import { useCallback, useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';

const NEAR_END_PX = 64;

export interface FollowedEnd {
  scroller: RefObject<HTMLDivElement | null>;
  content: RefObject<HTMLDivElement | null>;
  isAtEnd: boolean;
  /** Goes to the end and follows it again. */
  follow: () => void;
}

export function useFollowedEnd(): FollowedEnd {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  const [isAtEnd, setAtEnd] = useState(true);

  const follow = useCallback(() => {
    isFollowing.current = true;
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
  }, []);

  useEffect(() => {
    const box = scroller.current;
    const inner = content.current;
    if (!box || !inner) return undefined;
    let lastTop = box.scrollTop;
    const isNearEnd = () => box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_END_PX;
    // The scroll event comes late: by then the list may have grown. Only a move up is the reader's.
    const scrolled = () => {
      const hasMovedUp = box.scrollTop < lastTop - 1;
      lastTop = box.scrollTop;
      if (isNearEnd()) isFollowing.current = true;
      else if (hasMovedUp) isFollowing.current = false;
      setAtEnd(isFollowing.current);
    };
    const resized = new ResizeObserver(() => {
      if (isFollowing.current) box.scrollTop = box.scrollHeight;
    });
    resized.observe(box);
    resized.observe(inner);
    box.addEventListener('scroll', scrolled, { passive: true });
    return () => {
      resized.disconnect();
      box.removeEventListener('scroll', scrolled);
    };
  }, []);

  return { scroller, content, isAtEnd, follow };
}
