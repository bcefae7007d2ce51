/** Everybody who is being interviewed: filters in the address, and a list that loads as it is scrolled. */
import { useEffect, useMemo, useRef, useState } from 'react';
import { Button, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { listInterviews } from '../api/calls';
import type { Interview } from '../api/calls';
import { useTexts } from '../language';
import { HOME } from '../places';
import { keepList } from '../reading/kept-list';
import { focusPageTitle } from '../shell/focus-back';
import { Icon } from '../shell/icon';
import { useKeys } from '../shell/keyboard';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { useVacancies } from '../vacancies';
import type { Titles } from '../vacancies';
import { STATES, filtersOf, isFiltered, queryOf, searchOf } from './filters';
import type { Filters } from './filters';
import { InterviewList } from './interview-list';

const PAGE = 50;
/** A list this long is not loaded anew whenever somebody returns to the page. */
const PAGES_TO_REFRESH = 3;
const SEARCH_DELAY_MS = 250;
const NONE: readonly Interview[] = [];

export function InterviewsPage() {
  const texts = useTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(search), [search]);
  const choose = (change: Partial<Filters>): void => {
    navigate(HOME + searchOf({ ...filters, ...change }), { replace: true });
  };
  const { titles } = useVacancies();
  const list = useInfiniteQuery({
    queryKey: ['interviews', filters],
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
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= PAGES_TO_REFRESH,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? NONE, [pages]);
  useEffect(() => {
    const ids = rows.map(({ id }) => id);
    keepList(HOME + searchOf(filters), ids);
  }, [filters, rows]);
  // No rows of the filters before say nothing about the chosen ones.
  const isWaiting = list.isPending || (list.isPlaceholderData && rows.length === 0);
  // Of a button that stood in place of the rows.
  useLostFocus(isWaiting, focusPageTitle);
  return (
    <Page title={texts.interviews.title} isWide>
      <FilterBar filters={filters} titles={titles} choose={choose} />
      <p className="for-readers" role="status">
        {list.isSuccess && !isWaiting ? texts.interviews.shown(rows.length, list.hasNextPage) : ''}
      </p>
      {isWaiting && <Waiting />}
      {list.error !== null && rows.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {list.isSuccess && !isWaiting && rows.length === 0 && (
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
      {rows.length > 0 && (
        <InterviewList
          rows={rows}
          titles={titles}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          onMore={() => {
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
        />
      )}
      {list.isFetchNextPageError && <NotLoaded error={list.error} onAgain={list.fetchNextPage} />}
    </Page>
  );
}

interface FilterBarProps {
  filters: Filters;
  titles: Titles;
  choose: (change: Partial<Filters>) => void;
}

function FilterBar({ filters, titles, choose }: FilterBarProps) {
  const texts = useTexts();
  const { interviews } = texts;
  const vacancies = [...titles].map(([value, label]) => ({ value, label }));
  const isUnknown = filters.vacancy !== null && !titles.has(filters.vacancy);
  if (isUnknown) vacancies.push({ value: filters.vacancy ?? '', label: filters.vacancy ?? '' });
  return (
    <div className="filters" role="search" aria-label={interviews.filters}>
      <Search text={filters.text} onText={(text) => choose({ text })} />
      <Select
        className="filter"
        aria-label={interviews.state}
        placeholder={interviews.anyState}
        data={STATES.map((value) => ({ value, label: interviews.states[value] }))}
        value={filters.state}
        clearable
        clearButtonProps={{ 'aria-label': interviews.anyState }}
        onChange={(state) => choose({ state: STATES.find((one) => one === state) ?? null })}
      />
      <Select
        className="filter"
        aria-label={interviews.vacancy}
        placeholder={interviews.anyVacancy}
        data={vacancies}
        value={filters.vacancy}
        searchable={vacancies.length > 8}
        clearable
        clearButtonProps={{ 'aria-label': interviews.anyVacancy }}
        nothingFoundMessage={interviews.noVacancy}
        onChange={(vacancy) => choose({ vacancy })}
      />
    </div>
  );
}

/** Searches as one types; the address follows a moment later. */
function Search({ text, onText }: { text: string; onText: (text: string) => void }) {
  const { interviews } = useTexts();
  const [typed, setTyped] = useState(text);
  const [inAddress, setInAddress] = useState(text);
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef<number>(undefined);
  if (text !== inAddress) {
    setInAddress(text);
    if (text !== typed.trim()) setTyped(text);
  }
  // As the other filters are when the moment is over.
  const apply = useRef(onText);
  useEffect(() => {
    apply.current = onText;
  });
  useEffect(() => () => window.clearTimeout(timer.current), []);
  useKeys({ '/': () => input.current?.focus() });
  const set = (value: string, delayMs = SEARCH_DELAY_MS): void => {
    setTyped(value);
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => apply.current(value), delayMs);
  };
  const toFirstRow = (): void => {
    // Rows of another search are no results of this one.
    if (typed.trim() !== text) set(typed, 0);
    else document.querySelector<HTMLElement>('.table[data-stale="false"] .row-link')?.focus();
  };
  return (
    <TextInput
      ref={input}
      className="filter-search"
      type="search"
      aria-label={interviews.search}
      aria-keyshortcuts="/"
      placeholder={interviews.search}
      leftSection={<Icon name="search" />}
      rightSection={typed === '' ? <kbd className="key">/</kbd> : null}
      value={typed}
      maxLength={200}
      onChange={(event) => set(event.currentTarget.value)}
      onKeyDown={({ key }) => {
        if (key === 'Enter' || key === 'ArrowDown') toFirstRow();
        if (key !== 'Escape') return;
        if (typed === '') input.current?.blur();
        else set('', 0);
      }}
    />
  );
}
