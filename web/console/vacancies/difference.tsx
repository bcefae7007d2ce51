/** Two texts as one: what was removed and what was added, line by line. */
import { useMemo } from 'react';
import { lineDifference, shownRows } from './line-difference';
import { useVacanciesTexts } from './texts';

export function Difference({ before, after }: { before: string; after: string }) {
  const { difference } = useVacanciesTexts();
  const rows = useMemo(() => shownRows(lineDifference(before, after)), [before, after]);
  if (rows.every(({ kind }) => kind === 'skipped')) return <p>{difference.none}</p>;
  return (
    // It scrolls, so a keyboard has to get into it.
    <div className="difference" role="region" aria-label={difference.label} tabIndex={0}>
      {rows.map((row, n) =>
        row.kind === 'skipped' ? (
          <p key={n} className="difference-skipped">
            {difference.skipped(row.count)}
          </p>
        ) : (
          <p key={n} className="difference-line" data-kind={row.kind}>
            {row.kind === 'same' ? (
              row.text
            ) : row.kind === 'added' ? (
              <ins>
                <span className="for-readers">{difference.added}: </span>
                {row.text}
              </ins>
            ) : (
              <del>
                <span className="for-readers">{difference.removed}: </span>
                {row.text}
              </del>
            )}
          </p>
        ),
      )}
    </div>
  );
}
