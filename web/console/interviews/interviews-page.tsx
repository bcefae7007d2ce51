/**
 * Everybody who is being interviewed: who waits for a person on top, filters in the address, a list that loads as it
 * is scrolled and changes by itself.
 */
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { Link, useLocation, useSearch } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { listInterviews } from '../api/calls';
import type { Interview } from '../api/calls';
import { useTexts } from '../language';
import { IS_PATCHED } from '../live/read-again';
import { HOME } from '../places';
import { keepList } from '../reading/kept-list';
import { exportsOf, tabsOf } from '../records/tabs';
import { focusPageTitle } from '../shell/focus-back';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useSession } from '../shell/session';
import { useVacancies } from '../vacancies';
import { ActionBar } from './action-bar';
import { entriesOf } from './entries';
import { Fates } from './fates';
import { FilterBar } from './filter-bar';
import { filtersOf, isFiltered, queryOf, searchOf } from './filters';
import type { Filters } from './filters';
import { Changes } from './changes';
import { InterviewList } from './interview-list';
import { heldCount } from './rows';
import { useSelection } from './selection';
import { useActions } from './use-actions';
import { useLiveRows } from './use-live-rows';
import { useWaiting } from './use-waiting';
import { ViewsBar } from './views-bar';
import './interviews.css';

const PAGE = 50;
const NONE: readonly Interview[] = [];

export function InterviewsPage() {
  const texts = useTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(search), [search]);
  const choose = (change: Partial<Filters>): void => {
    navigate(HOME + searchOf({ ...filters, ...change }), { replace: true });
  };
  const session = useSession();
  const mayAct = session.scopes.includes('invitations:write');
  const { titles } = useVacancies();
  const { list, rows, held, release } = useList(filters);
  const hasTop = filters.state === null && filters.text.trim() === '';
  const waiting = useWaiting(filters.vacancy, hasTop);
  const [isExpanded, setExpanded] = useState(false);
  const { selection, toggle, clear } = useSelection();
  const actions = useActions(clear);
  const body = useRef<HTMLDivElement>(null);
  const entries = useMemo(
    () =>
      entriesOf({
        waiting: waiting.rows,
        waitingCount: waiting.count,
        isExpanded,
        rows,
        gone: held.gone,
      }),
    [waiting.rows, waiting.count, isExpanded, rows, held.gone],
  );
  useEffect(() => {
    const ids = entries.flatMap((entry) => (entry.kind === 'row' ? [entry.interview.id] : []));
    keepList(HOME + searchOf(filters), ids);
  }, [filters, entries]);
  // No rows of the filters before say nothing about the chosen ones. Who waits stands above the others.
  const isWaiting =
    list.isPending || waiting.isPending || (list.isPlaceholderData && rows.length === 0);
  // Of a button that stood in place of the rows.
  useLostFocus(isWaiting, focusPageTitle);
  return (
    <Page
      title={texts.interviews.title}
      isWide
      actions={
        tabsOf(session).includes('exports') && (
          <Button component={Link} href={exportsOf(searchOf(filters))} variant="default">
            {texts.interviews.export}
          </Button>
        )
      }
    >
      <ViewsBar query={searchOf(filters).slice(1)} />
      <FilterBar filters={filters} titles={titles} choose={choose} />
      <p className="for-readers" role="status">
        {list.isSuccess && !isWaiting ? texts.interviews.shown(rows.length, list.hasNextPage) : ''}
      </p>
      {actions.outcome !== null && <Fates outcome={actions.outcome} actions={actions} />}
      {isWaiting && <Waiting />}
      {list.error !== null && rows.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {list.isSuccess && !isWaiting && entries.length === 0 && (
        <Sentence {...(isFiltered(filters) ? texts.interviews.nothing : texts.interviews.empty)}>
          {isFiltered(filters) && (
            <Button
              variant="default"
              onClick={() => choose({ state: null, vacancy: null, text: '' })}
            >
              {texts.interviews.clear}
            </Button>
          )}
        </Sentence>
      )}
      <Changes
        list={body}
        count={heldCount(held, rows) + waiting.moved}
        hasSelection={selection.size > 0}
        release={() => {
          release();
          waiting.release();
        }}
      />
      {entries.length > 0 && !isWaiting && (
        <InterviewList
          body={body}
          entries={entries}
          titles={titles}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          selection={mayAct ? selection : null}
          toggle={toggle}
          onExpand={() => setExpanded((before) => !before)}
          onMore={() => {
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
        />
      )}
      {list.isFetchNextPageError && <NotLoaded error={list.error} onAgain={list.fetchNextPage} />}
      {mayAct && <ActionBar selection={selection} actions={actions} onClear={clear} />}
    </Page>
  );
}

function useList(filters: Filters) {
  const queryKey = ['interviews', 'list', filters];
  const list = useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam, signal }) =>
      listInterviews(
        {
          ...queryOf(filters),
          limit: PAGE,
          ...(pageParam === null ? {} : { cursor: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    // Rows would move under the pointer; the stream tells what has changed.
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    meta: IS_PATCHED,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? NONE, [pages]);
  return { list, rows, ...useLiveRows(filters, queryKey) };
}
