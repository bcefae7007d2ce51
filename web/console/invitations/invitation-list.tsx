/** The rows of the list: only those near the window are in the document. On a phone each row is a card. */
import { useEffect, useMemo, useRef } from 'react';
import { createColumnHelper, tableFeatures, useTable } from '@tanstack/react-table';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Link } from 'wouter';
import { useTexts } from '../language';
import { Moment } from '../moments';
import { useRowKeys, useTop } from '../shell/rows-in-window';
import { useIsPhone } from '../shell/use-is-phone';
import type { Titles } from '../vacancies';
import type { Invitation } from './calls';
import { InvitationMenu } from './invitation-menu';
import { nameOf, stageOf } from './row';
import type { RowActions } from './row';
import { useInvitationTexts } from './texts';
import type { InvitationTexts } from './texts';

interface InvitationListProps {
  rows: readonly Invitation[];
  titles: Titles;
  /** Of other filters, until those of the chosen ones are there. */
  isStale: boolean;
  hasMore: boolean;
  mayWrite: boolean;
  actions: RowActions;
  onMore: () => void;
}

const [ROW_PX, CARD_PX] = [60, 124];
/** Beyond the window, so that nothing is blank while it is scrolled. */
const OVERSCAN = 12;
/** Above the window's top: the bar of the phone, or the head of the table. */
const MARGIN_PX = 120;

const features = tableFeatures({});
const helper = createColumnHelper<typeof features, Invitation>();

function columnsOf(
  texts: InvitationTexts,
  { titles, mayWrite, actions }: Pick<InvitationListProps, 'titles' | 'mayWrite' | 'actions'>,
) {
  return helper.columns([
    helper.accessor((one) => nameOf(one) ?? texts.nameless, {
      id: 'name',
      header: texts.name,
      cell: ({ row, getValue }) => <Name invitation={row.original} name={getValue()} />,
    }),
    helper.accessor((one) => titles.get(one.vacancy) ?? one.vacancy, {
      id: 'vacancy',
      header: texts.vacancy,
      cell: ({ getValue }) => getValue(),
    }),
    helper.accessor(stageOf, {
      id: 'state',
      header: texts.state,
      cell: ({ getValue }) => (
        <span className="state" data-stage={getValue()}>
          {texts.stages[getValue()]}
        </span>
      ),
    }),
    helper.accessor('validUntil', {
      id: 'until',
      header: texts.validUntil,
      cell: ({ getValue }) => <Moment at={getValue()} />,
    }),
    helper.display({
      id: 'menu',
      header: () => <span className="for-readers">{texts.actions}</span>,
      cell: ({ row }) => (
        <InvitationMenu invitation={row.original} mayWrite={mayWrite} actions={actions} />
      ),
    }),
  ]);
}

export function InvitationList(props: InvitationListProps) {
  const { rows, titles, isStale, hasMore, mayWrite, actions, onMore } = props;
  const { invitations: title } = useTexts();
  const texts = useInvitationTexts();
  const isPhone = useIsPhone();
  const body = useRef<HTMLDivElement>(null);
  const { reissue, revoke } = actions;
  const columns = useMemo(
    () => columnsOf(texts, { titles, mayWrite, actions: { reissue, revoke } }),
    [texts, titles, mayWrite, reissue, revoke],
  );
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
  useRowKeys(body, {
    count: rows.length,
    selector: '.row-stop',
    scrollTo: (index) => virtual.scrollToIndex(index),
  });
  return (
    <div
      className="table invitations"
      role="table"
      aria-label={title}
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
              style={{ height: size, transform: `translateY(${String(start - top)}px)` }}
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

/** Leads to the interview, where there is one. */
function Name({ invitation, name }: { invitation: Invitation; name: string }) {
  const { interviewId, candidate, externalId } = invitation;
  const beside = [candidate.contact, externalId].find((one) => one !== null && one !== name);
  return (
    <>
      {interviewId === null ? (
        <span className="row-stop invitation-name" tabIndex={-1}>
          {name}
        </span>
      ) : (
        <Link className="row-link row-stop" href={`/console/interviews/${interviewId}`}>
          {name}
        </Link>
      )}
      {beside !== undefined && <span className="soft invitation-beside">{beside}</span>}
    </>
  );
}
