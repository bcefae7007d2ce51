/** Why the item is here, what was asked, who replies and who has it. */
import { Link } from 'wouter';
import { useKindNames } from '../kinds';
import { useLanguage } from '../language';
import { momentOf } from '../moments';
import type { Item } from './calls';
import { closingInWords } from './closing-in-words';
import { useHolder } from './holder';
import { useInboxTexts } from './texts';

export function ItemFacts({ item }: { item: Item }) {
  const texts = useInboxTexts();
  const { language } = useLanguage();
  const kinds = useKindNames();
  const holder = useHolder(item);
  const closing = closingInWords(item, texts);
  const { about, kind, reason, closedAt, conversationId } = item;
  const at = (iso: string): string => momentOf(new Date(iso), language);
  return (
    <>
      <section className="inbox-why">
        <h2>{kinds[kind]}</h2>
        <p>{texts.kinds[kind]}</p>
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
              {closing.who}, {at(closedAt)}
            </dt>
            {closing.words !== null && <dd>{closing.words}</dd>}
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
