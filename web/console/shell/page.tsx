/** What every page of the shell has: its title with what can be done beside it, and its content. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';

interface PageProps {
  title: string;
  actions?: ReactNode;
  /** Tables take the whole width; texts and forms are narrower. */
  isWide?: boolean;
  children: ReactNode;
}

export function Page({ title, actions, isWide = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // So that a screen reader starts reading here.
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div className={isWide ? 'page page-wide' : 'page'}>
      <title>{`${title} · Colloquy`}</title>
      <header className="page-header">
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
