/**
 * A ring that drains while the answer waits for more, so that candidates see what happens next. It is full
 * again when they type. Decoration: the text beside it says the same.
 */
import { useState } from 'react';
import type { CSSProperties } from 'react';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';

interface QuietRingProps {
  session: ConversationSession;
  due: SessionSnapshot['due'];
  draft: string;
}

export function QuietRing({ session, due, draft }: QuietRingProps) {
  if (due === null) return null;
  return <Ring key={`${String(due.atMs)}:${String(draft.length)}`} quietMs={session.quietMs()} />;
}

function Ring({ quietMs }: { quietMs: number }) {
  // Only the first value: a later one would make a running animation jump.
  const [ms] = useState(quietMs);
  const style = { '--quiet': `${String(ms)}ms` } as CSSProperties;
  return (
    <svg className="quiet-ring" viewBox="0 0 20 20" style={style} aria-hidden="true">
      <circle className="quiet-ring-track" cx="10" cy="10" r="8" />
      <circle className="quiet-ring-left" cx="10" cy="10" r="8" pathLength="1" />
    </svg>
  );
}
