/**
 * The rows of the list: only those near the window are in the document. On a phone each row is a card. One row has
 * the focus; j, k and the arrows move it, Enter opens its interview.
 */
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Link } from 'wouter';
import type { Interview } from '../api/calls';
import { useTexts } from '../language';
import type { Dictionary } from '../texts/dictionary';
import { Ago } from '../moments';
import { interviewAt } from '../places';
import { useKeys } from '../shell/keyboard';
import { useIsPhone } from '../shell/use-is-phone';
import type { Titles } from '../vacancies';

interface InterviewListProps {
  rows: readonly Interview[];
  titles: Titles;
  /** Of other filters, until those of the chosen ones are there. */
  isStale: boolean;
  hasMore: boolean;
  onMore: () => void;
}

const [ROW_PX, CARD_PX] = [60, 124];
/** Beyond the window, so that nothing is blank while it is scrolled. */
const OVERSCAN = 12;
/** Above the window's top: the bar of the phone, or the head of the table. */
const MARGIN_PX = 120;

const features = tableFeatures({});
const helper = createColumnHelper<typeof features, Interview>();

function columnsOf({ interviews }: Dictionary, titles: Titles) {
  return helper.columns([
    helper.accessor((one) => one.candidate.name ?? interviews.nameless, {
      id: 'name',
      header: interviews.name,
      cell: ({ row, getValue }) => (
        <Link className="row-link" href={interviewAt(row.original.id)}>
          {getValue()}
        </Link>
      ),
    }),
    helper.accessor((one) => titles.get(one.vacancy) ?? one.vacancy, {
      id: 'vacancy',
      header: interviews.vacancy,
      cell: ({ getValue }) => getValue(),
    }),
    helper.accessor('state', {
      header: interviews.state,
      cell: ({ getValue }) => (
        <span className="state" data-state={getValue()}>
          {interviews.states[getValue()]}
        </span>
      ),
    }),
    helper.accessor('progress', {
      header: interviews.progress,
      cell: ({ row }) => <Progress interview={row.original} />,
    }),
    helper.accessor('updatedAt', {
      id: 'updated',
      header: interviews.updated,
      cell: ({ getValue }) => <Ago at={getValue()} />,
    }),
  ]);
}

export function InterviewList({ rows, titles, isStale, hasMore, onMore }: InterviewListProps) {
  const texts = useTexts();
  const isPhone = useIsPhone();
  const body = useRef<HTMLDivElement>(null);
  const columns = useMemo(() => columnsOf(texts, titles), [texts, titles]);
  const data = useMemo(() => [...rows], [rows]);
  const table = useTable({ features, columns, data, getRowId: ({ id }) => id });
  const models = table.getRowModel().rows;
  const top = useTop(body);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => (isPhone ? CARD_PX : ROW_PX),
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: OVERSCAN,
    scrollMargin: top,
    scrollPaddingStart: MARGIN_PX,
    scrollPaddingEnd: MARGIN_PX,
  });
  useEffect(() => virtual.measure(), [isPhone, virtual]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (hasMore && last >= rows.length - OVERSCAN * 2) onMore();
  }, [hasMore, last, rows.length, onMore]);
  useRowKeys(body, rows.length, (index) => virtual.scrollToIndex(index));
  return (
    <div
      className="table"
      role="table"
      aria-label={texts.interviews.title}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
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
          const row = models[index];
          if (row === undefined) return null;
          return (
            <div
              key={row.id}
              role="row"
              className="row row-of-list"
              aria-rowindex={index + 2}
              data-index={index}
              style={{ height: size, transform: `translateY(${start - top}px)` }}
            >
              {row.getAllCells().map((cell) => (
                <div key={cell.id} role="cell" className={`cell cell-${cell.column.id}`}>
                  <table.FlexRender cell={cell} />
                </div>
              ))}
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** Where the rows begin in the document; what stands above them can change its height. */
function useTop(body: { readonly current: HTMLElement | null }): number {
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const measure = (): void => {
      if (body.current === null) return;
      setTop(Math.round(body.current.getBoundingClientRect().top + window.scrollY));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, [body]);
  return top;
}

/** A row outside the document is scrolled to first, and has the focus as soon as it is there. */
function useRowKeys(
  body: { readonly current: HTMLElement | null },
  count: number,
  scrollTo: (index: number) => void,
): void {
  const wanted = useRef<number | null>(null);
  const focusWanted = (): void => {
    const row = body.current?.querySelector(`[data-index="${String(wanted.current)}"] .row-link`);
    if (!(row instanceof HTMLElement)) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useEffect(focusWanted);
  const move = (step: number) => (): void => {
    const row = document.activeElement?.closest<HTMLElement>('[data-index]');
    const at = wanted.current ?? (row == null ? null : Number(row.dataset['index']));
    const next = at === null ? 0 : Math.min(count - 1, Math.max(0, at + step));
    wanted.current = next;
    scrollTo(next);
    focusWanted();
  };
  useKeys({ j: move(1), ArrowDown: move(1), k: move(-1), ArrowUp: move(-1) });
}

const ENDED = new Set<Interview['state']>([
  'finished',
  'scored',
  'decided',
  'withdrawn',
  'expired',
]);

/** A running interview is at a question; an ended one has some with an answer. */
function Progress({ interview: { state, progress } }: { interview: Interview }) {
  const { interviews } = useTexts();
  if (state === 'opened') return <span className="soft">{interviews.notBegun}</span>;
  const { question, of, unanswered } = progress;
  const isComplete = state === 'finished' || state === 'scored' || state === 'decided';
  const through = isComplete ? of : question - 1;
  const words = isComplete
    ? interviews.answered(of - unanswered.length, of)
    : ENDED.has(state)
      ? interviews.endedAt(question, of)
      : interviews.at(question, of);
  return (
    <span className="progress">
      <span className="progress-line" aria-hidden="true">
        <span style={{ width: `${String(of === 0 ? 0 : (through / of) * 100)}%` }} />
      </span>
      {words}
    </span>
  );
}
