/** The frame of the pages before the console itself, with the look of the candidate's pages. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { Mark } from '../src/components/icons';
import { useLanguage } from './language';

export function Frame({ title, children }: { title: string; children: ReactNode }) {
  const { texts, choose } = useLanguage();
  const { other, switchTo } = texts.language;
  return (
    <div className="frame">
      <title>{`${title} · Colloquy`}</title>
      <header className="frame-header">
        <span className="wordmark">
          <Mark />
          Colloquy
        </span>
        <button type="button" className="quiet-button" lang={other} onClick={() => choose(other)}>
          {switchTo}
        </button>
      </header>
      <main className="frame-main entry-main">{children}</main>
      <Mark className="watermark" />
    </div>
  );
}

/** Takes the focus when its page appears, so that a screen reader starts reading here. */
export function PageTitle({ children }: { children: ReactNode }) {
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus(), []);
  return (
    <h1 ref={title} tabIndex={-1} className="page-title">
      {children}
    </h1>
  );
}

/** What is shown while something loads: nothing that flashes. */
export function Opening() {
  const { loading } = useLanguage().texts;
  return (
    <div className="loading" role="status">
      <span className="for-readers">{loading}</span>
      <Mark className="loading-mark" />
    </div>
  );
}
