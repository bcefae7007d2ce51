/** Tells the styles the visible height, because the keyboard of iOS covers a part of the page. */
import { useEffect } from 'react';

export function useViewportHeight(): void {
  useEffect(() => {
    const viewport = window.visualViewport;
    if (!viewport) return undefined;
    const measure = () => {
      const isZoomed = viewport.scale > 1.01;
      const height = isZoomed ? '100dvh' : `${String(viewport.height)}px`;
      document.documentElement.style.setProperty('--visible-height', height);
      if (!isZoomed) window.scrollTo(0, 0);
    };
    measure();
    viewport.addEventListener('resize', measure);
    return () => {
      viewport.removeEventListener('resize', measure);
      document.documentElement.style.removeProperty('--visible-height');
    };
  }, []);
}
