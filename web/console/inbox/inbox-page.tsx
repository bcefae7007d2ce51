/** The inbox: one list of what needs a person, the longest waiting first. */
import { useMemo } from 'react';
import { Button, Select } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { useKindNames } from '../kinds';
import { INBOX } from '../places';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useVacancies } from '../vacancies';
import type { Titles } from '../vacancies';
import { listItems } from './calls';
import type { Item } from './calls';
import { KINDS, inboxFiltersOf, inboxSearchOf } from './filters';
import type { InboxFilters } from './filters';
import { InboxList } from './inbox-list';
import { useInboxTexts } from './texts';
import { useTexts } from '../language';
import './inbox.css';

const PAGE = 100;
const NONE: readonly Item[] = [];

export function InboxPage() {
  const texts = useInboxTexts();
  const { inbox } = useTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => inboxFiltersOf(search), [search]);
  const choose = (change: Partial<InboxFilters>): void => {
    navigate(INBOX + inboxSearchOf({ ...filters, ...change }), { replace: true });
  };
  const { titles } = useVacancies();
  const { kind, vacancy } = filters;
  const list = useInfiniteQuery({
    queryKey: ['attention', 'list', filters],
    queryFn: ({ pageParam, signal }) =>
      listItems(
        {
          state: 'open',
          limit: PAGE,
          ...(kind === null ? {} : { kind }),
          ...(vacancy === null ? {} : { vacancy }),
          ...(pageParam === null ? {} : { afterId: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ items }) => (items.length < PAGE ? null : (items.at(-1)?.id ?? null)),
    placeholderData: keepPreviousData,
    // The stream tells what has changed, also what was missed.
    refetchOnReconnect: false,
  });
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? NONE;
  const isFiltered = kind !== null || vacancy !== null;
  return (
    <Page title={inbox.title}>
      <p className="page-lead">{texts.lead}</p>
      <Filters filters={filters} titles={titles} choose={choose} />
      <p className="for-readers" role="status">
        {list.isSuccess ? texts.shown(rows.length, list.hasNextPage) : ''}
      </p>
      {list.isPending && <Waiting />}
      {list.error !== null && rows.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {list.isSuccess && rows.length === 0 && (
        <Sentence {...(isFiltered ? texts.nothing : texts.empty)}>
          {isFiltered && (
            <Button variant="default" onClick={() => choose({ kind: null, vacancy: null })}>
              {texts.showAll}
            </Button>
          )}
        </Sentence>
      )}
      {rows.length > 0 && <InboxList rows={rows} isStale={list.isPlaceholderData} />}
      {list.hasNextPage && (
        <Button
          variant="default"
          className="inbox-more"
          onClick={() => {
            if (!list.isFetchingNextPage) void list.fetchNextPage();
          }}
        >
          {texts.more}
        </Button>
      )}
    </Page>
  );
}

interface FiltersProps {
  filters: InboxFilters;
  titles: Titles;
  choose: (change: Partial<InboxFilters>) => void;
}

function Filters({ filters: { kind, vacancy }, titles, choose }: FiltersProps) {
  const texts = useInboxTexts();
  const kinds = useKindNames();
  const vacancies = [...titles].map(([value, label]) => ({ value, label }));
  if (vacancy !== null && !titles.has(vacancy)) vacancies.push({ value: vacancy, label: vacancy });
  return (
    <div className="filters" role="search" aria-label={texts.filters}>
      <Select
        className="filter inbox-kind-filter"
        aria-label={texts.kind}
        placeholder={texts.anyKind}
        data={KINDS.map((value) => ({ value, label: kinds[value] }))}
        value={kind}
        clearable
        clearButtonProps={{ 'aria-label': texts.anyKind }}
        onChange={(chosen) => choose({ kind: KINDS.find((one) => one === chosen) ?? null })}
      />
      <Select
        className="filter"
        aria-label={texts.vacancy}
        placeholder={texts.anyVacancy}
        data={vacancies}
        value={vacancy}
        searchable={vacancies.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': texts.anyVacancy }}
        nothingFoundMessage={texts.noVacancy}
        onChange={(chosen) => choose({ vacancy: chosen })}
      />
    </div>
  );
}
