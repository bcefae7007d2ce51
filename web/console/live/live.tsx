/**
 * Keeps the page up to date by the team's stream: what has changed is read again where it is shown. Nothing polls.
 * A tab that is hidden for long gives up its stream (`tab-streams.ts`); a stream begins with `resync`, so a tab that is
 * shown again is up to date at once.
 */
import { createContext, use, useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ReactNode } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { EventStream } from '../../src/api/event-stream';
import { browserPlatform } from '../../src/platform';
import { readSession } from '../api/calls';
import { asProblem } from '../api/problem';
import { newUuid } from '../new-uuid';
import { SESSION, useReadSession, useSession } from '../shell/session';
import { Batch } from './batch';
import { openTeamEvents, sayReading } from './calls';
import { pageStreams } from './page-streams';
import { readAgain } from './read-again';
import { TEAM_EVENTS } from './team-events';
import type { Reader, TeamChange, TeamEvent } from './team-events';

/** Null: something may have been missed. */
type LiveListener = (changes: readonly TeamChange[] | null) => void;

const NOBODY: readonly Reader[] = [];
const SIGN_EVERY_MS = 20_000;

const { wait } = browserPlatform;

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
    onConnection: (connection) => {
      if (connection === 'lost') void this.askSession();
    },
  });
  /** The session ended; the stream begins anew with the next one. */
  private hasEnded = false;

  constructor(private readonly queries: QueryClient) {}

  /** Opens the stream for as long as the tab is shown. The returned function ends it. */
  follow(): () => void {
    return pageStreams().add({
      open: () => {
        if (!this.hasEnded) this.stream.reopen();
      },
      close: () => this.close(),
    });
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
        if (event.reason === 'rights_changed') this.stream.reopen();
        else this.hasEnded = true;
        void this.queries.invalidateQueries({ queryKey: SESSION });
    }
  }

  /** Only a request can distinguish an ended session, of which the stream would ask for ever, from a dead network. */
  private async askSession(): Promise<void> {
    try {
      await this.queries.query({ queryKey: SESSION, queryFn: readSession, staleTime: 0 });
    } catch (error) {
      if (asProblem(error).status !== 401) return;
      this.hasEnded = true;
      this.close();
    }
  }

  /** Somebody has signed in again, perhaps. */
  sessionRead(): void {
    if (!this.hasEnded) return;
    this.hasEnded = false;
    if (!pageStreams().isGivenUp) this.stream.reopen();
  }

  private tell(changes: readonly TeamChange[] | null): void {
    readAgain(this.queries, changes);
    for (const listener of this.listeners) listener(changes);
  }
}

const LiveContext = createContext<Live | null>(null);

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient();
  const [live] = useState(() => new Live(queries));
  useEffect(() => live.follow(), [live]);
  // Not the session itself, which stays the same object when somebody signs in again.
  const { dataUpdatedAt } = useReadSession();
  useEffect(() => live.sessionRead(), [live, dataUpdatedAt]);
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

/** Of this page. */
const TAB = newUuid();
