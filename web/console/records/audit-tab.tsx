/** The audit: filters in the address, rows that load as they are scrolled, and the same as a file. */
import { useMemo } from 'react';
import { Button, Menu, Select, TextInput } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useLocation, useSearch } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { listUsers } from '../api/calls';
import { useLanguage } from '../language';
import { BusyButton } from '../shell/busy-button';
import { focusPageTitle } from '../shell/focus-back';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { mayManageUsers, useSession } from '../shell/session';
import { actorInWords } from './actor-in-words';
import { auditFiltersOf, auditQueryOf, auditSearchOf } from './audit-filters';
import type { AuditFilters } from './audit-filters';
import { AuditList } from './audit-list';
import { listAudit, listKeys } from './calls';
import type { AuditEvent } from './calls';
import { placeOf } from './files';
import { RECORDS } from './tabs';
import { useRecordsTexts } from './texts';
import { useDownload } from './use-download';

const PLACE = `${RECORDS}/audit`;
const PAGE = 200;
/** A list this long is not loaded anew whenever somebody returns to the page. */
const PAGES_TO_REFRESH = 3;
const NONE: readonly AuditEvent[] = [];

function isShort({
  state,
}: {
  state: { data?: { pages: readonly unknown[] } | undefined };
}): boolean {
  return (state.data?.pages.length ?? 0) <= PAGES_TO_REFRESH;
}

export function AuditTab() {
  const { audit } = useRecordsTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => auditFiltersOf(search), [search]);
  const choose = (change: Partial<AuditFilters>): void => {
    navigate(PLACE + auditSearchOf({ ...filters, ...change }), { replace: true });
  };
  const list = useInfiniteQuery({
    queryKey: ['audit', filters],
    queryFn: ({ pageParam, signal }) =>
      listAudit(
        {
          ...auditQueryOf(filters),
          limit: PAGE,
          ...(pageParam === null ? {} : { beforeId: pageParam }),
        },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ olderCursor }) => olderCursor,
    placeholderData: keepPreviousData,
    refetchOnWindowFocus: isShort,
    refetchOnReconnect: isShort,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ events }) => events) ?? NONE, [pages]);
  const isWaiting = list.isPending || (list.isPlaceholderData && rows.length === 0);
  useLostFocus(isWaiting, focusPageTitle);
  return (
    <>
      <p className="records-lead">{audit.lead}</p>
      <FilterBar filters={filters} choose={choose} />
      <p className="for-readers" role="status">
        {list.isSuccess && !isWaiting ? audit.shown(rows.length, list.hasNextPage) : ''}
      </p>
      {isWaiting && <Waiting />}
      {list.error !== null && rows.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {list.isSuccess && !isWaiting && rows.length === 0 && (
        <Sentence {...audit.nothing}>
          <Button variant="default" onClick={() => navigate(PLACE, { replace: true })}>
            {audit.clear}
          </Button>
        </Sentence>
      )}
      {rows.length > 0 && (
        <AuditList
          rows={rows}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          onMore={() => {
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
        />
      )}
      {list.isFetchNextPageError && <NotLoaded error={list.error} onAgain={list.fetchNextPage} />}
    </>
  );
}

interface FilterBarProps {
  filters: AuditFilters;
  choose: (change: Partial<AuditFilters>) => void;
}

function FilterBar({ filters, choose }: FilterBarProps) {
  const { audit } = useRecordsTexts();
  const actions = Object.entries(audit.actions)
    .map(([value, label]) => ({ value, label }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  return (
    <div className="filters" role="search" aria-label={audit.filters}>
      <ActorFilter actor={filters.actor} choose={choose} />
      <Select
        className="filter"
        aria-label={audit.what}
        placeholder={audit.anything}
        data={withChosen(actions, filters.action)}
        value={filters.action}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': audit.anything }}
        nothingFoundMessage={audit.nothing.title}
        onChange={(action) => choose({ action })}
      />
      <DayFilter label={audit.from} day={filters.from} onDay={(from) => choose({ from })} />
      <DayFilter label={audit.to} day={filters.to} onDay={(to) => choose({ to })} />
      {filters.subject !== null && (
        <Button
          variant="default"
          className="records-chip"
          onClick={() => choose({ subject: null })}
        >
          {audit.about} <span aria-hidden="true">×</span>
        </Button>
      )}
      <AuditFile filters={filters} />
    </div>
  );
}

/** Colleagues and keys, and who is neither. */
function ActorFilter({ actor, choose }: Pick<FilterBarProps, 'choose'> & { actor: string | null }) {
  const { audit } = useRecordsTexts();
  const session = useSession();
  const { data: people } = useQuery({
    queryKey: ['users'],
    queryFn: listUsers,
    enabled: mayManageUsers(session),
    staleTime: 60_000,
  });
  const { data: programs } = useQuery({ queryKey: ['keys'], queryFn: listKeys });
  const names = [
    ...(people?.users ?? []).map(({ name }) => `user ${name}`),
    ...(programs?.keys ?? []).map(({ name }) => `key ${name}`),
    ...Object.keys(audit.actors),
  ];
  const actors = names.map((value) => ({ value, label: actorInWords(value, audit) }));
  return (
    <Select
      className="filter"
      aria-label={audit.who}
      placeholder={audit.anyone}
      data={withChosen(actors, actor)}
      value={actor}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': audit.anyone }}
      nothingFoundMessage={audit.nothing.title}
      onChange={(next) => choose({ actor: next })}
    />
  );
}

/** With what the address has, which may be named by no row of the choice. */
function withChosen(
  data: readonly { value: string; label: string }[],
  chosen: string | null,
): { value: string; label: string }[] {
  if (chosen === null || data.some(({ value }) => value === chosen)) return [...data];
  return [...data, { value: chosen, label: chosen }];
}

interface DayFilterProps {
  label: string;
  day: string | null;
  onDay: (day: string | null) => void;
}

function DayFilter({ label, day, onDay }: DayFilterProps) {
  return (
    <TextInput
      className="filter records-day"
      type="date"
      aria-label={label}
      leftSection={<span className="records-day-label">{label}</span>}
      leftSectionWidth="3.5rem"
      value={day ?? ''}
      onChange={(event) => {
        const { value } = event.currentTarget;
        onDay(value === '' ? null : value);
      }}
    />
  );
}

function AuditFile({ filters }: { filters: AuditFilters }) {
  const { audit } = useRecordsTexts();
  const { language } = useLanguage();
  const { isBusy, save } = useDownload();
  const saveAs = (format: 'csv' | 'json') => (): void => {
    void save(placeOf('/api/v1/audit/export', { ...auditQueryOf(filters), format, language }));
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <BusyButton variant="default" className="records-file" isBusy={isBusy}>
          {audit.file}
        </BusyButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item onClick={saveAs('csv')}>{audit.formats.csv}</Menu.Item>
        <Menu.Item onClick={saveAs('json')}>{audit.formats.json}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
