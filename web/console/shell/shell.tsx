/** The console itself: navigation, who is signed in, the dialogs that lie over every page. */
import { Suspense, lazy, useEffect, useState } from 'react';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import type { Session } from '../api/calls';
import { asProblem } from '../api/problem';
import { openAnew } from '../forget';
import { Frame, Opening, PageTitle } from '../frame';
import { INVITATIONS, NEW_INVITATION } from '../invitations/places';
import { useTexts } from '../language';
import { useScheme } from '../look/scheme';
import { cssVariables, theme } from '../look/theme';
import { LiveProvider } from '../live/live';
import { HOME, INBOX, signInAt } from '../places';
import { hasDrafts } from '../reading/drafts';
import { RECORDS, hasRecords } from '../records/tabs';
import { GateDialog } from './gate-dialog';
import { useKeyboard, useKeys } from './keyboard';
import { useLeaveGuard, useLeaveQuestion } from './leave-guard';
import { Navigation } from './navigation';
import { Page } from './page';
import {
  SessionProvider,
  mayInvite,
  mayManageUsers,
  mayReadInvitations,
  mayUseInbox,
  useReadSession,
} from './session';
import { ShortcutsDialog } from './shortcuts-dialog';
import '../look/mantine-styles';
import '../look/shell.css';

const InboxPage = lazy(async () => ({
  default: (await import('../inbox/inbox-page')).InboxPage,
}));
const ItemPage = lazy(async () => ({
  default: (await import('../inbox/item-page')).ItemPage,
}));
const InterviewsPage = lazy(async () => ({
  default: (await import('../interviews/interviews-page')).InterviewsPage,
}));
const InvitationsPage = lazy(async () => ({
  default: (await import('../invitations/invitations-page')).InvitationsPage,
}));
const NewInvitationPage = lazy(async () => ({
  default: (await import('../invitations/new-page')).NewInvitationPage,
}));
const InterviewPage = lazy(async () => ({
  default: (await import('../reading/interview-page')).InterviewPage,
}));
const VacanciesPage = lazy(async () => ({
  default: (await import('../vacancies/vacancies-page')).VacanciesPage,
}));
const VacancyPage = lazy(async () => ({
  default: (await import('../vacancies/vacancy-page')).VacancyPage,
}));
const NewVacancyPage = lazy(async () => ({
  default: (await import('../vacancies/new-vacancy-page')).NewVacancyPage,
}));
const PeoplePage = lazy(async () => ({
  default: (await import('../people/people-page')).PeoplePage,
}));
const RecordsPage = lazy(async () => ({
  default: (await import('../records/records-page')).RecordsPage,
}));
const ReportPage = lazy(async () => ({
  default: (await import('../records/report/report-page')).ReportPage,
}));
const AccountPage = lazy(async () => ({
  default: (await import('../account/account-page')).AccountPage,
}));

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (count, error) => count < 2 && asProblem(error).isPassing,
    },
  },
});

export function Shell() {
  const { scheme } = useScheme();
  return (
    <MantineProvider
      theme={theme}
      cssVariablesResolver={cssVariables}
      // At its start it shows the default for a moment.
      defaultColorScheme={scheme}
      forceColorScheme={scheme}
    >
      <QueryClientProvider client={queries}>
        <Signed />
      </QueryClientProvider>
    </MantineProvider>
  );
}

/** Without a session everything leads to the sign-in page. One that ends later is the gate's business. */
function Signed() {
  const texts = useTexts();
  const { data: session, error, refetch } = useReadSession();
  const isSomebodyElse = useIsSomebodyElse(session);
  if (isSomebodyElse) return <Opening />;
  if (session !== undefined) return <Places session={session} />;
  if (error === null) return <Opening />;
  const problem = asProblem(error);
  if (problem.status === 401) {
    return <Redirect to={signInAt(location.pathname + location.search)} replace />;
  }
  return (
    <Frame title={texts.failed.title}>
      <PageTitle>{texts.failed.title}</PageTitle>
      <p className="lead">{texts.problem(problem)}</p>
      <p className="actions">
        <button type="button" className="button" onClick={() => void refetch()}>
          {texts.failed.again}
        </button>
      </p>
    </Frame>
  );
}

/**
 * Somebody else has signed in, in another tab: what the first person has typed and read goes, and the page opens anew.
 */
