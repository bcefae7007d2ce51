/** Copies texts. Where the browser does not let a page copy, the field of the text is selected instead. */
import { useState } from 'react';

type Outcome = 'done' | 'refused';

interface Field {
  focus: () => void;
  select: () => void;
}

export function useCopy(): {
  copy: (text: string, field?: Field | null) => Promise<void>;
  /** How it ended with this text; null: it was not copied, or another one was after it. */
  outcomeOf: (text: string) => Outcome | null;
} {
  const [last, setLast] = useState<{ text: string; outcome: Outcome } | null>(null);
  const copy = async (text: string, field: Field | null = null): Promise<void> => {
    try {
      // Browsers have no clipboard for a page that came over plain http.
      await navigator.clipboard.writeText(text);
      setLast({ text, outcome: 'done' });
    } catch {
      field?.focus();
      field?.select();
      setLast({ text, outcome: 'refused' });
    }
  };
  return { copy, outcomeOf: (text) => (last?.text === text ? last.outcome : null) };
}
