/** Every row of an import with its fate; only those near the middle of the box are in the document. */
import { useId, useRef } from 'react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useInvitationTexts } from '../texts';
import { personIn } from './correction';
import type { SentRows } from './correction';
import type { ShownRow } from './import-view';

interface RowListProps {
  /** Those that have their fate. */
  rows: readonly ShownRow[];
  total: number;
  sent: SentRows | null;
}

const ROW_PX = 44;
const OVERSCAN = 10;

export function RowList({ rows, total, sent }: RowListProps) {
  const { import: texts } = useInvitationTexts();
  const title = useId();
  const box = useRef<HTMLDivElement>(null);
  const lines = sent === null ? null : [...sent.rows.keys()];
  const virtual = useVirtualizer({
    count: Math.max(total, rows.length),
    estimateSize: () => ROW_PX,
    getScrollElement: () => box.current,
    overscan: OVERSCAN,
  });
  return (
    <section className="section" aria-labelledby={title}>
      <h2 id={title}>{texts.rows}</h2>
      <div ref={box} className="import-rows" role="group" aria-labelledby={title} tabIndex={0}>
        <ol style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, start, size }) => {
            const row = rows[index];
            const line = row === undefined ? (lines?.[index] ?? null) : row.fileLine;
            const cells = line === null ? undefined : sent?.rows.get(line);
            const person = sent === null || cells === undefined ? null : personIn(sent, cells);
            const state = row?.state ?? 'waiting';
            return (
              <li
                key={index}
                aria-setsize={total}
                aria-posinset={index + 1}
                style={{ height: size, transform: `translateY(${String(start)}px)` }}
              >
                <span className="soft">{texts.line(line ?? index + 1)}</span>
                <span className="import-person">{person ?? row?.externalId}</span>
                <span className="state" data-fate={state}>
                  {texts.states[state]}
                </span>
              </li>
            );
          })}
        </ol>
      </div>
    </section>
  );
}
