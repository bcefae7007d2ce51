/** Shows what the model and colleagues gave, once the person wants it. */
import { useState } from 'react';
import { BusyButton } from '../shell/busy-button';
import { useProblem } from '../shell/use-problem';
import type { Comparison } from './comparison';
import type { RatedQuestion } from './calls';
import { isRatable, isToRate } from './marks';
import { useReadingTexts } from './texts';

interface CompareProps {
  own: readonly RatedQuestion[];
  comparison: Comparison;
}

export function Compare({ own, comparison }: CompareProps) {
  const { compare } = useReadingTexts();
  const problem = useProblem(useReadingTexts().problems);
  const [isBusy, setBusy] = useState(false);
  const { others, scoring, error } = comparison;
  const hasRated = own.some((one) => isRatable(one) && one.isRated);
  const left = own.filter(isToRate).length;
  const isShown = others !== null;
  const show = async (): Promise<void> => {
    setBusy(true);
    try {
      await comparison.show();
    } catch {
      // It stands in `error`.
    } finally {
      setBusy(false);
    }
  };
  return (
    <section className="compare" aria-labelledby="compare" tabIndex={-1} data-stop>
      <h2 id="compare">{compare.title}</h2>
      {isShown && (
        <p>
          {scoring === null ? compare.noScores : ''}
          {scoring?.overall != null && compare.overall(scoring.overall.toFixed(1))}
        </p>
      )}
      {(!isShown || left > 0) && <p className="soft">{compare.text(left)}</p>}
      <BusyButton
        data-compare
        variant={isShown || left > 0 ? 'default' : 'filled'}
        size="sm"
        isBusy={isBusy}
        disabled={!hasRated && left > 0}
        onClick={() => void show()}
      >
        {isShown ? compare.again : compare.action}
      </BusyButton>
      <p className="form-error" role="alert">
        {error === null ? '' : problem(error)}
      </p>
    </section>
  );
}