function useIsSomebodyElse(session: Session | undefined): boolean {
  const queries = useQueryClient();
  const [first, setFirst] = useState<string | null>(null);
  const now = session?.user.id ?? null;
  if (first === null && now !== null) setFirst(now);
  const isSomebodyElse = first !== null && now !== null && now !== first;
  useEffect(() => {
    if (isSomebodyElse) openAnew(queries, () => location.reload());
  }, [isSomebodyElse, queries]);
  return isSomebodyElse;
}

function Places({ session }: { session: Session }) {
  const texts = useTexts();
  const [, navigate] = useLocation();
  const [hasShortcuts, setShortcuts] = useState(false);
  const canManage = mayManageUsers(session);
  const hasInbox = mayUseInbox(session);
  const readsVacancies = session.scopes.includes('vacancies:read');
  const canKeepRecords = hasRecords(session);
  useKeyboard();
  useLeaveQuestion();
  useLeaveGuard(hasDrafts);
  useKeys({
    '?': () => setShortcuts(true),
    'g i': () => navigate(HOME),
    ...(hasInbox ? { 'g n': () => navigate(INBOX) } : {}),
    ...(mayReadInvitations(session) ? { 'g t': () => navigate(INVITATIONS) } : {}),
    ...(readsVacancies ? { 'g v': () => navigate('/console/vacancies') } : {}),
    'g a': () => navigate('/console/account'),
    ...(canManage ? { 'g p': () => navigate('/console/people') } : {}),
    ...(canKeepRecords ? { 'g r': () => navigate(RECORDS) } : {}),
  });
  return (
    <SessionProvider value={session}>
      <LiveProvider>
        <a className="skip" href="#content">
          {texts.shell.skip}
        </a>
        <div className="shell">
          <Navigation onShortcuts={() => setShortcuts(true)} />
          <main id="content" className="shell-main" tabIndex={-1}>
            <Suspense fallback={<Opening />}>
              <Pages session={session} />
            </Suspense>
          </main>
        </div>
        <ShortcutsDialog opened={hasShortcuts} onClose={() => setShortcuts(false)} />
        <GateDialog session={session} />
        <Notifications position="bottom-right" autoClose={5000} limit={3} />
        <ToTop />
      </LiveProvider>
    </SessionProvider>
  );
}

/** A page that somebody's role has no use for is unknown to them. */
function Pages({ session }: { session: Session }) {
  const hasInbox = mayUseInbox(session);
  const readsVacancies = session.scopes.includes('vacancies:read');
  return (
    <Switch>
      <Route path="/console">
        <Redirect to={HOME} replace />
      </Route>
      {hasInbox && (
        <Route path={INBOX}>
          <InboxPage />
        </Route>
      )}
      {hasInbox && (
        <Route path="/console/inbox/:id">{({ id }) => <ItemPage key={id} id={id} />}</Route>
      )}
      <Route path={HOME}>
        <InterviewsPage />
      </Route>
      <Route path="/console/interviews/:id/report">
        {({ id }) => <ReportPage key={id} id={id} />}
      </Route>
      <Route path="/console/interviews/:id">
        {({ id }) => <InterviewPage key={id} id={id.toLowerCase()} />}
      </Route>
      {mayReadInvitations(session) && (
        <Route path={INVITATIONS}>
          <InvitationsPage />
        </Route>
      )}
      {mayInvite(session) && (
        <Route path={NEW_INVITATION}>
          <NewInvitationPage />
        </Route>
      )}
      {readsVacancies && (
        <Route path="/console/vacancies">
          <VacanciesPage />
        </Route>
      )}
      {session.scopes.includes('vacancies:write') && (
        <Route path="/console/vacancies/_new">
          <NewVacancyPage />
        </Route>
      )}
      {readsVacancies && (
        <Route path="/console/vacancies/:slug">{({ slug }) => <VacancyPage slug={slug} />}</Route>
      )}
      {hasRecords(session) && (
        <Route path="/console/records/:tab?">{({ tab }) => <RecordsPage tab={tab} />}</Route>
      )}
      {mayManageUsers(session) && (
        <Route path="/console/people">
          <PeoplePage />
        </Route>
      )}
      <Route path="/console/account">
        <AccountPage />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}

function NotFound() {
  const { notFound } = useTexts();
  return (
    <Page title={notFound.title}>
      <p className="page-lead">{notFound.text}</p>
    </Page>
  );
}

/** Another place begins at its top. */
function ToTop() {
  const [place] = useLocation();
  useEffect(() => {
    // It returns a promise in newer browsers, which is no clean-up of an effect.
    window.scrollTo(0, 0);
  }, [place]);
  return null;
}
