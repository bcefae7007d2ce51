/**
 * Whether there is a field for the answer, and when it takes the focus: at once where there is a mouse,
 * because a touch screen would open its keyboard over the question; and everywhere when the candidate
 * asks for the field. After the end of the interview it opens on request, and stays as long as
 * something in it is not sent.
 */
import { useEffect, useState } from 'react';
import type { ConversationSession } from '../state/session';
import type { SessionSnapshot } from '../state/session-snapshot';
import { isFieldInUse } from '../state/unsent';
import { hasEnded } from './ending-card';

interface AnswerField {
  /** The conversation takes messages. */
  mayWrite: boolean;
  isShown: boolean;
  show: () => void;
  /** Adds files to the answer, and shows its field. */
  attach: (session: ConversationSession, files: Iterable<File>) => void;
}

export function useAnswerField(snapshot: SessionSnapshot, draft: string): AnswerField {
  const [isAskedFor, setAskedFor] = useState(false);
  const { view } = snapshot.conversation;
  const mayWrite = view.takesMessages;
  useEffect(() => {
    const hasMouse = matchMedia('(hover: hover) and (pointer: fine)').matches;
    if (hasMouse || isAskedFor) document.getElementById('answer')?.focus({ preventScroll: true });
  }, [isAskedFor]);
  return {
    mayWrite,
    isShown: mayWrite && (!hasEnded(view) || isAskedFor || isFieldInUse(snapshot, draft)),
    show: () => setAskedFor(true),
    attach: (session, files) => {
      setAskedFor(true);
      session.attachments.add(files);
    },
  };
}
