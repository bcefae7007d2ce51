/** Runs an action on the selected interviews, and keeps what it did until the next one or until it is dismissed. */
import { useState } from 'react';
import { asProblem } from '../api/problem';
import { useTexts } from '../language';
import { failed } from '../shell/notice';
import { actOn } from './calls';
import type { Action } from './calls';
import { outcomeOf, selectionOf } from './outcome';
import type { Outcome } from './outcome';
import type { Selection } from './selection';

export interface Actions {
  isBusy: boolean;
  /** Null: nothing was done lately. */
  outcome: Outcome | null;
  run: (action: Action, selection: Selection) => Promise<void>;
  undo: () => Promise<void>;
  dismiss: () => void;
}

export function useActions(onDone: () => void): Actions {
  const texts = useTexts();
  const [isBusy, setBusy] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const run = async (action: Action, selection: Selection): Promise<void> => {
    if (isBusy || selection.size === 0) return;
    setBusy(true);
    try {
      const { results } = await actOn(action, [...selection.keys()]);
      setOutcome(outcomeOf(action, selection, results, Date.now()));
      onDone();
    } catch (error) {
      failed(texts.problem(asProblem(error)));
    } finally {
      setBusy(false);
    }
  };
  const undo = async (): Promise<void> => {
    if (outcome?.undo != null) await run(outcome.undo.action, selectionOf(outcome.done));
  };
  return { isBusy, outcome, run, undo, dismiss: () => setOutcome(null) };
}
