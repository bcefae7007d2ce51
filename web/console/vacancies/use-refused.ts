/** The mistakes for which a text was not saved. They stand at lines of that text, and say nothing of another one. */
import { useState } from 'react';
import type { FileProblem } from './calls';

export interface Refused {
  readonly text: string;
  readonly problems: readonly FileProblem[];
}

/** Of the text that is shown; null: it was not refused. */
export function refusedAs(refused: Refused | null, text: string): readonly FileProblem[] | null {
  return refused !== null && refused.text === text ? refused.problems : null;
}

export function useRefused(text: string): {
  refused: readonly FileProblem[] | null;
  setRefused: (refused: Refused | null) => void;
} {
  const [refused, setRefused] = useState<Refused | null>(null);
  return { refused: refusedAs(refused, text), setRefused };
}
