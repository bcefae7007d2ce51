/** What stands where content would be: that there is none, why it could not be loaded, or its shape while it loads. */
import type { ReactNode } from 'react';
import { Button } from '@mantine/core';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';

interface SentenceProps {
  title: string;
  text?: string;
  children?: ReactNode;
}

export function Sentence({ title, text, children }: SentenceProps) {
  return (
    <div className="sentence">
      <h2>{title}</h2>
      {text !== undefined && <p>{text}</p>}
      {children}
    </div>
  );
}

/** Why it could not be loaded. */
export function NotLoaded({ error, onAgain }: { error: unknown; onAgain: () => unknown }) {
  const texts = useTexts();
  return (
    <div className="sentence">
      <p className="sentence-title" role="alert">
        {texts.problem(asProblem(error))}
      </p>
      <Button variant="default" onClick={() => void onAgain()}>
        {texts.failed.again}
      </Button>
    </div>
  );
}

/** The shape of rows that are loading. */
export function Waiting({ rows = 8 }: { rows?: number }) {
  const { loading } = useTexts();
  return (
    <>
      <p className="for-readers" role="status">
        {loading}
      </p>
      <div className="waiting" aria-hidden="true">
        {Array.from({ length: rows }, (_, index) => (
          <span key={index} />
        ))}
      </div>
    </>
  );
}
