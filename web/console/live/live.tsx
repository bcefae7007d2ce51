/**
 * Keeps the page up to date by the team's stream: what has changed is read again where it is shown. Nothing polls.
 * A tab that is hidden for long gives up its stream (`HiddenTab`); a stream begins with `resync`, so a tab that is shown
 * again is up to date at once.
 */
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { Query, QueryClient } from '@tanstack/react-query';
import { EventStream } from '../../src/api/event-stream';
import { browserPlatform } from '../../src/platform';
import { HiddenTab } from '../../src/state/hidden-tab';
import type { Session } from '../api/calls';
import { SESSION, useSession } from '../shell/session';
import { Batch } from './batch';
import { openTeamEvents, sayReading } from './calls';
import { TEAM_EVENTS, isAffected } from './team-events';
import type { Reader, TeamChange, TeamEvent } from './team-events';

/** Null: something may have been missed. */
type LiveListener = (changes: readonly TeamChange[] | null) => void;

const NOBODY: readonly Reader[] = [];
const SIGN_EVERY_MS = 20_000;

const { wait, tabs } = browserPlatform;

/** A query whose rows are changed one by one (`useLiveRows`); it is not read again for them. */
export const IS_PATCHED = { isPatched: true } as const;

class Live {
  private readonly listeners = new Set<LiveListener>();
  private readonly readersListeners = new Set<() => void>();
  private readonly readers = new Map<string, readonly Reader[]>();
  private readonly batch = new Batch<TeamChange>(wait, (changes) => this.tell(changes));
  private readonly stream = new EventStream<TeamEvent>({
    ...TEAM_EVENTS,
    openEvents: openTeamEvents,
    wait,
    onEvent: (event) => this.heard(event),
    onConnection: () => undefined,
  });
  private readonly tab = new HiddenTab(browserPlatform, () => this.close());
  /** The session ended; the stream begins anew with the next one. */
  private hasEnded = false;

  constructor(private readonly queries: QueryClient) {}

  /** Opens the stream for as long as the tab is shown. The returned function ends it. */
  follow(): () => void {
    const onVisibility = (): void => {
      if (this.tab.needsStream(tabs.isShown())) this.open();
    };
    document.addEventListener('visibilitychange', onVisibility);
    if (!this.tab.isGivenUp) this.open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      this.close();
    };
  }

  listen(listener: LiveListener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  readonly onReaders = (listener: () => void): (() => void) => {
    this.readersListeners.add(listener);
    return () => this.readersListeners.delete(listener);
  };

  readersOf(interviewId: string): readonly Reader[] {
    return this.readers.get(interviewId) ?? NOBODY;
  }

  private open(): void {
    tabs.sayOpened();
    this.stream.reopen();
  }

  private close(): void {
    this.stream.close();
    this.batch.clear();
  }

  private heard(event: TeamEvent): void {
    switch (event.type) {
      case 'changed':
        this.batch.add(event);
        return;
      case 'readers':
        if (event.readers.length === 0) this.readers.delete(event.interviewId);
        else this.readers.set(event.interviewId, event.readers);
        for (const listener of this.readersListeners) listener();
        return;
      case 'resync':
        this.readers.clear();
        for (const listener of this.readersListeners) listener();
        this.batch.clear();
        this.tell(null);
        return;
      case 'ended':
        this.close();
        void this.queries.invalidateQueries({ queryKey: SESSION });
        if (event.reason === 'rights_changed') this.open();
        else this.hasEnded = true;
    }
  }

  /** Somebody has signed in again, perhaps. */
  sessionRead(): void {
    if (!this.hasEnded || this.tab.isGivenUp) return;
    this.hasEnded = false;
    this.open();
  }

  private tell(changes: readonly TeamChange[] | null): void {
    const isMeant = ({ queryKey, meta }: Query): boolean =>
      meta?.['isPatched'] !== true && isAffected(queryKey, changes);
    // One that is read for the first time goes on, and may have been read before the change.
    for (const query of this.queries.getQueryCache().findAll({ predicate: isMeant })) {
      const { queryKey } = query;
      afterFirstRead(query, () => void this.queries.invalidateQueries({ queryKey, exact: true }));
    }
    void this.queries.invalidateQueries({ predicate: isMeant });
    for (const listener of this.listeners) listener(changes);
  }
}

/** Calls `then` when a query that is being read for the first time has been read; for others it does nothing. */
export function afterFirstRead(query: Query | undefined, then: () => void): void {
  if (query !== undefined && query.state.data === undefined) afterRead(query, then);
}

/** Calls `then` when the request of the query that is under way has succeeded and is stored. */
export function afterRead(query: Query, then: () => void): void {
  query.promise?.then(
    () => wait(0, then),
    () => undefined,
  );
}

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ session, children }: { session: Session; children: ReactNode }) {
  const queries = useQueryClient();
  const [live] = useState(() => new Live(queries));
  useEffect(() => live.follow(), [live]);
  useEffect(() => live.sessionRead(), [live, session]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

function useLive(): Live {
  const live = use(LiveContext);
  if (live === null) throw new Error('nothing is live outside of the shell');
  return live;
}

/** Calls the listener with what has changed, in batches. */
export function useLiveChanges(listener: LiveListener): void {
  const live = useLive();
  const latest = useRef(listener);
  useEffect(() => {
    latest.current = listener;
  });
  useEffect(() => live.listen((changes) => latest.current(changes)), [live]);
}

/** The colleagues who read the interview now, without oneself. */
export function useReaders(interviewId: string): readonly Reader[] {
  const live = useLive();
  const { user } = useSession();
  const all = useSyncExternalStore(live.onReaders, () => live.readersOf(interviewId));
  return all.some(({ id }) => id === user.id) ? all.filter(({ id }) => id !== user.id) : all;
}

/** Tells colleagues that this person reads the interview, while the page is shown. */
export function useReading(interviewId: string | null): void {
  useEffect(() => {
    if (interviewId === null) return undefined;
    const say = (): void => void sayReading(TAB, document.hidden ? null : interviewId);
    const repeat = (): void => {
      if (!document.hidden) say();
    };
    const leave = (): void => void sayReading(TAB, null);
    say();
    const timer = window.setInterval(repeat, SIGN_EVERY_MS);
    document.addEventListener('visibilitychange', say);
    window.addEventListener('pagehide', leave);
    return () => {
      window.clearInterval(timer);
      document.removeEventListener('visibilitychange', say);
      window.removeEventListener('pagehide', leave);
      leave();
    };
  }, [interviewId]);
}

/** A UUID of this page. `randomUUID` is missing where the page is served over plain HTTP from another host. */
export function newUuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const TAB = newUuid();
