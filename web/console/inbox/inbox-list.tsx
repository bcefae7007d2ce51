/** The rows of the inbox. j, k and the arrows move the focus, Enter opens the one that has it. */
import { useRef } from 'react';
import { Link } from 'wouter';
import { useKindNames } from '../kinds';
import { useLanguage } from '../language';
import { durationOf, momentOf, useTimeOfPage } from '../moments';
import { itemAt } from '../places';
import { useListKeys } from '../shell/keyboard';
import type { Item } from './calls';
import { useHolder } from './holder';
import { useInboxTexts } from './texts';

export function InboxList({ rows, isStale }: { rows: readonly Item[]; isStale: boolean }) {
  const list = useRef<HTMLUListElement>(null);
  useListKeys(list, '.row-link');
  return (
    <ul ref={list} className="inbox-list" data-stale={isStale}>
      {rows.map((item) => (
        <Row key={item.id} item={item} />
      ))}
    </ul>
  );
}

function Row({ item }: { item: Item }) {
  const texts = useInboxTexts();
  const { language } = useLanguage();
  const holder = useHolder(item);
  const { about, kind, itemCount } = item;
  const name = useKindNames()[kind];
  return (
    <li className="inbox-row">
      <div className="inbox-who">
        <Link href={itemAt(item.id)} className="row-link">
          {about === null ? name : (about.candidate ?? texts.nameless)}
        </Link>
        {about !== null && <span className="soft">{about.vacancyTitle}</span>}
      </div>
      <div className="inbox-what">
        {about !== null && (
          <span className="inbox-kind" data-kind={kind}>
            {name}
          </span>
        )}
        <Words item={item} />
        {itemCount > 0 && <span className="soft">{texts.under(itemCount)}</span>}
      </div>
      <div className="inbox-when">
        <time dateTime={item.createdAt} title={momentOf(new Date(item.createdAt), language)}>
          <Waited since={item.createdAt} />
        </time>
        {holder.kind !== 'nobody' && (
          <span className="tag">{texts.heldBy(holder.kind === 'you' ? null : holder.name)}</span>
        )}
      </div>
    </li>
  );
}

/** What the candidate asks, or what was put to them; else what code has written about it. */
function Words({ item: { about, kind, reason } }: { item: Item }) {
  const texts = useInboxTexts();
  if (about === null) {
    return (
      <span className="inbox-words" lang="en">
        {reason}
      </span>
    );
  }
  const { candidateQuestion, openQuestion, language } = about;
  const words = candidateQuestion ?? openQuestion;
  if (words === null) return <span className="inbox-words soft">{texts.kinds[kind]}</span>;
  return (
    <span className="inbox-words">
      <span className="soft">{candidateQuestion === null ? texts.wasAsked : texts.asks}: </span>
      <span lang={language}>{words}</span>
    </span>
  );
}

function Waited({ since }: { since: string }) {
  const { waits } = useInboxTexts();
  const { language } = useLanguage();
  const now = useTimeOfPage();
  return waits(durationOf(now - new Date(since).getTime(), language));
}
