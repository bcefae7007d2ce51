/** Pages with one message: loading, unknown, expired, unreachable, declined, withdrawn. */
import type { ReactNode } from 'react';
import { Frame, PageTitle } from './frame';
import { Mark } from './icons';
import { useTexts } from './language';
import type { Dictionary } from '../i18n/dictionary';

interface MessagePageProps {
  text: (texts: Dictionary) => { title: string; text: string };
  action?: (texts: Dictionary) => string;
  onAction?: () => void;
  footer?: ReactNode;
}

export function MessagePage({ text, action, onAction, footer }: MessagePageProps) {
  const texts = useTexts();
  const { title, text: body } = text(texts);
  return (
    <Frame footer={footer}>
      <title>{title}</title>
      <PageTitle>{title}</PageTitle>
      <p className="lead">{body}</p>
      {action && (
        <div className="actions">
          <button type="button" className="button" onClick={onAction}>
            {action(texts)}
          </button>
        </div>
      )}
    </Frame>
  );
}

export function Loading() {
  const texts = useTexts();
  return (
    <main className="loading">
      <Mark className="loading-mark" />
      <h1 className="for-readers">{texts.loading}</h1>
    </main>
  );
}
