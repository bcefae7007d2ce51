/** Why the item is here, what was asked, who replies and who has it. */
import { Link } from 'wouter';
import { useLanguage } from '../language';
import { momentOf } from '../moments';
import type { Item } from './calls';
import { useHolder } from './holder';
import { useInboxTexts } from './texts';

export function ItemFacts({ item }: { item: Item }) {
  const texts = useInboxTexts();
  const { language } = useLanguage();
  const holder = useHolder(item);
  const { about, kind, reason, closedAt, closedBy, resolution, conversationId } = item;
  const at = (iso: string): string => momentOf(new Date(iso), language);
  return (
    <>
      <section className="inbox-why">
        <h2>{texts.kinds[kind].name}</h2>
        <p>{texts.kinds[kind].text}</p>
        {about?.candidateQuestion != null && (
          <blockquote lang={about.language}>{about.candidateQuestion}</blockquote>
        )}
      </section>
      <dl className="inbox-facts">
        <div>
          <dt>{texts.item.reason}</dt>
          <dd lang="en">{reason}</dd>
        </div>
        {about !== null && (
          <div>
            <dt>{texts.item.owner}</dt>
            <dd>{texts.item.owners[about.owner]}</dd>
          </div>
        )}
        {about !== null && about.openQuestion !== null && (
          <div>
            <dt>{texts.wasAsked}</dt>
            <dd lang={about.language}>{about.openQuestion}</dd>
          </div>
        )}
        {closedAt !== null && (
          <div>
            <dt>
              {texts.item.closed(closedBy ?? '')}, {at(closedAt)}
            </dt>
            <dd>{resolution}</dd>
          </div>
        )}
      </dl>
      {closedAt === null && (
        <p
          className={holder.kind === 'other' ? 'inbox-holder inbox-held' : 'inbox-holder'}
          role="status"
        >
          {holder.kind === 'nobody' && texts.item.free}
          {holder.kind === 'you' && texts.item.heldByYou(at(holder.since))}
          {holder.kind === 'other' && texts.item.held(holder.name, at(holder.since))}
        </p>
      )}
      {conversationId !== null && (
        <p>
          <Link href={`/console/interviews/${conversationId}`}>{texts.item.readInterview}</Link>
        </p>
      )}
    </>
  );
}
