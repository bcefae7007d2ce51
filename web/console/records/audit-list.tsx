/** The rows of the audit: only those near the window are in the document. On a phone each is a card. */
import { useEffect, useRef } from 'react';
import { useWindowVirtualizer } from '@tanstack/react-virtual';
import { Link } from 'wouter';
import { Moment } from '../moments';
import { HOME } from '../places';
import { useKeys } from '../shell/keyboard';
import { useRowKeys, useTop } from '../shell/rows-in-window';
import { useIsPhone } from '../shell/use-is-phone';
import { actorInWords } from './actor-in-words';
import { isAboutCandidate } from './audit-filters';
import type { AuditEvent } from './calls';
import { RECORDS } from './tabs';
import { useRecordsTexts } from './texts';

interface AuditListProps {
  rows: readonly AuditEvent[];
  isStale: boolean;
  hasMore: boolean;
  onMore: () => void;
}

const [ROW_PX, CARD_PX] = [48, 104];
const OVERSCAN = 12;
/** Above the window's top: the bar of the phone, or the head of the table. */
const MARGIN_PX = 120;

export function AuditList({ rows, isStale, hasMore, onMore }: AuditListProps) {
  const { audit, tabs } = useRecordsTexts();
  const isPhone = useIsPhone();
  const body = useRef<HTMLDivElement>(null);
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
    selector: null,
    scrollTo: (index) => virtual.scrollToIndex(index),
  });
  useKeys({ Enter: followLink });
  return (
    <div
      className="table records-audit"
      role="table"
      aria-label={tabs.audit}
      aria-rowcount={hasMore ? -1 : rows.length + 1}
      aria-busy={isStale}
      data-stale={isStale}
    >
      <div role="rowgroup" className="table-head">
        <div role="row" className="row audit-row" aria-rowindex={1}>
          {[audit.at, audit.who, audit.what, audit.whom].map((name) => (
            <div key={name} role="columnheader" className="cell">
              {name}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={body}
        role="rowgroup"
        className="table-body"
        style={{ height: virtual.getTotalSize() }}
      >
        {items.map(({ index, start, size }) => {
          const event = rows[index];
          if (event === undefined) return null;
          return (
            <div
              key={event.id}
              role="row"
              tabIndex={-1}
              className="row row-of-list audit-row"
              aria-rowindex={index + 2}
              data-index={index}
              style={{ height: size, transform: `translateY(${start - top}px)` }}
            >
              <Cells event={event} />
            </div>
          );
        })}
      </div>
    </div>
  );
}

/** The link of the row that has the focus. */
function followLink(): boolean {
  const { activeElement } = document;
  const link =
    activeElement?.matches('[data-index]') === true ? activeElement.querySelector('a') : null;
  link?.click();
  return link !== null;
}

function Cells({ event }: { event: AuditEvent }) {
  const { audit } = useRecordsTexts();
  const { at, actor, action } = event;
  return (
    <>
      <div role="cell" className="cell audit-at">
        <Moment at={at} />
      </div>
      <div role="cell" className="cell audit-who">
        {actorInWords(actor, audit)}
      </div>
      <div role="cell" className="cell audit-what">
        {audit.actions[action] ?? action}
      </div>
      <div role="cell" className="cell audit-whom">
        <Subject event={event} />
      </div>
    </>
  );
}

/** What the row is about, while it is there. */
function Subject({ event: { action, subject, subjectHash } }: { event: AuditEvent }) {
  const { audit } = useRecordsTexts();
  if (subject === null) {
    if (isAboutCandidate(action)) return <span className="soft">{audit.erased}</span>;
    return <code className="audit-hash">{subjectHash.slice(0, 8)}</code>;
  }
  const name = subject.name ?? audit.nameless;
  const kind = audit.kinds[subject.kind];
  const place = placeOfSubject(subject);
  return (
    <>
      {place === null ? (
        name
      ) : (
        <Link href={place} className="audit-link">
          {name}
        </Link>
      )}{' '}
      <span className="soft">{kind}</span>
    </>
  );
}

function placeOfSubject({ kind, id }: NonNullable<AuditEvent['subject']>): string | null {
  if (kind === 'interview') return `${HOME}/${id}`;
  return kind === 'candidate' ? `${RECORDS}/candidates?text=${id}` : null;
}
