/** Everybody who is invited: filters in the address, and a list that loads as it is scrolled. */
import { useMemo, useState } from 'react';
import { Button } from '@mantine/core';
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useSearch } from 'wouter';
import { useLostFocus } from '../../src/components/use-lost-focus';
import { ConfirmDialog } from '../shell/dialog';
import type { Question } from '../shell/dialog';
import { focusPageTitle } from '../shell/focus-back';
import { Icon } from '../shell/icon';
import { useKeys } from '../shell/keyboard';
import { told } from '../shell/notice';
import { Page } from '../shell/page';
import { NotLoaded, Sentence, Waiting } from '../shell/sentence';
import { mayInvite, useSession } from '../shell/session';
import { useTexts } from '../language';
import { useVacancies } from '../vacancies';
import { listInvitations, revoke } from './calls';
import type { Invitation, NewInvitation } from './calls';
import { FilterBar } from './filter-bar';
import { NO_FILTERS, filtersOf, isFiltered, queryOf, searchOf } from './filters';
import type { Filters } from './filters';
import { InvitationList } from './invitation-list';
import { KeptImports } from './kept-banner';
import { LinkDialog } from './link-dialog';
import { INVITATIONS, NEW_INVITATION } from './places';
import { ReissueDialog } from './reissue-dialog';
import { nameOf } from './row';
import { useInvitationTexts } from './texts';
import './invitations.css';

const PAGE = 50;
/** A list this long is not loaded anew whenever somebody returns to the page. */
const PAGES_TO_REFRESH = 3;
const NONE: readonly Invitation[] = [];

export function InvitationsPage() {
  const { invitations: title } = useTexts();
  const texts = useInvitationTexts();
  const search = useSearch();
  const [, navigate] = useLocation();
  const filters = useMemo(() => filtersOf(search), [search]);
  const choose = (change: Partial<Filters>): void => {
    navigate(INVITATIONS + searchOf({ ...filters, ...change }), { replace: true });
  };
  const { titles } = useVacancies();
  const list = useInfiniteQuery({
    queryKey: ['invitations', filters],
    queryFn: ({ pageParam, signal }) =>
      listInvitations(
        { ...queryOf(filters), limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) },
        signal,
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ cursor }) => cursor,
    placeholderData: keepPreviousData,
    // The stream tells what was missed.
    refetchOnReconnect: false,
    refetchOnWindowFocus: ({ state }) => (state.data?.pages.length ?? 0) <= PAGES_TO_REFRESH,
  });
  const pages = list.data?.pages;
  const rows = useMemo(() => pages?.flatMap(({ items }) => items) ?? NONE, [pages]);
  // No rows of the filters before say nothing about the chosen ones.
  const isWaiting = list.isPending || (list.isPlaceholderData && rows.length === 0);
  // Of a button that stood in place of the rows.
  useLostFocus(isWaiting, focusPageTitle);
  const actions = useActions();
  const mayWrite = mayInvite(useSession());
  useKeys(mayWrite ? { n: () => navigate(NEW_INVITATION) } : {});
  return (
    <Page
      title={title}
      isWide
      actions={
        mayWrite ? (
          <Button component={Link} href={NEW_INVITATION} leftSection={<Icon name="plus" />}>
            {texts.openNew}
          </Button>
        ) : undefined
      }
    >
      <KeptImports ask={actions.ask} />
      <FilterBar filters={filters} titles={titles} choose={choose} />
      <p className="for-readers" role="status">
        {list.isSuccess && !isWaiting ? texts.shown(rows.length, list.hasNextPage) : ''}
      </p>
      {isWaiting && <Waiting />}
      {list.error !== null && rows.length === 0 && (
        <NotLoaded error={list.error} onAgain={list.refetch} />
      )}
      {list.isSuccess && !isWaiting && rows.length === 0 && (
        <Sentence {...(isFiltered(filters) ? texts.nothing : texts.empty)}>
          {isFiltered(filters) && (
            <Button variant="default" onClick={() => choose(NO_FILTERS)}>
              {texts.clear}
            </Button>
          )}
        </Sentence>
      )}
      {rows.length > 0 && (
        <InvitationList
          rows={rows}
          titles={titles}
          isStale={list.isPlaceholderData}
          hasMore={list.hasNextPage}
          mayWrite={mayWrite}
          actions={actions}
          onMore={() => {
            if (!list.isFetchingNextPage && !list.isFetchNextPageError) void list.fetchNextPage();
          }}
        />
      )}
      {list.isFetchNextPageError && <NotLoaded error={list.error} onAgain={list.fetchNextPage} />}
      {actions.dialogs}
    </Page>
  );
}

/** The dialogs of the rows, and what opens them. */
function useActions() {
  const texts = useInvitationTexts();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question | null>(null);
  const [reissuing, setReissuing] = useState<Invitation | null>(null);
  const [made, setMade] = useState<NewInvitation | null>(null);
  const refresh = (): void => void queries.invalidateQueries({ queryKey: ['invitations'] });
  const ask = (invitation: Invitation): void => {
    const name = nameOf(invitation) ?? texts.nameless;
    setQuestion({
      title: texts.revoke.title(name),
      text: texts.revoke.text,
      action: texts.revoke.action,
      isGrave: true,
      run: async () => {
        await revoke(invitation.id);
        told(texts.revoke.done(name));
        refresh();
      },
    });
  };
  const dialogs = (
    <>
      <ConfirmDialog question={question} onClose={() => setQuestion(null)} />
      <ReissueDialog
        invitation={reissuing}
        onClose={() => {
          setReissuing(null);
          // What it was refused for has changed the list.
          refresh();
        }}
        onIssued={(fresh) => {
          setReissuing(null);
          setMade(fresh);
          refresh();
        }}
      />
      <LinkDialog made={made} onClose={() => setMade(null)} />
    </>
  );
  return { ask: setQuestion, reissue: setReissuing, revoke: ask, dialogs };
}
