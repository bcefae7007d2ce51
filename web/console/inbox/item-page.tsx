/** One item: the interview that it is about, live, and what a person does about it. */
import { useCallback, useEffect } from 'react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { asProblem } from '../api/problem';
import { forgetInterviews } from '../forget';
import { useKindNames } from '../kinds';
import { useTexts } from '../language';
import { useReaders, useReading } from '../live/live';
import { INBOX } from '../places';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { AnswerBox } from './answer-box';
import { listItems, readItem } from './calls';
import type { Item } from './calls';
import { forgetDraft } from './drafts';
import { useHolder } from './holder';
import { InboxList } from './inbox-list';
import { ItemActions } from './item-actions';
import { ItemFacts } from './item-facts';
import { Talk } from './talk';
import { useInboxTexts } from './texts';
import { useWatch } from './use-watch';
import './inbox.css';

export function ItemPage({ id }: { id: string }) {
  const texts = useInboxTexts();
  const { inbox } = useTexts();
  const { data, error, refetch } = useQuery({
    queryKey: ['attention', 'item', id],
    queryFn: ({ signal }) => readItem(id, signal),
  });
  const isGone = error !== null && asProblem(error).status === 404;
  if (data !== undefined) return <Opened key={data.id} item={data} isGone={isGone} />;
  return (
    <Page title={inbox.title}>
      {error === null && <Waiting rows={4} />}
      {isGone && (
        <Sentence {...texts.item.gone}>
          <Link href={INBOX}>{texts.item.back}</Link>
        </Sentence>
      )}
      {error !== null && !isGone && <NotLoaded error={error} onAgain={refetch} />}
    </Page>
  );
}

interface OpenedProps {
  item: Item;
  /** It was there, and is not any more. */
  isGone: boolean;
}

function Opened({ item, isGone }: OpenedProps) {
  const texts = useInboxTexts();
  const { user } = useSession();
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const holder = useHolder(item);
  const { id, about, conversationId } = item;
  useReading(conversationId);
  const readers = useReaders(conversationId ?? '').map(({ name }) => name);
  const changed = useCallback(() => {
    void queries.invalidateQueries({ queryKey: ['attention'] });
  }, [queries]);
  const watch = useWatch(conversationId, changed);
  const kinds = useKindNames();
  const title = about === null ? kinds[item.kind] : (about.candidate ?? texts.nameless);
  const isErased = isGone || watch.state?.kind === 'erased';
  useEffect(() => {
    if (!isErased) return;
    // It may name the candidate.
    forgetDraft(user.id, id);
    if (conversationId !== null) forgetInterviews(queries, [conversationId]);
  }, [isErased, user.id, id, conversationId, queries]);
  if (isErased) {
    return (
      <Page title={texts.item.erased.title}>
        <p className="page-lead" role="alert">
          {texts.item.erased.text}
        </p>
        <p>
          <Link href={INBOX}>{texts.item.back}</Link>
        </p>
      </Page>
    );
  }
  const isOpen = item.closedAt === null;
  const isOthers = holder.kind === 'other';
  const mayWrite = conversationId !== null && about?.status !== 'withdrawn';
  const withPerson = about?.owner === 'person';
  return (
    <Page title={title} isWide>
      <p className="inbox-back">
        <Link href={INBOX}>{texts.item.back}</Link>
        {about !== null && <span className="soft"> · {about.vacancyTitle}</span>}
        {readers.length > 0 && (
          <span className="soft"> · {texts.item.readers(readers.join(', '))}</span>
        )}
      </p>
      <div className={conversationId === null ? 'inbox-item' : 'inbox-item inbox-item-of-talk'}>
        <aside className="inbox-side">
          <ItemFacts item={item} />
          <ItemActions
            item={item}
            onChanged={changed}
            onDone={() => {
              changed();
              navigate(INBOX);
            }}
          />
        </aside>
        {item.itemCount > 0 && <ItemsUnder id={id} />}
        {watch.state !== null && (
          <div className="inbox-main">
            <Talk
              state={watch.state}
              name={title}
              language={about?.language ?? 'en'}
              isOwn={holder.kind === 'you'}
              onOlder={watch.showOlder}
              onAgain={watch.again}
            />
            {mayWrite && !isOthers && (isOpen || withPerson) && (
              <AnswerBox
                item={item}
                userId={user.id}
                onSent={changed}
                onAnswered={() => {
                  changed();
                  navigate(INBOX);
                }}
              />
            )}
          </div>
        )}
      </div>
    </Page>
  );
}

/** What has failed for the same reason, each with its own page. */
function ItemsUnder({ id }: { id: string }) {
  const { data } = useQuery({
    queryKey: ['attention', 'under', id],
    queryFn: ({ signal }) => listItems({ under: id, limit: 200 }, signal),
  });
  return data === undefined ? (
    <Waiting rows={3} />
  ) : (
    <InboxList rows={data.items} isStale={false} />
  );
}
