/** The import's own checks of a text, a moment after somebody has stopped typing. The response to the latest text wins. */
import { useEffect, useState } from 'react';
import { asProblem } from '../api/problem';
import type { ApiProblem } from '../api/problem';
import { FileRefused, checkFile } from './calls';
import type { CheckedVacancy, FileProblem } from './calls';

const DELAY_MS = 350;
const NONE: readonly FileProblem[] = [];

export interface Check {
  /** Of the text as it was checked last. */
  problems: readonly FileProblem[];
  /** The last text without mistakes; null: there was none yet. */
  plan: CheckedVacancy | null;
  /** Why it could not be checked. */
  failure: ApiProblem | null;
  /** This text has been checked. */
  isCurrent: boolean;
}

type Checked = Omit<Check, 'isCurrent'> & { text: string | null };

/** `isOn` false: the person may not have files checked. */
export function useCheck(text: string, isOn: boolean): Check {
  const [checked, setChecked] = useState<Checked>({
    ...{ text: null, problems: NONE, plan: null, failure: null },
  });
  useEffect(() => {
    if (!isOn) return;
    const aborted = new AbortController();
    const check = async (): Promise<void> => {
      const result = await resultOf(text, aborted.signal);
      if (aborted.signal.aborted) return;
      setChecked((before) => ({ ...before, failure: null, ...result, text }));
    };
    const timer = setTimeout(() => void check(), DELAY_MS);
    return () => {
      clearTimeout(timer);
      aborted.abort();
    };
  }, [text, isOn]);
  const { text: of, ...check } = checked;
  return { ...check, isCurrent: of === text };
}

/** What a failed check leaves as it was: the mistakes and the plan. */
async function resultOf(text: string, signal: AbortSignal): Promise<Partial<Checked>> {
  try {
    return { plan: await checkFile(text, signal), problems: NONE };
  } catch (error) {
    if (error instanceof FileRefused) return { problems: error.problems };
    return { failure: asProblem(error) };
  }
}
