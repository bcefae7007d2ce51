/** The frame of every page but the transcript: whose page it is, language, one column of text. */
import { useEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import { MadeWith, PreviewNote, Wordmark, useBrand } from './brand';
import { Mark } from './icons';
import { LanguageSwitch } from './language';

export function Frame({ children, footer }: { children: ReactNode; footer?: ReactNode }) {
  const isOfCompany = useBrand() !== null;
  return (
    <div className="frame">
      <PreviewNote />
      <header className="frame-header">
        <Wordmark />
        <LanguageSwitch />
      </header>
      <main className="frame-main">{children}</main>
      {(footer || isOfCompany) && (
        <footer className="frame-footer">
          {footer}
          {isOfCompany && <MadeWith />}
        </footer>
      )}
      {!isOfCompany && <Mark className="watermark" />}
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
