/**
 * The rows of the list: only those near the window are in the document. On a phone each row is a card. One row has
 * the focus; j, k and the arrows move it, Enter opens its interview, x selects it.
 */
import { useCallback, useEffect, useMemo } from 'react';
import type { ReactNode, RefObject } from 'react';
import { useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import type { Interview } from '../api/calls';
import { useTexts } from '../language';
import { useKeys } from '../shell/keyboard';
import { useRowKeys, useTop } from '../shell/rows-in-window';
import { useIsPhone } from '../shell/use-is-phone';
import type { Titles } from '../vacancies';
import { columnsOf, features } from './columns';
import type { Entry } from './entries';
import type { Selection } from './selection';
import { useInterviewTexts } from './texts';

interface InterviewListProps {
  /** Around all rows. */
  body: RefObject<HTMLDivElement | null>;
  entries: readonly Entry[];
  titles: Titles;
  /** Of other filters, until those of the chosen ones are there. */
  isStale: boolean;
  hasMore: boolean;
  onMore: () => void;
  onExpand: () => void;
  /** Null: the person does nothing with several interviews. */
  selection: Selection | null;
  toggle: (interview: Interview) => void;
}

const HEIGHTS = {
  desk: { heading: 52, more: 48, row: 60 },
  phone: { heading: 48, more: 52, row: 132 },
} as const;
/** Beyond the window, so that nothing is blank while it is scrolled. */
const OVERSCAN = 12;
/** Above the window's top: the bar of the phone, or the head of the table. */
const MARGIN_PX = 120;

export function InterviewList(props: InterviewListProps) {
  const { body, entries, titles, isStale, hasMore, onMore, selection, toggle } = props;
  const texts = useTexts();
  const own = useInterviewTexts();
  const isPhone = useIsPhone();
  const heights = HEIGHTS[isPhone ? 'phone' : 'desk'];
  const top = useTop(body);
  // Where each row stands is computed anew with it, and only then: headings have other heights than rows.
  const keyOf = useCallback((index: number) => entries[index]?.id ?? index, [entries]);
  const virtual = useWindowVirtualizer({
    count: entries.length,
    estimateSize: (index) => heights[entries[index]?.kind ?? 'row'],
    getItemKey: keyOf,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: MARGIN_PX,
    scrollPaddingEnd: MARGIN_PX,
  });
  useEffect(() => virtual.measure(), [heights, virtual]);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0];
  useEffect(() => {
    if (hasMore && last >= entries.length - OVERSCAN * 2) onMore();
  }, [hasMore, last, entries.length, onMore]);
  // The table has only what is shown: ten thousand rows change as cheaply as ten.
  const columns = useMemo(
    () => columnsOf({ texts, own, titles, selection, toggle }),
    [texts, own, titles, selection, toggle],
  );
  const data = useMemo(
    () => entries.slice(first, last + 1).flatMap((entry) => interviewsOf(entry)),
    [entries, first, last],
  );
  const table = useTable({ features, columns, data, getRowId: ({ id }) => id });
  const rows = new Map(table.getRowModel().rows.map((row) => [row.id, row] as const));
  const focused = useRowKeys(body, {
    count: entries.length,
    selector: '.row-link',
    isStop: (index) => entries[index]?.kind === 'row',
    scrollTo: (index) => virtual.scrollToIndex(index),
  });
  const select = (): boolean => {
    const [interview] = interviewsOf(entries[focused() ?? -1]);
    if (interview === undefined || selection === null) return false;
    toggle(interview);
    return true;
  };
  useKeys({ x: select });
  const cellsOf = (id: string): ReactNode =>
    rows
      .get(id)
      ?.getAllCells()
      .map((cell) => (
        <div key={cell.id} role="cell" className={`cell cell-${cell.column.id}`}>
          <table.FlexRender cell={cell} />
        </div>
      ));
  return (
    <div
      className="table"
      role="table"
      aria-label={texts.interviews.title}
      aria-rowcount={hasMore ? -1 : entries.length + 1}
      aria-busy={isStale}
      data-stale={isStale}
    >
      <div role="rowgroup" className="table-head">
        {table.getHeaderGroups().map((group) => (
          <div key={group.id} role="row" className="row" aria-rowindex={1}>
            {group.headers.map((header) => (
              <div key={header.id} role="columnheader" className={`cell cell-${header.id}`}>
                <table.FlexRender header={header} />
              </div>
            ))}
          </div>
        ))}
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="table-body"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map(({ index, start, size }) => {
          const entry = entries[index];
          if (entry === undefined) return null;
          const style = { height: size, transform: `translateY(${String(start - top)}px)` };
          const place = { 'aria-rowindex': index + 2, 'data-index': index, style };
          return entry.kind === 'row' ? (
            <div
              key={entry.id}
              role="row"
              className="row row-of-list"
              data-interview={entry.id}
              data-gone={entry.isGone}
              data-selected={selection?.has(entry.id) === true}
              title={entry.isGone ? own.gone : undefined}
              {...place}
            >
              {cellsOf(entry.id)}
            </div>
          ) : (
            <div key={entry.id} role="row" className="row-between" {...place}>
              <div role="cell">
                <Between entry={entry} onExpand={props.onExpand} />
              </div>
            </div>
          );
        })}
      </div>
    </div>
  );
}

function interviewsOf(entry: Entry | undefined): Interview[] {
  return entry?.kind === 'row' ? [entry.interview] : [];
}

interface BetweenProps {
  entry: Exclude<Entry, { kind: 'row' }>;
  onExpand: () => void;
}

function Between({ entry, onExpand }: BetweenProps) {
  const texts = useInterviewTexts();
  if (entry.kind === 'heading') {
    return (
      <h2>
        {texts[entry.id]}
        {entry.count !== null && <span className="count">{entry.count}</span>}
      </h2>
    );
  }
  return (
    <button type="button" className="link-button" onClick={onExpand}>
      {entry.hidden > 0 ? texts.more(entry.hidden) : texts.fewer}
    </button>
  );
}
