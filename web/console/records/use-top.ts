/** Where the rows of a list begin in the document; what stands above them can change its height. */
import { useLayoutEffect, useState } from 'react';

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
