/** Which interviews are selected, with their names, so that the fate of each can be told whatever is shown by then. */
import { useCallback, useState } from 'react';
import type { Interview } from '../api/calls';

/** As many as one action takes. */
export const MOST_SELECTED = 100;

export type Selection = ReadonlyMap<string, string | null>;

const NONE: Selection = new Map();

/** With the interview, or without it if it was in; a full selection takes no more. */
export function toggled(selection: Selection, { id, candidate }: Interview): Selection {
  const after = new Map(selection);
  if (!after.delete(id) && after.size < MOST_SELECTED) after.set(id, candidate.name);
  return after;
}

export function useSelection(): {
  selection: Selection;
  toggle: (interview: Interview) => void;
  clear: () => void;
} {
  const [selection, setSelection] = useState(NONE);
  // The same functions each time: the columns of the list are made of them.
  const toggle = useCallback((interview: Interview): void => {
    setSelection((before) => toggled(before, interview));
  }, []);
  const clear = useCallback(() => setSelection(NONE), []);
  return { selection, toggle, clear };
}
